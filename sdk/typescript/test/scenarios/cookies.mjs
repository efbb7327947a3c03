// The control plane's session in a cookie, against a stand-in for the server. tests/sdk/test_sdk_cookie.py uses the real one.
import { check, equal, fails, password, until } from "../context.mjs";
import { Browser, refuse } from "../fake_control.mjs";

const ada = { email: "ada@example.com", password };
const bob = { email: "bob@example.com", password };
const emailOf = async (control) => (await control.me()).user.email;

/** While it runs all tokens have expired by the clock of this program. */
async function later(minutes, work) {
  const now = Date.now;
  Date.now = () => now() + minutes * 60_000;
  try {
    return await work();
  } finally {
    Date.now = now;
  }
}

const stored = () => {
  const values = new Map();
  return {
    getItem: (key) => values.get(key) ?? null,
    setItem: (key, value) => values.set(key, value),
    removeItem: (key) => values.delete(key),
  };
};

/** Replaces global values until the end of the scenario. */
function replace(t, made) {
  for (const [name, value] of Object.entries(made)) {
    const had = Object.getOwnPropertyDescriptor(globalThis, name);
    Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
    t.onEnd(() => (had ? Object.defineProperty(globalThis, name, had) : delete globalThis[name]));
  }
}

/** A page for programs without one. */
function page(t) {
  if (typeof document !== "undefined") return;
  replace(t, {
    document: new EventTarget(),
    location: new URL("http://app.test/projects?tab=2"),
    history: { state: null, replaceState: (_, __, address) => (globalThis.location = new URL(address)) },
    sessionStorage: stored(),
    localStorage: stored(),
  });
}

export async function a_sign_in_leaves_no_refresh_token_in_the_page(t) {
  page(t);
  const browser = new Browser(t);
  const tab = browser.tab();
  equal(await tab.restore(), false);
  const signedIn = await tab.platformLogin(ada);
  equal(["refreshToken" in signedIn, browser.cookie !== undefined], [false, true]);
  equal(await emailOf(tab), ada.email);
  equal([await tab.restore(), tab.events], [true, ["login"]]);
  equal(browser.requests, ["POST /auth/login +", "GET /me"]);
  // A new page takes it up.
  const other = browser.tab();
  equal([await other.restore(), await emailOf(other), other.events], [true, ada.email, []]);
}

export async function a_visitor_without_a_session_requests_nothing(t) {
  page(t);
  const browser = new Browser(t);
  const tab = browser.tab();
  equal([await tab.restore(), await tab.restore(), browser.requests], [false, false, []]);
  await fails(tab.me(), "UNAUTHENTICATED", 401);
  equal([browser.requests, browser.marked], [["GET /me"], null]);
  await tab.platformLogin(ada);
  equal([browser.marked, await browser.tab().restore()], ["1", true], "the mark has no secret");
  await tab.signOut();
  browser.requests.length = 0;
  equal([browser.marked, await browser.tab().restore(), browser.requests], [null, false, []]);
  // The server ends a session: one request finds out, none follows.
  await tab.platformLogin(ada);
  browser.sessions.clear();
  equal([await browser.tab().restore(), browser.marked], [false, null]);
  equal([await browser.tab().restore(), browser.count("POST /auth/refresh +")], [false, 1]);
}

export async function a_cookie_whose_mark_was_lost_is_left_until_the_next_sign_in(t) {
  page(t);
  const browser = new Browser(t);
  const tab = browser.tab();
  await tab.platformLogin(ada);
  localStorage.removeItem(browser.marker);
  const other = browser.tab();
  equal([await other.restore(), browser.count("POST /auth/refresh +")], [false, 0]);
  // A tab with the session goes on, and marks it again when it renews the token.
  equal([await later(13, () => emailOf(tab)), browser.marked], [ada.email, "1"]);
  equal(await browser.tab().restore(), true);
  localStorage.removeItem(browser.marker);
  const next = browser.tab();
  equal(await next.restore(), false);
  await next.platformLogin(bob);
  equal([browser.marked, await emailOf(browser.tab())], ["1", bob.email]);
}

export async function without_storage_the_cookie_is_tried(t) {
  page(t);
  const browser = new Browser(t);
  const none = () => {
    throw new Error("the storage is switched off");
  };
  replace(t, { localStorage: { getItem: none, setItem: none, removeItem: none } });
  equal([await browser.tab().restore(), browser.requests], [false, ["POST /auth/refresh +"]]);
  const tab = browser.tab();
  await tab.platformLogin(ada);
  equal(await browser.tab().restore(), true);
  await tab.signOut();
  equal(await browser.tab().restore(), false);
}

