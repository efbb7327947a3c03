// The variables of a project.
import { queryOptions } from "@tanstack/react-query";
import { adminOf } from "../../app/queries";

export const variablesOf = (projectId: string) =>
  queryOptions({
    queryKey: [projectId, "variables"],
    queryFn: async ({ signal }) => (await adminOf(projectId).listVariables({ signal })).variables,
  });
