import type { Status } from "manybase";
import { useEffect, useMemo, useRef, useState } from "react";
import { follow } from "../../components/data/follow";
import { can } from "../../lib/permissions";
import type { Fields } from "../../lib/json";
import { Newer } from "./newer";
import { documentsChanged, type List } from "./queries";

/** Many changes in a row are read together, at most so often. */
const pauseMs = 1_000;
const none: ReadonlySet<string> = new Set();

/** How the list follows changes: as they happen, or by a read every few seconds. */
export type LiveState = "off" | "live" | "connecting" | "checking";

/** Follows the changes of a collection while `on`. Those who may not are left to `checking`, which reads the list from time to time. */
export function useFollowing({ projectId, collection }: Pick<List, "projectId" | "collection">, perms: readonly string[], on: boolean): LiveState {
  const mayFollow = can(perms, `data:${collection}:admin`);
  const [state, setState] = useState<Status>("catching-up");
  useEffect(() => {
    if (!on || !mayFollow) return undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const onChange = () => {
      timer ??= setTimeout(() => {
        timer = undefined;
        void documentsChanged(projectId, collection);
      }, pauseMs);
    };
    const following = follow(projectId, collection, {
      fields: ["id"],
      resume: false,
      onChange,
      onSubscribed: onChange,
      onGap: onChange,
      onState: setState,
    });
    return () => {
      clearTimeout(timer);
      following.end();
    };
  }, [projectId, collection, on, mayFollow]);
  if (!on) return "off";
  if (!mayFollow || state === "ended") return "checking";
  return state === "live" ? "live" : "connecting";
}

/** The ids of documents that changed since the list was followed, of those that it has read; `clear` forgets them. */
export function useNewer(documents: readonly Fields[], on: boolean) {
  const [marked, setMarked] = useState(none);
  const newer = useRef<Newer>(undefined);
  useEffect(() => {
    if (!on) {
      newer.current = undefined;
      setMarked(none);
      return;
    }
    newer.current ??= new Newer(new Date().toISOString(), documents);
    const found = newer.current.take(documents);
    if (found.length > 0) setMarked((old) => new Set([...old, ...found]));
  }, [documents, on]);
  return useMemo(
    () => ({
      marked,
      clear: () => setMarked(none),
      /** A document as the person has saved it, which is not marked. */
      know: (document: Fields) => void newer.current?.take([document]),
    }),
    [marked],
  );
}
