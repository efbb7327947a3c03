import { queryOptions } from "@tanstack/react-query";
import { adminOf, queryClient } from "../../app/queries";

/** The providers and redirects of a project; secrets are never read. */
export const oauthOf = (projectId: string) =>
  queryOptions({
    queryKey: [projectId, "sign-in-methods"],
    queryFn: ({ signal }) => adminOf(projectId).getOauth({ signal }),
  });

export const oauthChanged = (projectId: string) => queryClient.invalidateQueries({ queryKey: [projectId, "sign-in-methods"] });