export async function a_hidden_page_learns_of_a_sign_in_when_it_is_shown(t) {
  page(t);
  const browser = new Browser(t);
  const tab = browser.tab();
  await tab.platformLogin(ada);
  await tab.signOut();
  document.dispatchEvent(new Event("visibilitychange"));
  browser.requests.length = 0;
  equal([await tab.restore(), browser.requests], [false, []]);
  // Another page signed in, and its message was lost.
  browser.cookie = browser.provide(bob.email);
  localStorage.setItem(browser.marker, "1");
  document.dispatchEvent(new Event("visibilitychange"));
  equal([await tab.restore(), await emailOf(tab)], [true, bob.email]);
}

export async function a_token_is_renewed_once_for_all_tabs(t) {
  const browser = new Browser(t);
  const tabs = [browser.tab(), browser.tab(), browser.tab()];
  await tabs[0].platformLogin(ada);
  await Promise.all(tabs.map((tab) => tab.restore()));
  browser.requests.length = 0;
  // Less than a fifth of its life is left, but it is valid: and then it has expired.
  for (const minutes of [13, 40]) {
    const seen = await later(minutes, () => Promise.all(tabs.flatMap((tab) => [emailOf(tab), emailOf(tab)])));
    equal(seen, Array(6).fill(ada.email));
  }
  equal([browser.count("POST /auth/refresh +"), browser.mostRefreshing], [2, 1]);
  equal(
    tabs.map((tab) => tab.events),
    [["login"], ["login elsewhere"], ["login elsewhere"]],
  );
}

export async function without_web_locks_the_tabs_elect_one(t) {
  const had = Object.getOwnPropertyDescriptor(navigator, "locks");
  Object.defineProperty(navigator, "locks", { value: undefined, configurable: true });
  t.onEnd(() => (had ? Object.defineProperty(navigator, "locks", had) : delete navigator.locks));
  await a_token_is_renewed_once_for_all_tabs(t);
}

export async function signing_out_reaches_every_tab(t) {
  const browser = new Browser(t);
  const [here, there] = [browser.tab(), browser.tab()];
  await here.platformLogin(ada);
  equal(await emailOf(there), ada.email);
  await there.signOut();
  equal([browser.cookie, browser.sessions.size], [undefined, 0]);
  await until(
    () => here.events.length === 2,
    () => here.events.join(),
  );
  equal(
    [here.events, there.events],
    [
      ["login", "logout elsewhere"],
      ["login elsewhere", "logout"],
    ],
  );
  browser.requests.length = 0;
  for (const tab of [here, there]) await fails(tab.me(), "UNAUTHENTICATED", 401);
  equal(browser.count("POST /auth/refresh +"), 0, "it is known that there is no session");
  await here.platformLogin(bob);
  equal([await emailOf(here), await emailOf(there)], [bob.email, bob.email]);
}

export async function a_session_that_the_server_ends_is_an_event(t) {
  const browser = new Browser(t);
  const [here, there] = [browser.tab(), browser.tab()];
  await here.platformLogin(ada);
  equal(await emailOf(there), ada.email);
  browser.sessions.clear();
  const error = await fails(here.me(), "UNAUTHENTICATED", 401);
  check(error.status === 401, error.stack);
  await until(
    () => there.events.includes("revoked elsewhere"),
    () => there.events.join(),
  );
  equal(
    [here.events, there.events],
    [
      ["login", "revoked"],
      ["login elsewhere", "revoked elsewhere"],
    ],
  );
  // Ending it once more is no error.
  await here.signOut();
  equal(here.events, ["login", "revoked"]);
}

export async function a_failed_renewal_keeps_the_session(t) {
  const browser = new Browser(t);
  const tab = browser.tab();
  await tab.platformLogin(ada);
  browser.instead = (_, path) => path === "/auth/refresh" && refuse(500, "INTERNAL");
  // The present token is valid for some minutes.
  equal(await later(13, () => emailOf(tab)), ada.email);
  await later(16, () => fails(tab.me(), "INTERNAL", 500));
  browser.instead = (_, path) => path === "/auth/refresh" && refuse(403, "FORBIDDEN");
  await later(16, () => fails(tab.me(), "FORBIDDEN", 403));
  browser.instead = () => undefined;
  equal([await later(16, () => emailOf(tab)), tab.events], [ada.email, ["login"]]);
}

