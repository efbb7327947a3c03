import { queryOptions } from "@tanstack/react-query";
import { adminOf } from "../../app/queries";

const whileBuildingMs = 1_500;

/** The indexes of a collection, read again while one is built. */
export const indexesOf = (projectId: string, collection: string) =>
  queryOptions({
    queryKey: [projectId, "indexes", collection],
    queryFn: async ({ signal }) => (await adminOf(projectId).listIndexes(collection, { signal })).indexes,
    refetchInterval: ({ state }) => (state.data?.some((one) => one.building) ? whileBuildingMs : false),
  });
