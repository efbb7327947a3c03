// What the screens of policies read, and what every change makes stale.
import { queryOptions } from "@tanstack/react-query";
import type { Permission } from "./rights";
import { adminOf, queryClient } from "../../app/queries";
import { isObject, type JsonObject } from "./model/json";

/** The name under which the server keeps the default policy. */
export const defaultPolicy = "*";

const keyOf = (projectId: string, ...more: string[]) => [projectId, "policies", ...more];

export const policyOf = (projectId: string, collection: string) =>
  queryOptions({
    queryKey: keyOf(projectId, "policy", collection),
    queryFn: async ({ signal }) => {
      const { policy, source } = await adminOf(projectId).getPolicy(collection, { signal });
      return { policy: policy as JsonObject, source };
    },
  });

export const setsOf = (projectId: string) =>
  queryOptions({
    queryKey: keyOf(projectId, "sets"),
    queryFn: async ({ signal }) => (await adminOf(projectId).listPolicySets({ signal })).sets,
  });

export const testsOf = (projectId: string, collection: string) =>
  queryOptions({
    queryKey: keyOf(projectId, "tests", collection),
    queryFn: async ({ signal }) => (await adminOf(projectId).getPolicyTests(collection, { signal })).tests,
  });

/** The roles of end users, with what they hold. */
export const rolesOf = (projectId: string, may: Permission) =>
  queryOptions({
    queryKey: keyOf(projectId, "roles"),
    queryFn: async ({ signal }) => (await adminOf(projectId).listEndUserRoles({ signal })).enduserRoles,
    enabled: may("roles:read"),
  });

export const keysOf = (projectId: string) =>
  queryOptions({
    queryKey: keyOf(projectId, "keys"),
    queryFn: async ({ signal }) => (await adminOf(projectId).listApiKeys({ signal })).apiKeys,
  });

/** Users whose address or name begins with a text. */
export const usersOf = (projectId: string, text: string) =>
  queryOptions({
    queryKey: keyOf(projectId, "users", text),
    queryFn: async ({ signal }) =>
      (await adminOf(projectId).queryUsers({ limit: 20, ...(text && { text }) }, { signal })).users,
  });

export const collectionNamesOf = (projectId: string, may: Permission) =>
  queryOptions({
    queryKey: keyOf(projectId, "collections"),
    queryFn: async ({ signal }) => (await adminOf(projectId).listCollections({ signal })).collections,
    enabled: may("collections:read"),
  });

/** The names of a collection's indexed fields that stand first in an index for all documents. */
export const indexedOf = (projectId: string, collection: string, may: Permission) =>
  queryOptions({
    queryKey: keyOf(projectId, "indexes", collection),
    queryFn: async ({ signal }) => {
      const { indexes } = await adminOf(projectId).listIndexes(collection, { signal });
      return indexes.filter((one) => !one.partialFilter).map((one) => Object.keys(one.keys)[0]!);
    },
    enabled: collection !== "" && may("collections:read"),
  });

/** Reads the paths of a schema's properties, with those of objects inside. */
function schemaPaths(schema: unknown, before = "", depth = 0): string[] {
  const properties = isObject(schema) ? schema["properties"] : undefined;
  if (!isObject(properties) || depth > 3) return [];
  return Object.entries(properties).flatMap(([name, one]) => [before + name, ...schemaPaths(one, `${before}${name}.`, depth + 1)]);
}

const maxFields = 200;

/** The latest documents of a collection, to choose from. */
export const latestOf = (projectId: string, collection: string, may: Permission) =>
  queryOptions({
    queryKey: keyOf(projectId, "latest", collection),
    queryFn: async ({ signal }) => {
      const request = { limit: 20, sort: [{ id: -1 }] };
      return (await adminOf(projectId).adminQueryDocuments(collection, request, { signal })).documents as JsonObject[];
    },
    enabled: collection !== "" && collection !== defaultPolicy && may(`data:${collection}:list`),
  });

/** The fields that a collection's documents have: those of its schema, else of its latest documents. */
export const fieldsOf = (projectId: string, collection: string, may: Permission) =>
  queryOptions({
    queryKey: keyOf(projectId, "fields", collection),
    queryFn: async ({ signal }) => {
      const own = ["ownerId", "id", "createdAt", "updatedAt"];
      const { schema } = await adminOf(projectId).getSchema(collection, { signal });
      const declared = schemaPaths(schema);
      const latest = latestOf(projectId, collection, may);
      const found =
        declared.length || latest.enabled === false ? [] : (await queryClient.ensureQueryData(latest)).flatMap(Object.keys);
      return [...new Set([...declared, ...found, ...own])].slice(0, maxFields);
    },
    enabled: collection !== "" && collection !== defaultPolicy && may("collections:read"),
  });
