// What several screens of collections read.
import { queryOptions } from "@tanstack/react-query";
import { adminOf } from "../../app/queries";
import { can } from "../../lib/permissions";

/** The names of a project's collections, as proposals. */
export const collectionNamesOf = (projectId: string, perms: readonly string[]) =>
  queryOptions({
    queryKey: [projectId, "collections", "names"],
    queryFn: async ({ signal }) => (await adminOf(projectId).listCollections({ signal })).collections,
    enabled: can(perms, "collections:read"),
  });

/** The collections of a project with their numbers, by name. */
export const collectionsOf = (projectId: string, perms: readonly string[]) =>
  queryOptions({
    queryKey: [projectId, "collections"],
    queryFn: async ({ signal }) => (await adminOf(projectId).listCollectionStats({ signal })).collections,
    enabled: can(perms, "collections:read"),
  });
