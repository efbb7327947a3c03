import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Button } from "../ui/button";
import { FilterBar, FilterText } from "../ui/filter-bar";
import { Card } from "../ui/panel";
import { Denied } from "./denied";
import { EmptyState } from "./empty-state";
import { ErrorState } from "./problem";
import { Skeleton } from "./skeleton";

/** From here on a list is worth a filter. */
const filterFrom = 6;

interface Props<T> {
  /** What is missing to read the list. */
  lacks?: string | false;
  query: UseQueryResult<T[]>;
  /** The text of the filter. */
  find: string;
  onFind(text: string): void;
  /** How many entries have it. */
  found: number;
  words: {
    find: string;
    shown(n: number): string;
    /** Where no entry has the text. */
    nothing: string;
    clear: string;
  };
  /** Where there is no entry at all: what the list is for, and the button that makes the first. */
  none: { title: string; text: string; action?: ReactNode };
  /** The entries that are found. */
  children: ReactNode;
}

/** A list that is filtered by a text; or why there is nothing to show. */
export function FilteredList<T>({ lacks, query, find, onFind, found, words, none, children }: Props<T>) {
  const all = query.data?.length ?? 0;
  return (
    <>
      {lacks && <Denied permission={lacks} />}
      {query.isError && <ErrorState error={query.error} onRetry={() => void query.refetch()} />}
      {query.isLoading && <Skeleton rows={1} height={180} />}
      {query.data && all === 0 && (
        <Card>
          <EmptyState title={none.title} action={none.action || undefined}>
            {none.text}
          </EmptyState>
        </Card>
      )}
      {query.data && (all >= filterFrom || find) && (
        <FilterBar status={words.shown(found)}>
          <FilterText label={words.find} value={find} onChange={onFind} />
        </FilterBar>
      )}
      {all > 0 && found === 0 && (
        <Card>
          <EmptyState title={words.nothing} action={<Button onClick={() => onFind("")}>{words.clear}</Button>}>
            <bdi>{find}</bdi>
          </EmptyState>
        </Card>
      )}
      {found > 0 && children}
    </>
  );
}