export async function the_second_factor_and_invitations(t) {
  const browser = new Browser(t);
  const tab = browser.tab();
  const { mfaToken } = await tab.platformLogin({ email: "mfa@example.com", password });
  equal([browser.cookie, tab.events], [undefined, []]);
  await tab.platformVerifySecondFactor({ mfaToken, code: "123456" });
  equal([await emailOf(tab), browser.cookie !== undefined], ["mfa@example.com", true]);
  const invited = new Browser(t);
  await invited.tab().acceptInvite({ token: "t", ...bob });
  check(invited.cookie !== undefined && invited.requests[0] === "POST /auth/invites/accept +", invited.requests.join());
}

export async function a_provider_s_token_moves_into_the_cookie(t) {
  page(t);
  const browser = new Browser(t);
  const [tab, other] = [browser.tab(), browser.tab()];
  equal(await tab.completeOauth(), null);
  const address = tab.oauthUrl("github", { redirect: "http://app.test/" });
  equal(address, `${browser.url}/api/v1/control/auth/oauth/github/start?redirect=http%3A%2F%2Fapp.test%2F`);
  check(
    tab.loginUrl({ redirect: "http://app.test/" }).startsWith(`${browser.url}/auth/login?plane=control&redirect=`),
    "login",
  );
  const token = browser.provide(ada.email);
  location.hash = `#mb_refresh=${token}`;
  equal([await tab.completeOauth(), browser.cookie, location.hash], [{}, token, ""]);
  equal([await emailOf(tab), await emailOf(other), other.events], [ada.email, ada.email, ["login elsewhere"]]);
  // Any site can lead here with a token of its own account.
  location.hash = `#mb_refresh=${browser.provide(bob.email)}`;
  check((await fails(tab.completeOauth(), "OAUTH_FAILED", 0)).message.includes("did not begin"), "refused");
  equal([browser.cookie, location.hash, await emailOf(tab)], [token, "", ada.email]);
  location.hash = "#mb_mfa=mfa";
  const { mfa } = await tab.completeOauth({ unsolicited: true });
  await mfa.verify("123456");
  equal(await emailOf(tab), "mfa@example.com");
  tab.oauthUrl("github", { redirect: "http://app.test/" });
  location.hash = "#mb_error=access_denied";
  equal((await fails(tab.completeOauth(), "OAUTH_FAILED", 0)).message, "access_denied");
}

export async function tokens_of_projects_are_of_the_present_account(t) {
  const browser = new Browser(t);
  const [tab, other] = [browser.tab(), browser.tab()];
  await tab.platformLogin(ada);
  const token = tab.projectTokens("shop");
  const [first, second] = await Promise.all([token(), token()]);
  equal([first === second, first.startsWith(`project of ${ada.email}`)], [true, true]);
  equal([await token(), browser.count("POST /projects/shop/token")], [first, 1]);
  const refused = await token(first);
  check(refused !== first && refused === (await token()), "a refused one is exchanged again");
  check((await later(13, token)) !== refused, "it is renewed before it expires");
  await other.platformLogin(bob);
  await until(() => tab.events.length === 2, "the other tab's sign-in");
  check((await token()).startsWith(`project of ${bob.email}`), "none of the account before");
}

export async function another_sign_in_of_the_same_account_causes_no_event(t) {
  const browser = new Browser(t);
  const [tab, other] = [browser.tab(), browser.tab()];
  await tab.platformLogin(ada);
  equal(await emailOf(other), ada.email);
  await other.platformLogin(ada);
  await other.signOut();
  await until(
    () => tab.events.length > 1,
    () => tab.events.join(),
  );
  equal(
    [tab.events, other.events],
    [
      ["login", "logout elsewhere"],
      ["login elsewhere", "login", "logout"],
    ],
  );
}

export async function a_page_that_missed_another_account_s_sign_in_learns_of_it(t) {
  const browser = new Browser(t);
  const tab = browser.tab();
  await tab.platformLogin(ada);
  // Without a message, as for a page that was frozen.
  browser.sessions.delete(browser.cookie);
  browser.cookie = browser.provide(bob.email);
  equal([await emailOf(tab), tab.events], [bob.email, ["login", "login elsewhere"]]);
}
