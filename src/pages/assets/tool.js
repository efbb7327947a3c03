// Shared by the tools for developers: the project, the visitor's token, and the messages in the bar.

const { root, project } = document.body.dataset;
export const page = { root, project };

const timeoutMs = 30_000;
// One key per server and project, so that a token is not sent to another.
const key = `mb.token ${root} ${project}`;
const form = document.getElementById("token-form");
const input = document.getElementById("token");
const forget = document.getElementById("forget");
const statusLine = document.getElementById("status");
const alertBox = document.getElementById("alert");
let token = "";

try {
  token = sessionStorage.getItem(key) ?? "";
} catch {
  // Storage may be disabled; then the token lasts as long as the page.
}

export const hasToken = () => token !== "";

export function showMessage(text) {
  statusLine.textContent = text;
}

// Screen readers announce the text at once; "" removes the last one.
export function warn(text) {
  alertBox.textContent = text;
}

// Headers with the token and the project.
export function headers() {
  const all = {};
  if (token) all.authorization = `Bearer ${token}`;
  if (project) all["x-service-project"] = project;
  return all;
}

// Returns the response as {ok, status, body}; body is null if it is not JSON. Throws an Error with a text for people if
// the server cannot be reached.
export async function call(method, path, body) {
  const settings = { method, headers: headers(), credentials: "omit", signal: AbortSignal.timeout(timeoutMs) };
  if (body !== undefined) {
    settings.headers["content-type"] = "application/json";
    settings.body = JSON.stringify(body);
  }
  let response, text;
  try {
    response = await fetch(root + path, settings);
    text = await response.text();
  } catch {
    throw new Error("The server cannot be reached. Check your connection and try again.");
  }
  let parsed = null;
  try {
    parsed = JSON.parse(text);
  } catch {
    // The status alone is reported.
  }
  return { ok: response.ok, status: response.status, body: parsed };
}

// "403 FORBIDDEN: this route is not for end users"
export function words({ status, body }) {
  return body?.error ? `${status} ${body.error.code}: ${body.error.message}` : `The server responded with ${status}.`;
}

function storeToken(text) {
  token = text;
  try {
    if (text) sessionStorage.setItem(key, text);
    else sessionStorage.removeItem(key);
  } catch {
    // Storage is disabled.
  }
  forget.hidden = !text;
  input.value = "";
  input.placeholder = text ? "in use" : "";
}

// Calls `changed` now, and whenever the visitor enters or removes a token.
export function onToken(changed) {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    storeToken(input.value.trim().replace(/^bearer\s+/i, ""));
    changed();
  });
  forget.addEventListener("click", () => {
    storeToken("");
    input.focus();
    changed();
  });
  storeToken(token);
  changed();
}
