// All addresses below /dashboard, and what each needs before it is drawn. Those of an area of a project are in routes/.
import { createRoute, createRouter, lazyRouteComponent, redirect } from "@tanstack/react-router";
import { exampleNamed, type ExampleName } from "../components/examples/names";
import { basePath } from "../lib/server";
import { ErrorPage, MissingPage } from "./error-page";
import { setupStatus, queryClient } from "./queries";
import { inside, outside, project, rootRoute, withRedirect } from "./roots";
import { access } from "./routes/access";
import { api, realtime } from "./routes/api";
import { billing, ownConnections } from "./routes/account";
import { collection, data, dataHome, document, documents } from "./routes/data";
import { database } from "./routes/database";
import { files } from "./routes/files";
import { flowScreen, functionScreen, functions } from "./routes/functions";
import { integrations } from "./routes/integrations";
import { manage } from "./routes/manage";
import { operator } from "./routes/operator";
import { policy, projectPolicies } from "./routes/policies";
import { indexes, schema, vectors } from "./routes/structure";
import { webhooks } from "./routes/webhooks";
import { parseSearch, stringifySearch, text, yes, type Search } from "./search";

// ---- without a session

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
const acceptInvite = createRoute({
  getParentRoute: () => outside,
  path: "accept-invite",
  component: lazyRouteComponent(() => import("../features/auth/accept-invite"), "AcceptInvitePage"),
});

// ---- with a session

const projectList = createRoute({
  getParentRoute: () => inside,
  path: "/",
  validateSearch: (search: Search): { find?: string; new?: true } => ({
    find: text(search["find"]),
    new: yes(search["new"]),
  }),
  component: lazyRouteComponent(() => import("../features/projects/projects"), "ProjectsPage"),
});
const home = createRoute({
  getParentRoute: () => project,
  path: "/",
  // The example that the project was created with.
  validateSearch: (search: Search): { example?: ExampleName } => ({ example: exampleNamed(search["example"]) }),
  component: lazyRouteComponent(() => import("../features/home/home"), "HomePage"),
});
const account = createRoute({
  getParentRoute: () => inside,
  path: "account",
  component: lazyRouteComponent(() => import("../features/account/account"), "AccountPage"),
});

export const router = createRouter({
  routeTree: rootRoute.addChildren([
    outside.addChildren([signIn, register, secondFactor, forgot, acceptInvite]),
    inside.addChildren([
      projectList,
      account,
      billing,
      ownConnections,
      operator,
      project.addChildren([
        home,
        data.addChildren([dataHome, collection.addChildren([documents, document, schema, policy, indexes, vectors])]),
        ...database,
        ...files,
        api,
        realtime,
        functions,
        functionScreen,
        flowScreen,
        ...integrations,
        ...webhooks,
        projectPolicies,
        ...access,
        ...manage,
      ]),
    ]),
  ]),
  basepath: basePath,
  parseSearch,
  stringifySearch,
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
