// What is read of documents that refer to others.
import { queryOptions } from "@tanstack/react-query";
import { adminOf, queryClient } from "../../app/queries";
import { collectionsOf } from "../../components/data/queries";
import { schemaOf } from "../../components/data/schema";
import type { Fields } from "../../lib/json";
import { can } from "../../lib/permissions";
import { documentsKey } from "./queries";
import { referencesOf, searchFilter, usersName } from "./references";
import type { Schema } from "./values";

const maxFound = 20;

/** Documents of a collection by a text; end users by the beginning of address or name. */
export const foundOf = (projectId: string, collection: string, text: string, maySchema: boolean) =>
  queryOptions({
    queryKey: [...documentsKey(projectId, collection), "found", text],
    queryFn: async ({ signal }): Promise<Fields[]> => {
      const admin = adminOf(projectId);
      if (collection === usersName) {
        const { users } = await admin.queryUsers({ ...(text.trim() ? { text: text.trim() } : {}), limit: maxFound }, { signal });
        return users as unknown as Fields[];
      }
      const schema = maySchema && text.trim() ? await queryClient.fetchQuery({ ...schemaOf(projectId, collection), staleTime: 60_000 }) : undefined;
      const { documents } = await admin.adminQueryDocuments(collection, { filter: searchFilter(text, schema as Schema), limit: maxFound }, { signal });
      return documents as Fields[];
    },
  });

/** The documents that have these ids. */
export const referredOf = (projectId: string, collection: string, ids: readonly string[]) =>
  queryOptions({
    queryKey: [...documentsKey(projectId, collection), "referred", ids],
    queryFn: async ({ signal }): Promise<Fields[]> => {
      const { documents } = await adminOf(projectId).adminQueryDocuments(collection, { filter: { id: { $in: ids } }, limit: ids.length }, { signal });
      return documents as Fields[];
    },
    enabled: ids.length > 0 && collection !== usersName,
  });

/** Schemas of more collections are not searched for references. */
const maxSchemas = 200;
const inFlight = 4;

export interface Referrer {
  /** Whose documents refer. */
  from: string;
  path: string;
}

/** The fields of all collections that refer to one; `searched` of `all` schemas were read. */
export const referrersOf = (projectId: string, perms: readonly string[], collection: string) =>
  queryOptions({
    queryKey: [projectId, "referrers", collection],
    queryFn: async () => {
      const all = (await queryClient.ensureQueryData(collectionsOf(projectId, perms))).filter(({ schema }) => schema).map(({ name }) => name);
      const waiting = all.slice(0, maxSchemas);
      const found = new Map<string, Referrer[]>();
      const work = async () => {
        for (let from = waiting.pop(); from !== undefined; from = waiting.pop()) {
          const schema = (await queryClient.fetchQuery({ ...schemaOf(projectId, from), staleTime: 60_000 })) as Schema;
          const fields = referencesOf(schema).filter((one) => one.collection === collection);
          found.set(from, [...new Set(fields.map(({ path }) => path))].map((path) => ({ from: from!, path })));
        }
      };
      await Promise.all(Array.from({ length: inFlight }, work));
      const referrers = all.flatMap((from) => found.get(from) ?? []);
      return { referrers, searched: Math.min(all.length, maxSchemas), all: all.length };
    },
    enabled: can(perms, "collections:read"),
  });

const maxReferring = 10;

/** The documents that refer to one by a field: the first, and how many. */
export const referringOf = (projectId: string, { from, path }: Referrer, id: string) =>
  queryOptions({
    queryKey: [...documentsKey(projectId, from), "referring", path, id],
    queryFn: async ({ signal }) => {
      const body = { filter: { [path]: id }, limit: maxReferring, total: true };
      const { documents, total } = await adminOf(projectId).adminQueryDocuments(from, body, { signal });
      return { documents: documents as Fields[], total: total ?? documents.length };
    },
  });
