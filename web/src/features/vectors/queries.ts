// What the screen reads and writes.
import { queryOptions } from "@tanstack/react-query";
import type { VectorConfigView, VectorField, VectorFieldInput } from "manybase/admin";
import { clientOf } from "../../app/client";
import { adminOf, queryClient } from "../../app/queries";
import type { Search } from "./model";

const whileChangingMs = 2_000;

const isChanging = (view: VectorConfigView | undefined): boolean =>
  view?.indexes.some(({ state, embedding }) => state === "building" || state === "loading" || (embedding?.waiting ?? 0) > 0) ?? false;

/** The vector config of a collection with the state of its indexes, read again while that changes. */
export const vectorsOf = (projectId: string, collection: string) =>
  queryOptions({
    queryKey: [projectId, "vectors", collection],
    queryFn: ({ signal }) => adminOf(projectId).getVectorConfig(collection, { signal }),
    refetchInterval: ({ state }) => (isChanging(state.data) ? whileChangingMs : false),
  });

/** Sets the vector fields of a collection; without any the config is removed. */
export async function setFields(projectId: string, collection: string, fields: readonly (VectorField | VectorFieldInput)[]): Promise<void> {
  const admin = adminOf(projectId);
  if (fields.length) await admin.setVectorConfig(collection, { fields: [...fields] });
  else await admin.removeVectorConfig(collection);
  await queryClient.invalidateQueries({ queryKey: [projectId, "vectors", collection] });
}

/** A document of the collection. */
export const readDocument = (projectId: string, collection: string, id: string) =>
  adminOf(projectId).adminGetDocument(collection, id);

/** Searches as an app would, as the person who is signed in: the policy decides what is found. */
export const searchOf = (projectId: string, collection: string, search: Search | undefined) =>
  queryOptions({
    queryKey: [projectId, "vectors", collection, "search", search],
    queryFn: ({ signal }) => clientOf(projectId).collection(collection).search({ ...search, signal }),
    enabled: search !== undefined,
    staleTime: Infinity,
    // Each search of a text costs the endpoint a call.
    refetchOnWindowFocus: false,
    retry: false,
  });
