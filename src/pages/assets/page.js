// Shared by all pages: the values from the server, views, the alert, and secrets in the address.

const { root, plane, project, redirect } = document.body.dataset;
export const page = { root, plane, project, redirect };

const views = [...document.querySelectorAll(".view")];
const alertBox = document.getElementById("alert");
const brand = document.title;

// Screen readers announce the text at once; "" removes the last one.
export function say(text) {
  alertBox.textContent = text;
}

// Shows one view and moves the focus to its heading, or to its first field the first time.
export function show(id, first = false) {
  say("");
  for (const view of views) view.hidden = view.id !== id;
  const view = document.getElementById(id);
  const heading = view.querySelector("h1");
  document.title = `${heading.textContent} · ${brand}`;
  ((first && view.querySelector("input")) || heading).focus();
}

// Returns the value of a query parameter and removes it from the address bar and the history.
export function takeQuery(name) {
  const url = new URL(location.href);
  const value = url.searchParams.get(name);
  if (value === null) return "";
  url.searchParams.delete(name);
  history.replaceState(null, "", url);
  return value;
}

// Returns the result of signing in, from the fragment: {mb_refresh, mb_mfa, mb_error}. Removes it from the address bar.
export function takeFragment() {
  const given = new URLSearchParams(location.hash.slice(1));
  const taken = {};
  for (const name of ["mb_refresh", "mb_mfa", "mb_error"]) {
    if (given.get(name)) taken[name] = given.get(name);
  }
  if (Object.keys(taken).length) history.replaceState(null, "", location.pathname + location.search);
  return taken;
}

// A link in a mail does not name the app in which the user started: the login page stores the redirect here for the
// pages that such links open. The server checks the redirect again.
const redirectKey = `mb.redirect.${plane || project}`;

export function rememberRedirect() {
  try {
    if (redirect) localStorage.setItem(redirectKey, redirect);
  } catch {
    // Storage may be disabled; then the user ends on the login page.
  }
}

function rememberedRedirect() {
  try {
    return localStorage.getItem(redirectKey) ?? "";
  } catch {
    return "";
  }
}

// The login page of this plane or project; `view`: one of its views.
export function loginAddress(view = "") {
  const query = new URLSearchParams();
  if (plane === "control") query.set("plane", "control");
  else query.set("project", project);
  const back = rememberedRedirect();
  if (back) query.set("redirect", back);
  return `${root}/auth/login?${query}${view && `#${view}`}`;
}

for (const link of document.querySelectorAll("a[data-login]")) link.href = loginAddress(link.dataset.view);
