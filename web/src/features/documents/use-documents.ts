import { useQueries, useQuery } from "@tanstack/react-query";
import { useCallback, useMemo, useState } from "react";
import { inlineJson, type Fields } from "../../lib/json";
import { pageOf, pageSize, type List } from "./queries";

/** More rows are not shown: browsers bound the height of what scrolls. */
export const maxRows = 500_000;

/** The documents of a list, of which the pages around the rows that are seen are read; with `every` again after so many ms. */
export function useDocuments(list: List, allowed: boolean, every: number | false) {
  const options = { enabled: allowed, refetchInterval: every } as const;
  const first = useQuery({ ...pageOf(list, 0), ...options });
  const [seen, setSeen] = useState({ from: 0, to: 0 });
  const total = first.data?.total ?? 0;
  const rows = Math.min(total, maxRows);
  const pages = Array.from({ length: seen.to - seen.from + 1 }, (_, at) => seen.from + at).filter(
    (page) => page > 0 && page * pageSize < rows,
  );
  const queries = useQueries({ queries: pages.map((page) => ({ ...pageOf(list, page), ...options })) });
  const byPage = new Map(pages.map((page, at) => [page, queries[at]?.data?.documents]));
  byPage.set(0, first.data?.documents);
  // Another text for other documents, so that all of them are one value as long as nothing is read.
  const stamp = inlineJson([list.filter, list.sort, pages, first.dataUpdatedAt, queries.map(({ dataUpdatedAt }) => dataUpdatedAt)]);
  const loaded = useMemo(() => [...byPage.values()].flatMap((documents) => (documents ?? []) as Fields[]), [stamp]);

  const onSeen = useCallback((from: number, to: number) => {
    const next = { from: Math.floor(from / pageSize), to: Math.floor(to / pageSize) };
    setSeen((old) => (old.from === next.from && old.to === next.to ? old : next));
  }, []);
  const rowOf = (id: string): number | undefined => {
    for (const [page, documents] of byPage) {
      const at = documents?.findIndex((one) => String((one as Fields)["id"]) === id) ?? -1;
      if (at >= 0) return page * pageSize + at;
    }
    return undefined;
  };
  return {
    first,
    total,
    rows,
    onSeen,
    /** All documents that are read, of the pages around the rows that are seen. */
    loaded,
    /** The first page that could not be read. */
    failed: queries.find((query) => query.isError),
    /** The row of a document, where its page is read. */
    rowOf,
    documentAt: (row: number): Fields | undefined => byPage.get(Math.floor(row / pageSize))?.[row % pageSize] as Fields | undefined,
  };
}
