import type { UseQueryResult } from "@tanstack/react-query";
import { isError } from "manybase";
import type { ReactNode } from "react";
import { Denied } from "../states/denied";
import { EmptyState } from "../states/empty-state";
import { ErrorState } from "../states/problem";
import { Skeleton } from "../states/skeleton";
import { Page } from "./page";

interface Props {
  title: string;
  /** What the screen is read by, the thing itself first. */
  queries: readonly UseQueryResult[];
  /** The permission that the person lacks. */
  lacks?: string | undefined;
  /** What is said where there is no such thing, with the way to those that there are. */
  missing: { title: string; text: string; action: ReactNode };
}

/** In place of the screen of one thing: while it loads, and where it cannot be shown. */
export function UnopenedPage({ title, queries, lacks, missing }: Props) {
  const failed = queries.find((one) => one.isError);
  return (
    <Page title={title}>
      {lacks !== undefined && <Denied permission={lacks} />}
      {!failed && queries.some((one) => one.isLoading) && <Skeleton rows={2} height={160} />}
      {isError(queries[0]?.error, "NOT_FOUND") ? (
        <EmptyState title={missing.title} action={missing.action}>
          {missing.text}
        </EmptyState>
      ) : (
        failed && <ErrorState error={failed.error} onRetry={() => void failed.refetch()} />
      )}
    </Page>
  );
}
