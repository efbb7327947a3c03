import { useEffect, useRef } from "react";
import { queryClient } from "../../app/queries";
import type { Fields } from "../../lib/json";
import { pageOf, pageSize, type List } from "./queries";
import type { useDocuments } from "./use-documents";

type Documents = Pick<ReturnType<typeof useDocuments>, "rows" | "rowOf" | "documentAt">;

/** The documents before and after the open one, in the order of the list. */
export interface Neighbours {
  has(by: -1 | 1): boolean;
  go(by: -1 | 1): void;
}

/** Leads from the open document to those next to it. `onGo` gets the id and the row. */
export function useNeighbours(list: List, documents: Documents, open: string | undefined, onGo: (id: string, row: number) => void): Neighbours {
  // Where it was: the pages around the rows that are seen may not hold it any more.
  const last = useRef<{ id: string; row: number }>(undefined);
  const found = open === undefined ? undefined : documents.rowOf(open);
  useEffect(() => {
    if (open !== undefined && found !== undefined) last.current = { id: open, row: found };
  }, [open, found]);
  const row = found ?? (last.current?.id === open ? last.current?.row : undefined);
  const has = (by: -1 | 1) => row !== undefined && row + by >= 0 && row + by < documents.rows;
  const go = async (by: -1 | 1) => {
    if (row === undefined || !has(by)) return;
    const next = row + by;
    const known = documents.documentAt(next);
    const page = known ? undefined : await queryClient.fetchQuery(pageOf(list, Math.floor(next / pageSize)));
    const id = (known ?? (page?.documents[next % pageSize] as Fields | undefined))?.["id"];
    if (id === undefined) return;
    last.current = { id: String(id), row: next };
    onGo(String(id), next);
  };
  return { has, go: (by) => void go(by).catch(() => undefined) };
}
