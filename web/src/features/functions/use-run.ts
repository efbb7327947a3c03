import { createClient } from "manybase";
import type { Function as ServerFunction, FunctionRun } from "manybase/admin";
import { useRef, useState } from "react";
import { adminOf, queryClient } from "../../app/queries";
import { loggedFetch } from "../../lib/call-log";
import { exactJson } from "../../lib/json";
import { parseJson } from "../../lib/json-source";
import { serverUrl } from "../../lib/server";
import { functionMessages } from "../../messages/functions";
import { payloadOf, requestOf } from "./events";
import { refresh, runsOf } from "./queries";
import type { Code } from "./use-code";
import type { EventDraft } from "./use-event";

const words = functionMessages.event;

/** Whether it is run by a request to its endpoint. */
export const isRequest = (one: ServerFunction, event: EventDraft): boolean => event.trigger.type === "http" && one.enabled;

/** Sends the request of an event; gives the id of its run. */
async function send(project: string, method: string, event: unknown): Promise<string> {
  const request = requestOf(event);
  if (!request) throw new Error(words.notRequest);
  const { path, ...options } = request;
  const client = createClient({ url: serverUrl, project, storage: "memory", fetch: loggedFetch, json: exactJson });
  try {
    const response = await client.run(method as "GET", path as `/${string}`, options);
    const id = response.headers.get("x-service-run");
    if (!id) throw new Error(words.noRun(response.status));
    return id;
  } finally {
    client.close();
  }
}

export interface Runner {
  busy: boolean;
  /** Why nothing ran. */
  problem: unknown;
  /** The last one, before the log has it. */
  last: FunctionRun | undefined;
  /** Forgets the problem, which was that of another event. */
  clear(): void;
  /** The event of the text; undefined where it is not JSON, which is then the problem. */
  parse(): unknown;
  run(): Promise<void>;
  /** Repeats a run of the log. */
  again(id: string): Promise<void>;
}

/** Runs a function with an event, after its code is saved; `open` gets the id of the run. */
export function useRun(project: { id: string; slug: string }, one: ServerFunction, code: Pick<Code, "save">, event: EventDraft, open: (id: string) => void): Runner {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<unknown>();
  const [last, setLast] = useState<FunctionRun>();
  const running = useRef(false);
  const admin = adminOf(project.id);

  const begin = async (start: () => Promise<FunctionRun | string | undefined>): Promise<void> => {
    if (running.current) return;
    running.current = true;
    setBusy(true);
    setProblem(undefined);
    try {
      const made = await start();
      if (made === undefined) return;
      if (typeof made === "string") {
        await queryClient.invalidateQueries({ queryKey: runsOf(project.id, one.name, false).queryKey });
        open(made);
      } else {
        setLast(made);
        open(made.id);
      }
      void refresh(project.id);
    } catch (error) {
      setProblem(error);
    } finally {
      running.current = false;
      setBusy(false);
    }
  };

  return {
    busy,
    problem,
    last,
    clear: () => setProblem(undefined),
    parse() {
      setProblem(undefined);
      try {
        return parseJson(event.text);
      } catch (error) {
        setProblem(error);
        return undefined;
      }
    },
    run: () =>
      begin(async () => {
        const given = event.run === undefined ? parseJson(event.text) : undefined;
        if (!(await code.save())) return undefined;
        if (event.run !== undefined) return (await admin.retryRun(one.name, event.run)).run;
        if (event.trigger.type === "http" && one.enabled) return send(project.slug, event.trigger.method, given);
        return (await admin.invokeFunction(one.name, { payload: payloadOf(given) })).run;
      }),
    again: (id) => begin(async () => (await admin.retryRun(one.name, id)).run),
  };
}
