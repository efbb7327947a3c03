// The addresses of a project's functions.
import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { project } from "../roots";
import { oneOf, positive, text, yes, type Search } from "../search";

export interface FunctionsSearch {
  /** A part of names and triggers. */
  find?: string;
  /** A kind of trigger. */
  trigger?: string;
  new?: true;
}

export const functions = createRoute({
  getParentRoute: () => project,
  path: "functions",
  validateSearch: (search: Search): FunctionsSearch => ({
    find: text(search["find"]),
    trigger: text(search["trigger"]),
    new: yes(search["new"]),
  }),
  component: lazyRouteComponent(() => import("../../features/functions/list"), "FunctionsPage"),
});

export interface FunctionSearch {
  tab?: "tests" | "versions";
  /** The id of the open run. */
  run?: string;
  /** The number of the open version. */
  version?: number;
}

export const functionScreen = createRoute({
  getParentRoute: () => project,
  path: "functions/$name",
  validateSearch: (search: Search): FunctionSearch => ({
    tab: oneOf(search["tab"], "tests", "versions"),
    run: text(search["run"]),
    version: positive(search["version"]),
  }),
  component: lazyRouteComponent(() => import("../../features/functions/function"), "FunctionPage"),
});

export interface FlowSearch {
  /** The id of the chosen node. */
  node?: string;
  /** By the width of the window without it. */
  view?: "canvas" | "list";
  /** What is next to the flow; without it the settings of the node. */
  side?: "code" | "event";
  /** The id of the open run. */
  run?: string;
}

export const flowScreen = createRoute({
  getParentRoute: () => project,
  path: "functions/$name/flow",
  validateSearch: (search: Search): FlowSearch => ({
    node: text(search["node"]),
    view: oneOf(search["view"], "canvas", "list"),
    side: oneOf(search["side"], "code", "event"),
    run: text(search["run"]),
  }),
  component: lazyRouteComponent(() => import("../../features/functions/flow/flow-page"), "FlowPage"),
});
