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
    plugins: [{ wrapComponents: { authorizeBtn: () => () => null, authorizeOperationBtn: () => () => null } }],
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
