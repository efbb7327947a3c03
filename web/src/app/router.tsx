// All addresses below /dashboard, and what each needs before it is drawn.
import {
  Outlet,
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from "@tanstack/react-router";
import { Shell } from "../components/shell/shell";
import { ownPath } from "../lib/paths";
import { basePath } from "../lib/server";
import { control } from "../session";
import { ErrorPage, MissingPage, RootErrorPage, RootMissingPage } from "./error-page";
import { me, permissions, projectOf, projects, queryClient, setupStatus } from "./queries";

const text = (value: unknown): string | undefined => (typeof value === "string" && value ? value : undefined);

const rootRoute = createRootRoute({
  component: Outlet,
  errorComponent: RootErrorPage,
  notFoundComponent: RootMissingPage,
});

// ---- without a session

/** Where the sign-in leads to. */
const withRedirect = (search: Record<string, unknown>): { redirect?: string } => {
  const path = ownPath(search["redirect"]);
  return path ? { redirect: path } : {};
};

const outside = createRoute({
  getParentRoute: () => rootRoute,
  id: "outside",
  component: Outlet,
  beforeLoad: async ({ search }) => {
    const [signedIn] = await Promise.all([control.restore(), queryClient.ensureQueryData(setupStatus)]);
    if (signedIn) throw redirect({ href: basePath + (withRedirect(search).redirect ?? "/"), reloadDocument: false });
  },
});
const signIn = createRoute({
  getParentRoute: () => outside,
  path: "sign-in",
  validateSearch: withRedirect,
  beforeLoad: async () => {
    const { needsSetup } = await queryClient.ensureQueryData(setupStatus);
    if (needsSetup) throw redirect({ to: "/register" });
  },
  component: lazyRouteComponent(() => import("../features/auth/sign-in"), "SignInPage"),
});
const register = createRoute({
  getParentRoute: () => outside,
  path: "register",
  validateSearch: withRedirect,
  component: lazyRouteComponent(() => import("../features/auth/register"), "RegisterPage"),
});
const secondFactor = createRoute({
  getParentRoute: () => outside,
  path: "second-factor",
  validateSearch: withRedirect,
  component: lazyRouteComponent(() => import("../features/auth/second-factor"), "SecondFactorPage"),
});
const forgot = createRoute({
  getParentRoute: () => outside,
  path: "forgot",
  validateSearch: withRedirect,
  component: lazyRouteComponent(() => import("../features/auth/forgot"), "ForgotPage"),
});

// ---- with a session

const inside = createRoute({
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
const projectList = createRoute({
  getParentRoute: () => inside,
  path: "/",
  validateSearch: (search: Record<string, unknown>): { find?: string; new?: true } => ({
    find: text(search["find"]),
    ...(search["new"] ? { new: true as const } : {}),
  }),
  component: lazyRouteComponent(() => import("../features/projects/projects"), "ProjectsPage"),
});
const project = createRoute({
  getParentRoute: () => inside,
  path: "p/$slug",
  component: Outlet,
  loader: async ({ params }) => {
    const found = await projectOf(params.slug);
    await queryClient.ensureQueryData(permissions(found.id));
    return found;
  },
});
const home = createRoute({
  getParentRoute: () => project,
  path: "/",
  component: lazyRouteComponent(() => import("../features/home/home"), "HomePage"),
});
const account = createRoute({
  getParentRoute: () => inside,
  path: "account",
  component: lazyRouteComponent(() => import("../features/account/account"), "AccountPage"),
});

export const router = createRouter({
  routeTree: rootRoute.addChildren([
    outside.addChildren([signIn, register, secondFactor, forgot]),
    inside.addChildren([projectList, account, project.addChildren([home])]),
  ]),
  basepath: basePath,
  defaultPreload: "intent",
  scrollRestoration: false,
  defaultErrorComponent: ErrorPage,
  defaultNotFoundComponent: MissingPage,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
