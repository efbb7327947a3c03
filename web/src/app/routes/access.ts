// The screens of those who may call a project: keys, users, roles, ways to sign in.
import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { project } from "../roots";
import { oneOf, text, yes, type Search } from "../search";

const keys = createRoute({
  getParentRoute: () => project,
  path: "keys",
  validateSearch: (search: Search): { find?: string; new?: true } => ({ find: text(search["find"]), new: yes(search["new"]) }),
  component: lazyRouteComponent(() => import("../../features/keys/keys"), "KeysPage"),
});

export interface UserSearch {
  find?: string;
  status?: "active" | "inactive" | "blocked";
  role?: string;
  verified?: "yes" | "no";
  sort?: "oldest" | "email" | "name" | "changed";
  new?: true;
}

const users = createRoute({
  getParentRoute: () => project,
  path: "users",
  validateSearch: (search: Search): UserSearch => ({
    find: text(search["find"]),
    status: oneOf(search["status"], "active", "inactive", "blocked"),
    role: text(search["role"]),
    verified: oneOf(search["verified"], "yes", "no"),
    sort: oneOf(search["sort"], "oldest", "email", "name", "changed"),
    new: yes(search["new"]),
  }),
  component: lazyRouteComponent(() => import("../../features/users/users"), "UsersPage"),
});

const user = createRoute({
  getParentRoute: () => users,
  path: "$user",
  component: lazyRouteComponent(() => import("../../features/users/user-panel"), "UserPanel"),
});

const roles = createRoute({
  getParentRoute: () => project,
  path: "roles",
  // Member roles without `of`. `copy` is the role that a new one begins with.
  validateSearch: (search: Search): { of?: "users"; new?: true; copy?: string } => ({
    of: oneOf(search["of"], "users"),
    new: yes(search["new"]),
    copy: text(search["copy"]),
  }),
  component: lazyRouteComponent(() => import("../../features/roles/roles"), "RolesPage"),
});

const role = createRoute({
  getParentRoute: () => project,
  path: "roles/$of/$role",
  component: lazyRouteComponent(() => import("../../features/roles/role"), "RolePage"),
});

const signInMethods = createRoute({
  getParentRoute: () => project,
  path: "sign-in-methods",
  // The provider whose settings are open; "new" for another one.
  validateSearch: (search: Search): { provider?: string } => ({ provider: text(search["provider"]) }),
  component: lazyRouteComponent(() => import("../../features/sign-in-methods/sign-in-methods"), "SignInMethodsPage"),
});

export const access = [keys, users.addChildren([user]), roles, role, signInMethods] as const;
