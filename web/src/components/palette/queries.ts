// What the palette reads of the open project.
import { queryOptions } from "@tanstack/react-query";
import { adminOf } from "../../app/queries";
import { can } from "../../lib/permissions";

/** So many users and documents are proposed for a text. */
const most = 6;

/** The names of functions. */
export const functionNamesOf = (projectId: string, perms: readonly string[]) =>
  queryOptions({
    queryKey: [projectId, "functions", "names"],
    queryFn: async ({ signal }) => (await adminOf(projectId).listFunctions({ signal })).functions.map(({ name }) => name),
    enabled: can(perms, "functions:read"),
  });

export const bucketNamesOf = (projectId: string, perms: readonly string[]) =>
  queryOptions({
    queryKey: [projectId, "buckets", "names"],
    queryFn: async ({ signal }) => (await adminOf(projectId).listBuckets({ signal })).buckets.map(({ name }) => name),
    enabled: can(perms, "storage:read"),
  });

export const keyNamesOf = (projectId: string, perms: readonly string[]) =>
  queryOptions({
    queryKey: [projectId, "keys", "names"],
    queryFn: async ({ signal }) => [...new Set((await adminOf(projectId).listApiKeys({ signal })).apiKeys.map(({ name }) => name))],
    enabled: can(perms, "keys:read"),
  });

/** The users whose address or name begins with a text. */
export const usersWith = (projectId: string, perms: readonly string[], text: string) =>
  queryOptions({
    queryKey: [projectId, "users", "beginning", text],
    queryFn: async ({ signal }) => (await adminOf(projectId).queryUsers({ text, sort: [{ email: 1 }], limit: most }, { signal })).users,
    enabled: can(perms, "users:read") && text.length > 1,
  });

/** The ids of documents that begin with a text. */
export const idsWith = (projectId: string, perms: readonly string[], collection: string, text: string) =>
  queryOptions({
    queryKey: [projectId, "documents", collection, "beginning", text],
    queryFn: async ({ signal }) => {
      const filter = { id: { $gte: text, $lt: `${text}\uffff` } };
      const body = { filter, fields: ["id"], sort: [{ id: 1 }], limit: most };
      const { documents } = await adminOf(projectId).adminQueryDocuments(collection, body, { signal });
      return documents.map(({ id }) => String(id));
    },
    enabled: collection !== "" && text.length > 2 && can(perms, `data:${collection}:list`),
  });
