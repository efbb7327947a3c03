import { useQuery } from "@tanstack/react-query";
import type { Function as ServerFunction, FunctionRun } from "manybase/admin";
import { useState } from "react";
import { can } from "../../lib/permissions";
import { printJson } from "../../lib/json";
import { formatAge } from "../../lib/format";
import { functionMessages } from "../../messages/functions";
import { documentEvent, exampleEvent, userEvent } from "./events";
import { documentsOf, usersOf } from "./queries";
import { eventsOf, keepsEvents, triggerOf, type DatabaseEvent, type Trigger } from "./triggers";

const words = functionMessages.event;
/** Of more runs the events are not offered. */
const maxRuns = 10;
/** Events that were typed, by function, so that they are still there when its screen is opened again. */
const typed = new Map<string, Record<string, string>>();

export interface EventSource {
  value: string;
  label: string;
}

export interface EventDraft {
  trigger: Trigger;
  /** What it can start from. */
  sources: EventSource[];
  source: string;
  choose(source: string): void;
  /** Of triggers with several. */
  kinds: readonly DatabaseEvent[];
  kind: DatabaseEvent;
  chooseKind(kind: DatabaseEvent): void;
  /** The run whose event it is; the server has it. */
  run: string | undefined;
  text: string;
  change(text: string): void;
}

/** The event that a function is run with: an example, made of a document or a user, or that of a run. */
export function useEvent(
  projectId: string,
  one: ServerFunction,
  perms: readonly string[],
  runs: readonly FunctionRun[],
): EventDraft {
  const trigger = triggerOf(one);
  const [chosen, choose] = useState("example");
  const [wanted, chooseKind] = useState<DatabaseEvent>();
  const place = `${projectId}/${one.name}`;
  const [texts, setTexts] = useState(typed.get(place) ?? {});
  const [now] = useState(() => new Date());
  const collection = trigger.type === "database" ? trigger.collection : "";
  const documents = useQuery({
    ...documentsOf(projectId, collection),
    enabled: trigger.type === "database" && can(perms, `data:${collection}:list`),
  });
  const users = useQuery({ ...usersOf(projectId), enabled: trigger.type === "auth" && can(perms, "users:read") });

  const kinds = eventsOf(trigger);
  const kind = wanted && kinds.includes(wanted) ? wanted : (kinds[0] ?? "insert");
  const events = new Map<string, () => unknown>([["example", () => exampleEvent(trigger, kind, now)]]);
  const sources: EventSource[] = [{ value: "example", label: words.example }];
  for (const document of documents.data ?? []) {
    const id = String(document.id);
    events.set(`document:${id}`, () => documentEvent(collection, kind, { ...document }));
    sources.push({ value: `document:${id}`, label: words.document(id) });
  }
  for (const user of users.data ?? []) {
    const value = `user:${user.id}`;
    events.set(value, () => userEvent({ ...user }));
    sources.push({ value, label: words.user(user.email) });
  }
  if (one.timing === "post" && can(perms, "functions:manage")) {
    for (const run of runs.filter((each) => keepsEvents(each.trigger)).slice(0, maxRuns)) {
      const label = words.run(functionMessages.runs.triggers[run.trigger] ?? run.trigger, formatAge(run.startedAt));
      sources.push({ value: `run:${run.id}`, label });
    }
  }
  const source = sources.some(({ value }) => value === chosen) ? chosen : "example";
  const key = JSON.stringify([trigger, kind, source]);
  return {
    trigger,
    sources,
    source,
    choose,
    kinds,
    kind,
    chooseKind,
    run: source.startsWith("run:") ? source.slice(4) : undefined,
    text: texts[key] ?? printJson(events.get(source)?.() ?? null),
    change(text) {
      const next = { ...texts, [key]: text };
      typed.set(place, next);
      setTexts(next);
    },
  };
}
