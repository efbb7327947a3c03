import type { Status } from "manybase";
import { useEffect, useRef, useState } from "react";
import { follow, type Following } from "../../components/data/follow";
import { added, emptyLog, type Log, type Received } from "./received";
import { optionsOf, type Selection } from "./subscription";

/** Changes that come in this time are shown together. */
const pauseMs = 100;

export interface Inspector {
  phase: "idle" | "on" | "paused";
  /** While it is on. */
  status: Exclude<Status, "ended">;
  log: Log;
  /** Why the server has ended the subscription. */
  problem: unknown;
  start(collection: string, selection: Selection): void;
  pause(): void;
  /** Continues where it was paused. */
  resume(): void;
  stop(): void;
  clear(): void;
}

/** Follows a collection of a project from time to time, and keeps what comes. */
export function useInspector(projectId: string): Inspector {
  const [phase, setPhase] = useState<Inspector["phase"]>("idle");
  const [status, setStatus] = useState<Inspector["status"]>("catching-up");
  const [log, setLog] = useState(emptyLog);
  const [problem, setProblem] = useState<unknown>();
  const current = useRef<{ collection: string; selection: Selection; following: Following }>(undefined);
  const waiting = useRef<(Received & { at: number })[]>([]);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);

  const show = () => {
    clearTimeout(timer.current);
    timer.current = undefined;
    const batch = waiting.current;
    waiting.current = [];
    if (batch.length > 0) setLog((old) => added(old, batch));
  };
  const receive = (one: Received) => {
    waiting.current.push({ ...one, at: Date.now() });
    timer.current ??= setTimeout(show, pauseMs);
  };
  const end = (next: Inspector["phase"]) => {
    current.current?.following.end();
    show();
    setPhase(next);
  };
  const begin = (collection: string, selection: Selection, after?: string) => {
    setProblem(undefined);
    setPhase("on");
    const following = follow(projectId, collection, {
      ...optionsOf(selection),
      after,
      onChange: (change) => receive({ change }),
      onGap: () => receive({ note: "gap" }),
      onReset: () => receive({ note: "reset" }),
      onState(state, error) {
        if (state !== "ended") return setStatus(state);
        setProblem(error);
        end("idle");
      },
    });
    current.current = { collection, selection, following };
  };
  useEffect(
    () => () => {
      clearTimeout(timer.current);
      current.current?.following.end();
    },
    [],
  );
  return {
    phase,
    status,
    log,
    problem,
    start: begin,
    pause: () => end("paused"),
    resume() {
      const { collection, selection, following } = current.current!;
      begin(collection, selection, following.position());
    },
    stop: () => end("idle"),
    clear() {
      waiting.current = [];
      setLog(emptyLog);
    },
  };
}
