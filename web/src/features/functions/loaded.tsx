import { useQuery } from "@tanstack/react-query";
import { useLoaderData } from "@tanstack/react-router";
import type { Function as ServerFunction } from "manybase/admin";
import type { ReactNode } from "react";
import { Page } from "../../components/shell/page";
import { ErrorState } from "../../components/states/problem";
import { Skeleton } from "../../components/states/skeleton";
import { functionOf } from "./queries";

/** The screen of a function, once it is read. */
export function LoadedFunction({ name, children }: { name: string; children(one: ServerFunction): ReactNode }) {
  const { id: projectId } = useLoaderData({ from: "/inside/p/$slug" });
  const query = useQuery(functionOf(projectId, name));
  if (query.data) return children(query.data);
  return (
    <Page title={name}>
      {query.isError ? <ErrorState error={query.error} onRetry={() => void query.refetch()} /> : <Skeleton rows={2} height={280} />}
    </Page>
  );
}
