// The routes that others are below: without a session, with one, and those of a project.
import { Outlet, createRootRoute, createRoute, redirect } from "@tanstack/react-router";
import { Shell } from "../components/shell/shell";
import { ownPath } from "../lib/paths";
import { basePath } from "../lib/server";
import { control } from "../session";
import { RootErrorPage, RootMissingPage } from "./error-page";
import { me, permissions, projectOf, projects, queryClient, setupStatus } from "./queries";

export const rootRoute = createRootRoute({
  component: Outlet,
  errorComponent: RootErrorPage,
  notFoundComponent: RootMissingPage,
});

/** Where the sign-in leads to. */
export const withRedirect = (search: Record<string, unknown>): { redirect?: string } => {
  const path = ownPath(search["redirect"]);
  return path ? { redirect: path } : {};
};

export const outside = createRoute({
  getParentRoute: () => rootRoute,
  id: "outside",
  component: Outlet,
  beforeLoad: async ({ search }) => {
    const [signedIn] = await Promise.all([control.restore(), queryClient.ensureQueryData(setupStatus)]);
    if (signedIn) throw redirect({ href: basePath + (withRedirect(search).redirect ?? "/"), reloadDocument: false });
  },
});

export const inside = createRoute({
  getParentRoute: () => rootRoute,
  id: "inside",
  component: Shell,
  beforeLoad: async ({ location }) => {
    if (await control.restore()) return;
    const path = location.href.slice(location.href.startsWith(basePath) ? basePath.length : 0) || "/";
    throw redirect({ to: "/sign-in", search: path === "/" ? {} : { redirect: path } });
  },
  loader: () => Promise.all([queryClient.ensureQueryData(me), queryClient.ensureQueryData(projects)]),
});

export const project = createRoute({
  getParentRoute: () => inside,
  path: "p/$slug",
  component: Outlet,
  loader: async ({ params }) => {
    const found = await projectOf(params.slug);
    await queryClient.ensureQueryData(permissions(found.id));
    return found;
  },
});
