// /docs: the reference, rendered by Swagger UI from the server's OpenAPI document.
import SwaggerUI from "./swagger-ui.js";
import { call, hasToken, headers, onToken, page, showMessage, warn, words } from "./tool.js";

const general = "/api/v1/openapi.json";
const typed = page.project ? `/api/v1/projects/${page.project}/openapi.json` : general;
const dark = matchMedia("(prefers-color-scheme: dark)");
let ui = null;
let turn = 0;

function paint() {
  document.documentElement.classList.toggle("dark-mode", dark.matches);
}

// Replaces the document's server by the address of this page's own server.
function here(spec) {
  return { ...spec, servers: (spec.servers ?? [{ url: "/" }]).map((server) => ({ ...server, url: pathOf(server.url) })) };
}

function pathOf(url) {
  return new URL(url, location.origin).pathname;
}

// Returns the part of a document at a path with its references followed, as Swagger UI's own function does, which takes seconds for a
// document of this size, at the start and for each operation that is opened. It knows references within the document alone: the server's
// has no others.
async function resolveSubtree(document, path) {
  const followed = new Map();
  const at = (steps) => steps.reduce((part, step) => part?.[step], document);
  // A reference of a type to itself stays one.
  function target(reference) {
    if (!followed.has(reference)) {
      followed.set(reference, undefined);
      const steps = reference.slice(2).split("/");
      const found = resolve(at(steps.map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"))));
      // Where the names of types are taken from.
      followed.set(reference, steps[1] === "schemas" ? { ...found, $$ref: reference } : found);
    }
    return followed.get(reference);
  }
  function resolve(part) {
    if (Array.isArray(part)) return part.map(resolve);
    if (part === null || typeof part !== "object") return part;
    const { $ref: reference, ...beside } = part;
    const found = typeof reference === "string" && reference.startsWith("#/") ? target(reference) : undefined;
    const rest = found === undefined ? part : beside;
    const entries = Object.entries(rest).map(([name, value]) => [name, resolve(value)]);
    return { ...found, ...Object.fromEntries(entries) };
  }
  return { spec: resolve(at(path)), errors: [] };
}

function show(spec) {
  if (ui) {
    ui.specActions.updateSpec(JSON.stringify(spec));
    return;
  }
  ui = SwaggerUI({
    domNode: document.getElementById("tool"),
    spec,
    deepLinking: true,
    docExpansion: "none",
    filter: true,
    defaultModelsExpandDepth: 0,
    displayRequestDuration: true,
    validatorUrl: null,
    // The token is entered in the bar only.
    plugins: [{ fn: { resolveSubtree }, wrapComponents: { authorizeBtn: () => () => null, authorizeOperationBtn: () => () => null } }],
    requestInterceptor: (request) => {
      if (new URL(request.url, location.href).origin !== location.origin) return request;
      for (const [name, value] of Object.entries(headers())) request.headers[name] ??= value;
      return request;
    },
  });
}

async function read(path) {
  const response = await call("GET", path);
  if (!response.ok || response.body === null) throw new Error(words(response));
  return here(response.body);
}

async function load() {
  const mine = ++turn;
  let spec = null;
  let status = "What every project has. With an admin's token or key, the collections of its project stand here too.";
  let problem = "";
  try {
    if (hasToken()) {
      spec = await read(typed);
      status = page.project
        ? "With the collections of this project."
        : "With the collections of your token's project, where it is an admin's.";
    }
  } catch (failure) {
    problem = `Your token does not open the description of this project, but is sent with what you try here. ${failure.message}`;
  }
  try {
    spec ??= await read(general);
  } catch (failure) {
    problem = failure.message;
    status = "";
  }
  if (mine !== turn) return;
  warn(problem);
  showMessage(status);
  if (spec) show(spec);
}

paint();
dark.addEventListener("change", paint);
onToken(load);
