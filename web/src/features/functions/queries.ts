// What the screens of functions read, by key.
import { queryOptions } from "@tanstack/react-query";
import { isError } from "manybase";
import type { Document } from "manybase/admin";
import { adminOf, queryClient } from "../../app/queries";
import { can } from "../../lib/permissions";

const keyOf = (projectId: string, ...parts: string[]) => [projectId, "functions", ...parts];
/** How often logs are read while they are on the screen. */
const followEveryMs = 2_000;
/** How many documents or users are offered for events. */
const maxSources = 20;

export const functionsOf = (projectId: string) =>
  queryOptions({
    queryKey: keyOf(projectId, "list"),
    queryFn: async ({ signal }) => (await adminOf(projectId).listFunctions({ signal })).functions,
  });

/** Statistics by the name of a function. */
export const statsOf = (projectId: string) =>
  queryOptions({
    queryKey: keyOf(projectId, "stats"),
    queryFn: async ({ signal }) => {
      const { functions } = await adminOf(projectId).functionStats({ signal });
      return new Map(functions.map((one) => [one.name, one]));
    },
    refetchInterval: followEveryMs * 5,
  });

export const functionOf = (projectId: string, name: string) =>
  queryOptions({
    queryKey: keyOf(projectId, "one", name),
    queryFn: async ({ signal }) => (await adminOf(projectId).getFunction(name, { signal })).function,
  });

/** The last runs, newest first; read again and again while `follow`. */
export const runsOf = (projectId: string, name: string, follow: boolean) =>
  queryOptions({
    queryKey: keyOf(projectId, "runs", name),
    queryFn: async ({ signal }) => (await adminOf(projectId).listRuns(name, {}, { signal })).runs,
    refetchInterval: follow ? followEveryMs : false,
  });

export const versionsOf = (projectId: string, name: string) =>
  queryOptions({
    queryKey: keyOf(projectId, "versions", name),
    queryFn: async ({ signal }) => (await adminOf(projectId).listFunctionVersions(name, {}, { signal })).versions,
  });

export const versionOf = (projectId: string, name: string, version: number) =>
  queryOptions({
    queryKey: keyOf(projectId, "versions", name, String(version)),
    queryFn: async ({ signal }) => (await adminOf(projectId).getFunctionVersion(name, String(version), { signal })).version,
    staleTime: Infinity,
  });

/** Reads all of the area again. */
export const refresh = (projectId: string): Promise<void> =>
  queryClient.invalidateQueries({ queryKey: keyOf(projectId) });

/** Drops what was read of a function that is deleted. */
export function forget(projectId: string, name: string): void {
  for (const part of ["one", "runs", "versions"]) queryClient.removeQueries({ queryKey: keyOf(projectId, part, name) });
}

/** Documents to make events of, the newest first. */
export const documentsOf = (projectId: string, collection: string) =>
  queryOptions({
    queryKey: keyOf(projectId, "documents", collection),
    queryFn: async ({ signal }) => {
      const body = { sort: [{ id: -1 }], limit: maxSources };
      try {
        return (await adminOf(projectId).adminQueryDocuments(collection, body, { signal })).documents as Document[];
      } catch (error) {
        // The collection may be created after the function.
        if (isError(error, "NOT_FOUND")) return [];
        throw error;
      }
    },
  });

/** End users to make events of. */
export const usersOf = (projectId: string) =>
  queryOptions({
    queryKey: keyOf(projectId, "users"),
    queryFn: async ({ signal }) => (await adminOf(projectId).listUsers({ limit: maxSources }, { signal })).users,
  });

/** The names of a project's integrations, as proposals; none where the person may not read them. */
export const integrationNamesOf = (projectId: string, perms: readonly string[]) =>
  queryOptions({
    queryKey: [projectId, "integrations", "names"],
    queryFn: async ({ signal }) =>
      can(perms, "integrations:read") ? (await adminOf(projectId).listIntegrations({ signal })).integrations.map(({ name }) => name) : [],
  });
