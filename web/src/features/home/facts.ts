// What is already done in a project, as far as the person may see it.
import { queryOptions } from "@tanstack/react-query";
import { isError } from "manybase";
import type { AdminMethods, AuditEntry } from "manybase/admin";
import { adminOf } from "../../app/queries";
import { can } from "../../lib/permissions";
import { appRequests } from "./requests";

/** More collections are not read for the first steps: who has so many has begun. */
const maxCollections = 8;

export interface Facts {
  collections: string[];
  /** The collection that the next steps are about. */
  subject: string | undefined;
  policy: boolean;
  document: boolean;
  key: boolean;
  called: boolean;
}

async function some<T>(list: readonly T[], holds: (one: T) => Promise<boolean>): Promise<boolean> {
  for (const one of list) if (await holds(one)) return true;
  return false;
}

async function readFacts(admin: AdminMethods, perms: readonly string[], signal: AbortSignal): Promise<Facts> {
  const options = { signal };
  const { collections } = await admin.listCollections(options);
  const looked = collections.slice(0, maxCollections);
  const hasKey = async () => (await admin.listApiKeys(options)).apiKeys.length > 0;
  const wasCalled = async () => appRequests((await admin.getMetrics(options)).planes).ok > 0;
  const [policy, document, key, called] = await Promise.all([
    can(perms, "policies:read")
      ? some(looked, async (name) => (await admin.getPolicy(name, options)).source !== "default")
      : false,
    some(looked, async (name) => {
      if (!can(perms, `data:${name}:list`)) return false;
      return (await admin.adminListDocuments(name, { limit: 1 }, options)).total > 0;
    }),
    can(perms, "keys:read") && hasKey(),
    can(perms, "ops:read") && wasCalled(),
  ]);
  return { collections, subject: collections[0], policy, document, key, called };
}

export const factsOf = (projectId: string, perms: readonly string[]) =>
  queryOptions({
    queryKey: [projectId, "facts"],
    queryFn: ({ signal }) => readFacts(adminOf(projectId), perms, signal),
    enabled: can(perms, "collections:read"),
  });

export const metricsOf = (projectId: string, perms: readonly string[]) =>
  queryOptions({
    queryKey: [projectId, "metrics"],
    queryFn: ({ signal }) => adminOf(projectId).getMetrics({ signal }),
    enabled: can(perms, "ops:read"),
  });

/** The last entries of the audit record; null where the server keeps none. */
export const changesOf = (projectId: string, perms: readonly string[]) =>
  queryOptions({
    queryKey: [projectId, "changes"],
    queryFn: async ({ signal }): Promise<AuditEntry[] | null> => {
      try {
        return (await adminOf(projectId).listAudit({ limit: 6 }, { signal })).entries;
      } catch (error) {
        if (isError(error, "NOT_FOUND")) return null;
        throw error;
      }
    },
    enabled: can(perms, "audit:read"),
  });
