import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { useLoaderData } from "@tanstack/react-router";
import type { Function as ServerFunction } from "manybase/admin";
import type { ReactNode } from "react";
import { permissions } from "../../app/queries";
import { Page } from "../../components/shell/page";
import { Denied } from "../../components/states/denied";
import { ErrorState } from "../../components/states/problem";
import { Skeleton } from "../../components/states/skeleton";
import { can } from "../../lib/permissions";
import { functionOf } from "./queries";

/** The screen of a function, once it is read. */
export function LoadedFunction({ name, children }: { name: string; children(one: ServerFunction): ReactNode }) {
  const { id: projectId } = useLoaderData({ from: "/inside/p/$slug" });
  const { data: perms } = useSuspenseQuery(permissions(projectId));
  const mayRead = can(perms, "functions:read");
  const query = useQuery({ ...functionOf(projectId, name), enabled: mayRead });
  if (mayRead && query.data) return children(query.data);
  return (
    <Page title={name}>
      {!mayRead && <Denied permission="functions:read" />}
      {query.isLoading && <Skeleton rows={2} height={280} />}
      {query.isError && <ErrorState error={query.error} onRetry={() => void query.refetch()} />}
    </Page>
  );
}
