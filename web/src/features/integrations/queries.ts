// What the screens of integrations read.
import { queryOptions } from "@tanstack/react-query";
import { adminOf, queryClient } from "../../app/queries";
import { can } from "../../lib/permissions";
import { providerOf } from "./catalogue";

const keyOf = (projectId: string, ...parts: string[]) => [projectId, "integrations", ...parts];

export const integrationsOf = (projectId: string) =>
  queryOptions({
    queryKey: keyOf(projectId, "list"),
    queryFn: async ({ signal }) => (await adminOf(projectId).listIntegrations({ signal })).integrations,
  });

export const integrationOf = (projectId: string, name: string) =>
  queryOptions({
    queryKey: keyOf(projectId, "one", name),
    queryFn: async ({ signal }) => (await adminOf(projectId).getIntegration(name, { signal })).integration,
  });

/** The catalogue: it changes with the version of the server alone. */
export const providersOf = (projectId: string) =>
  queryOptions({
    queryKey: [projectId, "integration-providers"],
    queryFn: async ({ signal }) => (await adminOf(projectId).listProviders({ signal })).providers.map(providerOf),
    staleTime: Infinity,
  });

/** The names of the plain variables, which a configuration may name. */
export const plainVariablesOf = (projectId: string, perms: readonly string[]) =>
  queryOptions({
    queryKey: [projectId, "variables", "plain"],
    queryFn: async ({ signal }) => {
      const { variables } = await adminOf(projectId).listVariables({ signal });
      return variables.filter(({ secret }) => !secret).map(({ name }) => name);
    },
    enabled: can(perms, "variables:read"),
  });

/** Reads all of the area again. */
export const integrationsChanged = (projectId: string): Promise<void> =>
  queryClient.invalidateQueries({ queryKey: keyOf(projectId) });

/** Drops what was read of an integration that is deleted. */
export const forget = (projectId: string, name: string): void =>
  queryClient.removeQueries({ queryKey: keyOf(projectId, "one", name) });
