import type { Backfill } from "manybase/admin";
import { useEffect, useRef, useState } from "react";
import { adminOf, queryClient } from "../../app/queries";
import { advanced, begun, type BackfillState } from "./backfill-state";

/** Gives documents of a collection of the database an id, call by call, until none is without or it is stopped. */
export function useBackfill(projectId: string, source: string) {
  const [state, setState] = useState<BackfillState>(begun);
  const stopped = useRef(false);
  // Who leaves the screen stops it: it continues where it was.
  useEffect(() => {
    stopped.current = false;
    return () => void (stopped.current = true);
  }, []);

  const run = async (limit: number): Promise<void> => {
    stopped.current = false;
    let now: BackfillState = { ...state, phase: "running", problem: undefined };
    setState(now);
    while (now.phase === "running" && !stopped.current) {
      try {
        const made: Backfill = await adminOf(projectId).backfillIntrospected(source, { limit });
        now = advanced(now, made);
      } catch (problem) {
        now = { ...now, phase: "paused", problem };
      }
      setState(now);
    }
    if (now.phase === "running") setState({ ...now, phase: "paused" });
    await queryClient.invalidateQueries({ queryKey: [projectId, "database"] });
  };
  const stop = (): void => {
    stopped.current = true;
    setState((now) => (now.phase === "running" ? { ...now, phase: "stopping" } : now));
  };
  return { state, run, stop };
}
