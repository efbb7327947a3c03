// The addresses of integrations.
import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { project } from "../roots";
import { oneOf, text, type Search } from "../search";

const integrationTabs = ["try", "tests", "settings"] as const;

export interface IntegrationSearch {
  tab?: (typeof integrationTabs)[number] | undefined;
  /** The operation that is tried. */
  op?: string | undefined;
  mode?: "live" | undefined;
}

const list = createRoute({
  getParentRoute: () => project,
  path: "integrations",
  // `new` is the provider of one that is created.
  validateSearch: (search: Search): { find?: string | undefined; new?: string | undefined } => ({
    find: text(search["find"]),
    new: text(search["new"]),
  }),
  component: lazyRouteComponent(() => import("../../features/integrations/integrations"), "IntegrationsPage"),
});
const one = createRoute({
  getParentRoute: () => project,
  path: "integrations/$name",
  validateSearch: (search: Search): IntegrationSearch => ({
    tab: oneOf(search["tab"], ...integrationTabs),
    op: text(search["op"]),
    mode: oneOf(search["mode"], "live"),
  }),
  component: lazyRouteComponent(() => import("../../features/integrations/integration"), "IntegrationPage"),
});

export const integrations = [list, one] as const;
