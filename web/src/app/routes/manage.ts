// The screens that administer a project: environments, configuration, variables, members, connections, audit, usage, settings.
import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { queryClient, setupStatus } from "../queries";
import { project } from "../roots";
import { auditSearch, connectionSearch, oneOf, text, yes, type ConnectionSearch, type Search } from "../search";

const environments = createRoute({
  getParentRoute: () => project,
  path: "environments",
  validateSearch: (search: Search): { new?: true } => ({ new: yes(search["new"]) }),
  component: lazyRouteComponent(() => import("../../features/environments/environments"), "EnvironmentsPage"),
});
const promotion = createRoute({
  getParentRoute: () => project,
  path: "environments/promote",
  // The ids of the two projects.
  validateSearch: (search: Search): { from?: string; to?: string } => ({ from: text(search["from"]), to: text(search["to"]) }),
  component: lazyRouteComponent(() => import("../../features/environments/promotion"), "PromotionPage"),
});
const configuration = createRoute({
  getParentRoute: () => project,
  path: "configuration",
  validateSearch: (search: Search): { tab?: "import" } => ({ tab: oneOf(search["tab"], "import") }),
  component: lazyRouteComponent(() => import("../../features/configuration/configuration"), "ConfigurationPage"),
});
const variables = createRoute({
  getParentRoute: () => project,
  path: "variables",
  validateSearch: (search: Search): { find?: string } => ({ find: text(search["find"]) }),
  component: lazyRouteComponent(() => import("../../features/variables/variables"), "VariablesPage"),
});
const members = createRoute({
  getParentRoute: () => project,
  path: "members",
  validateSearch: (search: Search): { new?: true } => ({ new: yes(search["new"]) }),
  component: lazyRouteComponent(() => import("../../features/members/members"), "MembersPage"),
});
const connections = createRoute({
  getParentRoute: () => project,
  path: "connections",
  validateSearch: (search: Search): ConnectionSearch => connectionSearch(search),
  loader: () => queryClient.ensureQueryData(setupStatus),
  component: lazyRouteComponent(() => import("../../features/connections/project"), "ProjectConnectionsPage"),
});
const audit = createRoute({
  getParentRoute: () => project,
  path: "audit",
  validateSearch: auditSearch,
  component: lazyRouteComponent(() => import("../../features/audit/audit"), "AuditPage"),
});
const usage = createRoute({
  getParentRoute: () => project,
  path: "usage",
  validateSearch: (search: Search): { window?: "24h" | "7d" } => ({ window: oneOf(search["window"], "24h", "7d") }),
  component: lazyRouteComponent(() => import("../../features/usage/usage"), "UsagePage"),
});
const settings = createRoute({
  getParentRoute: () => project,
  path: "settings",
  component: lazyRouteComponent(() => import("../../features/settings/settings"), "SettingsPage"),
});

export const manage = [environments, promotion, configuration, variables, members, connections, audit, usage, settings] as const;
