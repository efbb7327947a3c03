// What the screen reads and writes.
import { adminOf, projectChanged, queryClient } from "../../app/queries";
import { schemaOf } from "../../components/data/schema";
import { inferSchema } from "./infer";
import type { Json } from "../../lib/schema-fields";

const inferredFrom = 200;

/** The schema as the server has it now. */
export const readSchema = (projectId: string, collection: string) =>
  queryClient.fetchQuery({ ...schemaOf(projectId, collection), staleTime: 0 });

/** How many stored documents a schema would refuse, with the first of them. */
export const checkSchema = (projectId: string, collection: string, schema: Json) =>
  adminOf(projectId).checkSchema(collection, { schema });

export async function saveSchema(projectId: string, collection: string, schema: Json): Promise<void> {
  await adminOf(projectId).setSchema(collection, schema);
  queryClient.setQueryData(schemaOf(projectId, collection).queryKey, schema);
  void projectChanged(projectId);
}

export async function removeSchema(projectId: string, collection: string): Promise<void> {
  await adminOf(projectId).removeSchema(collection);
  queryClient.setQueryData(schemaOf(projectId, collection).queryKey, null);
  void projectChanged(projectId);
}

/** A schema that the first documents fit, and how many they were. */
export async function inferredSchema(projectId: string, collection: string): Promise<{ schema: Json; documents: number }> {
  const { documents } = await adminOf(projectId).adminListDocuments(collection, { limit: inferredFrom });
  return { schema: inferSchema(documents.map((one) => ({ ...one }))), documents: documents.length };
}
