// What the screens read of a project's own database, by key.
import { queryOptions } from "@tanstack/react-query";
import { adminOf } from "../../app/queries";
import { can } from "../../lib/permissions";

/** The collections of the database. */
export const sourcesOf = (projectId: string, perms: readonly string[], byo: boolean) =>
  queryOptions({
    queryKey: [projectId, "database"],
    queryFn: async ({ signal }) => (await adminOf(projectId).listIntrospected({ signal })).collections,
    enabled: byo && can(perms, "introspect:read"),
  });

/** So many documents are read where nothing else is chosen. */
export const usualSample = 200;

/** The report on a collection of the database, from `sample` documents. It is read again on demand alone: it costs the database something. */
export const reportOf = (projectId: string, perms: readonly string[], source: string, sample: number) =>
  queryOptions({
    queryKey: [projectId, "database", source, sample],
    queryFn: ({ signal }) => adminOf(projectId).introspectCollection(source, { sample }, { signal }),
    enabled: can(perms, "introspect:read"),
    staleTime: 60_000,
    refetchOnWindowFocus: false,
  });
