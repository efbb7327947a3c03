import { memoryStorage } from "manybase";
import { equal, fails, jsonResponse, password, until, watchedFetch } from "../context.mjs";

const next = "a staple of batteries";

export async function a_password_is_changed(t) {
  const user = await t.user();
  const other = t.client();
  await other.auth.login({ email: user.email, password });
  const events = [];
  other.auth.onChange((_, event) => events.push(event));
  await user.auth.changePassword({ current: password, password: next });
  equal((await user.auth.sessions.list()).length, 1, "the session of the change continues");
  await fails(other.auth.sessions.list(), "UNAUTHENTICATED", 401);
  await until(() => events.includes("revoked"), "the other session ended");
  await fails(t.client().auth.login({ email: user.email, password }), "INVALID_CREDENTIALS", 401);
  await t.client().auth.login({ email: user.email, password: next });
}

export async function a_wrong_password_is_sent_once(t) {
  const sent = [];
  const counting = (url, init) => {
    sent.push(new URL(url).pathname.replace(/^.*\/auth\//, ""));
    return fetch(url, init);
  };
  const user = await t.user({ fetch: counting });
  sent.length = 0;
  await fails(user.auth.changePassword({ current: next, password: next }), "INVALID_CREDENTIALS", 401);
  equal(sent, ["password"]);
  const error = await fails(user.auth.changePassword({ current: password, password: "short" }), "VALIDATION", 400);
  equal(error.details[0].path, "/password");
  equal(user.auth.user.id, user.id, "still signed in");
}

export async function a_change_with_a_refused_token_is_sent_again(t) {
  const sent = [];
  const watched = watchedFetch((line, { headers }) => {
    if (!line.endsWith("/auth/password")) return undefined;
    sent.push(new Headers(headers).get("authorization"));
    const refusal = { error: { code: "UNAUTHENTICATED", message: "this token has expired" } };
    return sent.length === 1 && jsonResponse(refusal, 401);
  });
  const user = await t.user({ fetch: watched });
  await user.auth.changePassword({ current: password, password: next });
  equal([sent.length, sent[0] === sent[1], watched.count("/auth/refresh")], [2, false, 1]);
  await t.client().auth.login({ email: user.email, password: next });
}

export async function a_change_without_a_session_is_refused(t) {
  const change = { current: password, password: next };
  await fails(t.client().auth.changePassword(change), "UNAUTHENTICATED", 401);
  const storage = memoryStorage();
  const user = await t.user({ storage });
  await user.auth.logout();
  await fails(t.client({ storage }).auth.changePassword(change), "UNAUTHENTICATED", 401);
}

export async function a_refused_token_is_renewed(t) {
  let refuse = false;
  const sent = [];
  const refusing = (url, init) => {
    const path = new URL(url).pathname.replace(/^.*\/auth\//, "");
    sent.push(path);
    if (!refuse || path !== "password") return fetch(url, init);
    refuse = false;
    const headers = new Headers(init.headers);
    headers.set("authorization", "Bearer no.token.atall");
    return fetch(url, { ...init, headers });
  };
  const user = await t.user({ fetch: refusing });
  sent.length = 0;
  refuse = true;
  await user.auth.changePassword({ current: password, password: next });
  equal(sent, ["password", "refresh", "password"]);
}
