// What a sign-in can meet: mailed links, the second factor, results of providers, roles, blocked users.
import { memoryStorage } from "manybase";
import { check, equal, fails, jsonResponse, open, password, totp, until, unique, watchedFetch } from "../context.mjs";

const newPassword = "a staple of batteries";

export async function refused_registrations_say_what_is_wrong(t) {
  const { auth } = t.client();
  const short = await fails(
    auth.register({ email: `${unique("user")}@example.com`, password: "short" }),
    "VALIDATION",
    400,
  );
  equal(
    short.details.map((one) => one.path),
    ["/password"],
  );
  const address = await fails(auth.register({ email: "no address", password }), "VALIDATION", 400);
  equal(address.details[0].path, "/email");
  const email = `${unique("user")}@example.com`;
  await fails(auth.register({ email, password: email }), "VALIDATION", 400);
  await auth.register({ email, password });
  await fails(auth.register({ email: email.toUpperCase(), password }), "EMAIL_TAKEN", 409);
  equal((await auth.login({ email: email.toUpperCase(), password })).user.email, email, "one address, however written");
}

export async function a_mailed_link_verifies_the_address(t) {
  const user = await t.user();
  equal(user.auth.user.emailVerified, false);
  const events = [];
  user.auth.onChange((now, event) => events.push([event, now.emailVerified]));
  const token = await t.mailed(user.email, "/verify-email");
  await user.auth.verifyEmail(token);
  equal([events, user.auth.user.emailVerified], [[["update", true]], true]);
  const again = await fails(user.auth.verifyEmail(token), "VALIDATION", 400);
  equal(again.details[0].path, "/token");
  const other = t.client();
  equal((await other.auth.login({ email: user.email, password })).user.emailVerified, true, "on the server too");
}

export async function a_mailed_link_resets_the_password_and_ends_sessions(t) {
  const user = await t.user();
  const events = [];
  user.auth.onChange((_, event) => events.push(event));
  const other = t.client();
  await other.auth.requestPasswordReset(user.email);
  const token = await t.mailed(user.email, "/reset-password");
  await fails(other.auth.resetPassword(token, "short"), "VALIDATION", 400);
  await other.auth.resetPassword(token, newPassword);
  await fails(other.auth.resetPassword(token, newPassword), "VALIDATION", 400);
  await fails(user.auth.sessions.list(), "UNAUTHENTICATED", 401);
  equal([events, user.auth.user], [["revoked"], null]);
  await fails(other.auth.login({ email: user.email, password }), "INVALID_CREDENTIALS", 401);
  equal((await other.auth.login({ email: user.email, password: newPassword })).user.id, user.id);
}

export async function each_recovery_code_signs_in_once(t) {
  const user = await t.user();
  await fails(user.auth.totp.activate("123456"), "CONFLICT", 409);
  const { secret, otpauthUrl } = await user.auth.totp.enroll();
  check(otpauthUrl.startsWith("otpauth://totp/") && otpauthUrl.includes(secret), otpauthUrl);
  const wrong = await fails(user.auth.totp.activate("12345"), "VALIDATION", 400);
  equal(wrong.details[0].path, "/code");
  equal(user.auth.user.mfaEnabled, false);
  const [code] = await user.auth.totp.activate(await totp(secret));
  await fails(user.auth.totp.enroll(), "CONFLICT", 409);
  const first = await t.client().auth.login({ email: user.email, password });
  equal((await first.mfa.verify(code)).mfaEnabled, true);
  const second = t.client();
  const again = await second.auth.login({ email: user.email, password });
  await fails(again.mfa.verify(code), "INVALID_CREDENTIALS", 401);
  equal(second.auth.user, null, "a code that was used signs nobody in");
}

export async function a_second_factor_that_is_reset_is_not_needed(t) {
  const user = await t.user();
  const { secret } = await user.auth.totp.enroll();
  await user.auth.totp.activate(await totp(secret));
  await fails(user.auth.totp.disable("000000"), "VALIDATION", 400);
  equal(user.auth.user.mfaEnabled, true);
  await t.admin("POST", `/users/${user.id}/reset-mfa`);
  const { user: signedIn } = await t.client().auth.login({ email: user.email, password });
  equal([signedIn.id, signedIn.mfaEnabled], [user.id, false]);
}

export async function a_blocked_user_is_signed_out_and_kept_out(t) {
  const watched = watchedFetch();
  const user = await t.user({ fetch: watched });
  const events = [];
  user.auth.onChange((now, event) => events.push([now, event]));
  await t.admin("POST", `/users/${user.id}/block`);
  await fails(user.auth.sessions.list(), undefined, 401);
  equal(events, [[null, "revoked"]]);
  equal(watched.count("/auth/refresh"), 1, "one attempt to renew");
  await fails(user.auth.sessions.list(), "UNAUTHENTICATED", 401);
  equal(watched.count("/auth/refresh"), 1, "and none without a session");
  await fails(user.auth.login({ email: user.email, password }), "USER_BLOCKED", 403);
  await t.admin("POST", `/users/${user.id}/activate`);
  equal((await user.auth.login({ email: user.email, password })).user.id, user.id);
}

export async function a_role_and_metadata_count_from_the_next_call(t) {
  const role = unique("reader");
  await t.admin("POST", "/enduser-roles", { name: role, permissions: ["data:*:read", "data:*:list"] });
  const name = await t.collection({ ...open, create: { validate: "auth.role == 'user'" } });
  const user = await t.user();
  const books = user.collection(name);
  await books.create({ n: 1 });
  await t.admin("PATCH", `/users/${user.id}`, { metadata: { role, plan: "pro" } });
  await fails(books.create({ n: 2 }), "FORBIDDEN", 403);
  equal((await books.list()).length, 1);
  const { user: now } = await user.auth.login({ email: user.email, password });
  equal([now.role, now.metadata], [role, { role, plan: "pro" }]);
}

