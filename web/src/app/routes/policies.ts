// The addresses of policies: that of a collection, and what all collections of a project share.
import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { policySearch } from "../../features/policies/search";
import { project } from "../roots";
import { collection } from "./data";

export const policy = createRoute({
  getParentRoute: () => collection,
  path: "policy",
  validateSearch: policySearch,
  component: lazyRouteComponent(() => import("../../features/policies/policy-page"), "PolicyPage"),
});

export const projectPolicies = createRoute({
  getParentRoute: () => project,
  path: "policies",
  validateSearch: policySearch,
  component: lazyRouteComponent(() => import("../../features/policies/project-page"), "ProjectPoliciesPage"),
});
