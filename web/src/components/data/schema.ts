// The schema of a collection, for screens that edit it or offer the names of its fields.
import { queryOptions, useQuery } from "@tanstack/react-query";
import { adminOf } from "../../app/queries";
import { can } from "../../lib/permissions";
import { pathsOf } from "../../lib/schema-fields";
import { useCollection } from "./use-collection";

/** The schema of a collection; null without one. */
export const schemaOf = (projectId: string, collection: string) =>
  queryOptions({
    queryKey: [projectId, "schema", collection],
    queryFn: async ({ signal }) => (await adminOf(projectId).getSchema(collection, { signal })).schema,
    // A text that someone edits is not replaced because the window was looked at again.
    refetchOnWindowFocus: false,
  });

/** The paths of the fields of the open collection, as far as its schema names them. */
export function useFieldPaths(): string[] {
  const { project, perms, name } = useCollection();
  const { data } = useQuery({ ...schemaOf(project.id, name), enabled: can(perms, "collections:read") });
  return pathsOf(data);
}
