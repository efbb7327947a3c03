// What the tools for developers share: whose page it is, the visitor's token, and what is said in the bar.

const { root, project } = document.body.dataset;
export const page = { root, project };

const patience = 30_000; // milliseconds
// One for each server and project, so that a token goes where it was meant for.
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
  // Storage may be switched off; then the token lasts as long as the page.
}

export const hasToken = () => token !== "";

export function tell(text) {
  statusLine.textContent = text;
}

// Announced at once by screen readers; "" takes the last one away.
export function warn(text) {
  alertBox.textContent = text;
}

// Headers that name the caller and the project.
export function headers() {
  const all = {};
  if (token) all.authorization = `Bearer ${token}`;
  if (project) all["x-service-project"] = project;
  return all;
}

// The answer as {ok, status, body}; body is null where it is no JSON. Throws an Error with words where there is none.
export async function call(method, path, body) {
  const settings = { method, headers: headers(), credentials: "omit", signal: AbortSignal.timeout(patience) };
  if (body !== undefined) {
    settings.headers["content-type"] = "application/json";
    settings.body = JSON.stringify(body);
  }
  let answer, text;
  try {
    answer = await fetch(root + path, settings);
    text = await answer.text();
  } catch {
    throw new Error("The server cannot be reached. Check your connection and try again.");
  }
  let parsed = null;
  try {
    parsed = JSON.parse(text);
  } catch {
    // Told by the status alone.
  }
  return { ok: answer.ok, status: answer.status, body: parsed };
}

// "403 FORBIDDEN: this is not for end users"
export function words({ status, body }) {
  return body?.error ? `${status} ${body.error.code}: ${body.error.message}` : `The server answered ${status}.`;
}

function keep(text) {
  token = text;
  try {
    if (text) sessionStorage.setItem(key, text);
    else sessionStorage.removeItem(key);
  } catch {
    // As above.
  }
  forget.hidden = !text;
  input.value = "";
  input.placeholder = text ? "in use" : "";
}

// `changed` is called now, and whenever the visitor gives a token or takes it back.
export function onToken(changed) {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    keep(input.value.trim().replace(/^bearer\s+/i, ""));
    changed();
  });
  forget.addEventListener("click", () => {
    keep("");
    input.focus();
    changed();
  });
  keep(token);
  changed();
}
