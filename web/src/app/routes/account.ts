// The screens of the account below it: the connections of the person, and what the person pays for.
import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { queryClient, setupStatus } from "../queries";
import { inside } from "../roots";
import { mustExist } from "./exist";
import { connectionSearch, oneOf, type ConnectionSearch, type Search } from "../search";

export const billing = createRoute({
  getParentRoute: () => inside,
  path: "account/billing",
  // How the person left the page of the payment provider.
  validateSearch: (search: Search): { checkout?: "success" | "canceled" } => ({ checkout: oneOf(search["checkout"], "success", "canceled") }),
  loader: async () => mustExist((await queryClient.ensureQueryData(setupStatus)).billingEnabled),
  component: lazyRouteComponent(() => import("../../features/billing/billing"), "BillingPage"),
});
export const ownConnections = createRoute({
  getParentRoute: () => inside,
  path: "account/connections",
  validateSearch: (search: Search): ConnectionSearch => connectionSearch(search),
  loader: () => queryClient.ensureQueryData(setupStatus),
  component: lazyRouteComponent(() => import("../../features/connections/account"), "OwnConnectionsPage"),
});
