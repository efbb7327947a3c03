// What the inspector subscribes to, from the address and its form.
import type { ChangeType } from "manybase";
import type { RealtimeSearch } from "../../app/routes/api";
import { changeTypes } from "../../lib/changes";
import { isObject, type Fields } from "../../lib/json";
import { readJson } from "../../lib/json-source";
import { apiMessages } from "../../messages/api";

const words = apiMessages.realtime;

/** What of a collection is followed. */
export interface Selection {
  /** All without them. */
  events?: ChangeType[] | undefined;
  filter?: Fields | undefined;
}

export const eventsOf = ({ events }: RealtimeSearch): readonly ChangeType[] =>
  events === undefined ? changeTypes : changeTypes.filter((type) => events.split(",").includes(type));

/** The filter of a text, which may be empty; or why it is not one. */
export function filterOf(text: string): { filter?: Fields | undefined } | { wrong: string } {
  if (!text.trim()) return {};
  const read = readJson(text);
  if (read.problem) return { wrong: read.problem.message };
  return isObject(read.value) ? { filter: read.value } : { wrong: words.notFilter };
}

/** What the address selects; a filter that cannot be read is left out. */
export function selectionOf(search: RealtimeSearch): Selection {
  const read = filterOf(search.filter ?? "");
  return {
    ...(search.events !== undefined && { events: [...eventsOf(search)] }),
    ...("filter" in read && read.filter && { filter: read.filter }),
  };
}

/** The options of a subscription. Documents that leave the filter are reported too. */
export const optionsOf = ({ events, filter }: Selection) => ({
  admin: true as const,
  ...(events && { events }),
  ...(filter && { filter, leave: true }),
});
