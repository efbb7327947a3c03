// The addresses of webhooks.
import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { project } from "../roots";
import { oneOf, text, yes, type Search } from "../search";

const webhookTabs = ["deliveries", "settings", "verify"] as const;
type WebhookTab = (typeof webhookTabs)[number];

const list = createRoute({
  getParentRoute: () => project,
  path: "webhooks",
  validateSearch: (search: Search): { find?: string } => ({ find: text(search["find"]) }),
  component: lazyRouteComponent(() => import("../../features/webhooks/webhooks"), "WebhooksPage"),
});
const one = createRoute({
  getParentRoute: () => project,
  path: "webhooks/$name",
  validateSearch: (search: Search): { tab?: WebhookTab; failed?: true } => ({
    tab: oneOf(search["tab"], ...webhookTabs),
    failed: yes(search["failed"]),
  }),
  component: lazyRouteComponent(() => import("../../features/webhooks/webhook"), "WebhookPage"),
});

export const webhooks = [list, one] as const;
