// The scenarios as one page: run(name, setup) gives the error's text, or null. faults… and planes… are for servers.
import { Context } from "./context.mjs";
import * as auth from "./scenarios/auth.mjs";
import * as cookies from "./scenarios/cookies.mjs";
import * as cursors from "./scenarios/cursors.mjs";
import * as documents from "./scenarios/documents.mjs";
import * as exact from "./scenarios/exact.mjs";
import * as files from "./scenarios/files.mjs";
import * as functions from "./scenarios/functions.mjs";
import * as graphql from "./scenarios/graphql.mjs";
import * as live from "./scenarios/live.mjs";
import * as live_edges from "./scenarios/live_edges.mjs";
import * as live_writes from "./scenarios/live_writes.mjs";
import * as password from "./scenarios/password.mjs";
import * as queries from "./scenarios/queries.mjs";
import * as realtime from "./scenarios/realtime.mjs";
import * as sessions from "./scenarios/sessions.mjs";
import * as sign_in from "./scenarios/sign_in.mjs";
import * as sockets from "./scenarios/sockets.mjs";
import * as subscriptions from "./scenarios/subscriptions.mjs";
import * as updates from "./scenarios/updates.mjs";
import * as uploads from "./scenarios/uploads.mjs";
import * as values from "./scenarios/values.mjs";
import * as versions from "./scenarios/versions.mjs";
import * as control from "./pages/control.mjs";
import * as frozen from "./pages/frozen.mjs";
import * as hooks from "./pages/hooks.mjs";
import * as load from "./pages/load.mjs";
import * as tabs from "./pages/tabs.mjs";

const modules = {
  auth,
  cookies,
  cursors,
  documents,
  exact,
  files,
  functions,
  graphql,
  live,
  live_edges,
  live_writes,
  password,
  queries,
  realtime,
  sessions,
  sign_in,
  sockets,
  subscriptions,
  updates,
  uploads,
  values,
  versions,
  frozen,
  hooks,
};
let stray;
addEventListener("unhandledrejection", ({ reason }) => (stray = reason));
addEventListener("error", ({ error, message }) => (stray = error ?? message));

globalThis.run = async (name, setup) => {
  const [module, scenario] = name.split(".");
  const context = new Context(setup);
  let error;
  stray = undefined;
  try {
    await modules[module][scenario](context);
  } catch (thrown) {
    error = thrown;
  }
  try {
    await context.end();
  } catch (thrown) {
    error ??= thrown;
  }
  await new Promise((resolve) => setTimeout(resolve, 5));
  error ??= stray;
  return error ? String(error.stack ?? error) : null;
};
globalThis.step = (name, setup, ...given) => ({ ...tabs, ...load, ...control })[name](setup, ...given);
globalThis.names = Object.entries(modules).flatMap(([name, module]) =>
  Object.keys(module).map((each) => `${name}.${each}`),
);
