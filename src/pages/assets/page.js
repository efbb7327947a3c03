// What every page shares: what the server said about it, its views, its alert, and secrets that came in its address.

const { root, plane, project, redirect } = document.body.dataset;
export const page = { root, plane, project, redirect };

const views = [...document.querySelectorAll(".view")];
const alertBox = document.getElementById("alert");
const brand = document.title;

// Announced at once by screen readers; "" takes the last one away.
export function say(text) {
  alertBox.textContent = text;
}

// Shows one view and puts the focus on its heading, or, at the first time, on its first field.
export function show(id, first = false) {
  say("");
  for (const view of views) view.hidden = view.id !== id;
  const view = document.getElementById(id);
  const heading = view.querySelector("h1");
  document.title = `${heading.textContent} · ${brand}`;
  ((first && view.querySelector("input")) || heading).focus();
}

// The value of a query parameter, which leaves the address bar and the history with it.
export function takeQuery(name) {
  const url = new URL(location.href);
  const value = url.searchParams.get(name);
  if (value === null) return "";
  url.searchParams.delete(name);
  history.replaceState(null, "", url);
  return value;
}

// What signing in left in the fragment: {mb_refresh, mb_mfa, mb_error}. Leaves the address bar likewise.
export function takeFragment() {
  const given = new URLSearchParams(location.hash.slice(1));
  const taken = {};
  for (const name of ["mb_refresh", "mb_mfa", "mb_error"]) {
    if (given.get(name)) taken[name] = given.get(name);
  }
  if (Object.keys(taken).length) history.replaceState(null, "", location.pathname + location.search);
  return taken;
}

// A link in a mail knows nothing of the app where its way began: the login page leaves that here for the pages that
// such links open. The server judges the redirect anew.
const redirectKey = `mb.redirect.${plane || project}`;

export function rememberRedirect() {
  try {
    if (redirect) localStorage.setItem(redirectKey, redirect);
  } catch {
    // Storage may be switched off; then the way ends on the login page.
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