export async function a_listener_that_fails_does_not_fail_the_sign_in(t) {
  const client = t.client();
  const seen = [];
  const stop = client.auth.onChange(() => {
    throw new Error("a listener of the app");
  });
  client.auth.onChange((user, event) => seen.push(event));
  const email = `${unique("user")}@example.com`;
  await client.auth.register({ email, password });
  equal((await client.auth.login({ email, password })).user.email, email);
  await client.auth.logout();
  equal(seen, ["login", "logout"], "the other listener has all");
  stop();
}

export async function responses_of_a_sign_in_that_are_none_are_errors(t) {
  const email = `${unique("user")}@example.com`;
  for (const body of [{}, null, [], "text", 7, { user: { id: "x" } }]) {
    const watched = watchedFetch((line) => line.startsWith("POST /auth") && jsonResponse(body));
    const client = t.client({ fetch: watched });
    await fails(client.auth.login({ email, password }), "INVALID_RESPONSE", 200);
    equal([client.auth.user, watched.sent.length], [null, 1], JSON.stringify(body));
  }
}

/** Runs `work` in a page whose address has this fragment; gives its result and the address afterwards. */
async function atAddress(t, fragment, work) {
  if (t.inPage) {
    history.replaceState(null, "", `/${fragment}`);
    const result = await work();
    return [result, location.href.replace(location.origin, "")];
  }
  const page = { href: `https://app.example.com/${fragment}` };
  const stand = { location: page, history: { state: null, replaceState: (_, __, url) => (page.href = String(url)) } };
  const before = Object.keys(stand).map((name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)]);
  for (const [name, value] of Object.entries(stand)) {
    Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
  }
  try {
    const result = await work();
    return [result, page.href.replace("https://app.example.com", "")];
  } finally {
    for (const [name, descriptor] of before) {
      delete globalThis[name];
      if (descriptor) Object.defineProperty(globalThis, name, descriptor);
    }
  }
}

/** A refresh token as a provider's sign-in gives one. */
async function refreshTokenOf(t) {
  const storage = memoryStorage();
  let text;
  const user = await t.user({ storage: { get: storage.get, set: (key, value) => storage.set(key, (text = value)) } });
  return { user, refreshToken: JSON.parse(text).refreshToken };
}

export async function a_result_of_a_provider_is_taken_from_the_address(t) {
  const { user, refreshToken } = await refreshTokenOf(t);
  const client = t.client();
  const events = [];
  client.auth.onChange((_, event) => events.push(event));
  const complete = () => client.auth.completeOauth({ unsolicited: true });
  const [result, address] = await atAddress(t, `?tab=2#mb_refresh=${refreshToken}`, complete);
  equal([result.user.id, client.auth.user.id, address], [user.id, user.id, "/?tab=2"], "and removed from it");
  equal([events, (await client.auth.sessions.list()).length], [["login"], 1]);
  equal(await atAddress(t, "#section", complete), [null, "/#section"], "other fragments stay");
}

export async function a_result_that_was_not_requested_is_refused(t) {
  const watched = watchedFetch();
  const client = t.client({ fetch: watched });
  const complete = () => fails(client.auth.completeOauth(), "OAUTH_FAILED", 0);
  const [error, address] = await atAddress(t, "#mb_refresh=of-another-account", complete);
  check(error.message.includes("did not begin"), error.message);
  equal([address, watched.sent, client.auth.user], ["/", [], null], "nothing was sent");
}

export async function errors_of_a_provider_have_their_reason(t) {
  const client = t.client();
  const accept = { unsolicited: true };
  const denied = () => fails(client.auth.completeOauth(accept), "OAUTH_FAILED", 0);
  const [error, address] = await atAddress(t, "#mb_error=access_denied", denied);
  equal([error.message, address], ["access_denied", "/"]);
  const unknown = () => fails(client.auth.completeOauth(accept), undefined, 401);
  await atAddress(t, "#mb_refresh=mb_rt_unknown", unknown);
  const [{ mfa }] = await atAddress(t, "#mb_mfa=unknown", () => client.auth.completeOauth(accept));
  await fails(mfa.verify("123456"), undefined, 401);
  equal(client.auth.user, null);
}

export async function a_window_of_a_provider_completes_or_fails(t) {
  const client = t.client();
  const { user, refreshToken } = await refreshTokenOf(t);
  const { open: openWindow } = globalThis;
  const redirect = "https://app.example.com/done";
  try {
    globalThis.open = () => null;
    const blocked = await fails(client.auth.oauthPopup("github", { redirect }), "OAUTH_FAILED", 0);
    check(blocked.message.includes("blocked"), blocked.message);
    const opened = [];
    globalThis.open = () => ({ location: { replace: (address) => opened.push(new URL(address)) } });
    const controller = new AbortController();
    const aborted = client.auth.oauthPopup("github", { redirect, signal: controller.signal });
    aborted.catch(() => {});
    await until(() => opened.length === 1, "the window shows the provider");
    controller.abort();
    await fails(aborted, "OAUTH_FAILED", 0);
    const signingIn = client.auth.oauthPopup("github", { redirect });
    await until(() => opened.length === 2, "the window shows the provider");
    equal(opened[1].pathname, "/api/v1/auth/oauth/github/start");
    const page = new URL(opened[1].searchParams.get("redirect"));
    const channel = new BroadcastChannel(`manybase:popup:${page.searchParams.get("mb_popup")}`);
    channel.postMessage({ refresh: refreshToken });
    equal([(await signingIn).user.id, client.auth.user.id], [user.id, user.id]);
    channel.close();
  } finally {
    globalThis.open = openWindow;
  }
}
