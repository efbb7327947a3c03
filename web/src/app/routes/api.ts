// The addresses of the screens that show how programs call a project, and what changes in it.
import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { changeTypes } from "../../lib/changes";
import { project } from "../roots";
import { oneOf, text, type Search } from "../search";

const otherLanguages = ["curl", "graphql"] as const;

export interface ApiSearch {
  collection?: string | undefined;
  /** Without it, TypeScript. */
  language?: (typeof otherLanguages)[number] | undefined;
}

export const api = createRoute({
  getParentRoute: () => project,
  path: "api",
  validateSearch: (search: Search): ApiSearch => ({
    collection: text(search["collection"]),
    language: oneOf(search["language"], ...otherLanguages),
  }),
  component: lazyRouteComponent(() => import("../../features/api/api"), "ApiPage"),
});

export interface RealtimeSearch {
  collection?: string | undefined;
  /** Some of the types of changes, with commas; all without it. */
  events?: string | undefined;
  /** JSON. */
  filter?: string | undefined;
}

function eventsOf(value: unknown): string | undefined {
  const named = text(value)?.split(",") ?? [];
  const chosen = changeTypes.filter((type) => named.includes(type));
  return chosen.length > 0 && chosen.length < changeTypes.length ? chosen.join(",") : undefined;
}

export const realtime = createRoute({
  getParentRoute: () => project,
  path: "api/realtime",
  validateSearch: (search: Search): RealtimeSearch => ({
    collection: text(search["collection"]),
    events: eventsOf(search["events"]),
    filter: text(search["filter"]),
  }),
  component: lazyRouteComponent(() => import("../../features/api/realtime"), "RealtimePage"),
});
