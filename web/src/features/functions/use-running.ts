import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import type { Function as ServerFunction, FunctionRun } from "manybase/admin";
import { can } from "../../lib/permissions";
import { functionMessages } from "../../messages/functions";
import { runsOf } from "./queries";
import type { Code } from "./use-code";
import { useEvent, type EventDraft } from "./use-event";
import { isRequest, useRun, type Runner } from "./use-run";

const words = functionMessages.one;

export interface Running {
  event: EventDraft;
  runner: Runner;
  /** The log, as it was read. */
  log: UseQueryResult<FunctionRun[]>;
  /** Its runs, with one that it has not yet. */
  runs: readonly FunctionRun[];
  /** The event is sent to the endpoint. */
  request: boolean;
  /** Saves and runs; undefined where the person may not run it. */
  run: (() => void) | undefined;
  /** The words of the button. */
  words: string;
}

/** The event of a function, its runs by hand and its log. `source` is saved first; `open` gets the id of a new run. */
export function useRunning(
  project: { id: string; slug: string },
  one: ServerFunction,
  perms: readonly string[],
  source: Pick<Code, "save" | "changed">,
  follow: boolean,
  open: (id: string) => void,
): Running {
  const log = useQuery(runsOf(project.id, one.name, follow));
  const logged = log.data ?? [];
  const event = useEvent(project.id, one, perms, logged);
  const runner = useRun(project, one, source, event, open);
  const { last } = runner;
  const request = isRequest(one, event);
  return {
    event,
    runner,
    log,
    runs: last && !logged.some(({ id }) => id === last.id) ? [last, ...logged] : logged,
    request,
    run: can(perms, "functions:invoke") ? () => void runner.run() : undefined,
    words: source.changed ? (request ? words.saveAndSend : words.saveAndRun) : request ? words.send : words.run,
  };
}
