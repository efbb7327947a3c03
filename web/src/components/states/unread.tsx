import type { UseQueryResult } from "@tanstack/react-query";
import { PanelBody } from "../ui/panel";
import { ErrorState } from "./problem";
import { Skeleton } from "./skeleton";

/** In a panel, while what it shows is read, or where that failed: `rows` of the final height. */
export function Unread({ query, rows, height }: { query: Pick<UseQueryResult, "isError" | "isPending" | "error" | "refetch">; rows: number; height: number }) {
  if (!query.isError && !query.isPending) return null;
  return (
    <PanelBody>
      {query.isError ? <ErrorState error={query.error} onRetry={() => void query.refetch()} /> : <Skeleton rows={rows} height={height} />}
    </PanelBody>
  );
}
