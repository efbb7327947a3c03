// The screens of those who operate the server.
import { Outlet, createRoute, lazyRouteComponent, redirect } from "@tanstack/react-router";
import { me, queryClient, setupStatus } from "../queries";
import { inside } from "../roots";
import { mustExist } from "./exist";
import { auditSearch, text, yes, type Search } from "../search";

const root = createRoute({
  getParentRoute: () => inside,
  path: "operator",
  component: Outlet,
  loader: async () => {
    const [server, { user }] = await Promise.all([queryClient.ensureQueryData(setupStatus), queryClient.ensureQueryData(me)]);
    mustExist(server.operatorsEnabled && user.platformRole === "super-admin");
  },
});
const home = createRoute({
  getParentRoute: () => root,
  path: "/",
  beforeLoad: () => {
    throw redirect({ to: "/operator/users", replace: true });
  },
});
const withBilling = async () => mustExist((await queryClient.ensureQueryData(setupStatus)).billingEnabled);

const users = createRoute({
  getParentRoute: () => root,
  path: "users",
  // A part of an address, name or id.
  validateSearch: (search: Search): { find?: string } => ({ find: text(search["find"]) }),
  component: lazyRouteComponent(() => import("../../features/operator/users"), "UsersPage"),
});
/** One user next to the list. */
const user = createRoute({
  getParentRoute: () => users,
  path: "$user",
  component: lazyRouteComponent(() => import("../../features/operator/user-panel"), "UserPanel"),
});
const plans = createRoute({
  getParentRoute: () => root,
  path: "plans",
  // The plan that is being changed.
  validateSearch: (search: Search): { plan?: string } => ({ plan: text(search["plan"]) }),
  loader: withBilling,
  component: lazyRouteComponent(() => import("../../features/operator/plans"), "PlansPage"),
});
const costModel = createRoute({
  getParentRoute: () => root,
  path: "cost-model",
  // What is calculated: the use of a month.
  validateSearch: (search: Search): { gib?: string; runs?: string; vectors?: string; connections?: string } => ({
    gib: text(search["gib"]),
    runs: text(search["runs"]),
    vectors: text(search["vectors"]),
    connections: text(search["connections"]),
  }),
  loader: withBilling,
  component: lazyRouteComponent(() => import("../../features/operator/cost-model"), "CostModelPage"),
});
const costs = createRoute({
  getParentRoute: () => root,
  path: "costs",
  // Days, both inclusive.
  validateSearch: (search: Search): { from?: string; to?: string } => ({ from: text(search["from"]), to: text(search["to"]) }),
  loader: withBilling,
  component: lazyRouteComponent(() => import("../../features/operator/costs"), "CostsPage"),
});
const operators = createRoute({
  getParentRoute: () => root,
  path: "operators",
  validateSearch: (search: Search): { new?: true } => ({ new: yes(search["new"]) }),
  component: lazyRouteComponent(() => import("../../features/operator/operators"), "OperatorsPage"),
});
const jobs = createRoute({
  getParentRoute: () => root,
  path: "jobs",
  component: lazyRouteComponent(() => import("../../features/operator/jobs"), "JobsPage"),
});
const audit = createRoute({
  getParentRoute: () => root,
  path: "audit",
  validateSearch: auditSearch,
  component: lazyRouteComponent(() => import("../../features/operator/audit"), "AuditPage"),
});

export const operator = root.addChildren([
  home,
  users.addChildren([user]),
  plans,
  costModel,
  costs,
  operators,
  jobs,
  audit,
]);
