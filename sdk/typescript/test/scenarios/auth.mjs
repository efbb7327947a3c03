import { memoryStorage } from "manybase";
import { check, equal, fails, open, password, sleep, totp, until, unique } from "../context.mjs";

export async function register_login_logout(t) {
  const client = t.client();
  const events = [];
  client.auth.onChange((user, event) => events.push([user?.email, event]));
  const email = `${unique("user")}@example.com`;
  const made = await client.auth.register({ email, password, name: "Ada" });
  equal([made.email, made.name, client.auth.user], [email, "Ada", null]);
  await fails(client.auth.register({ email, password }), "EMAIL_TAKEN", 409);
  await fails(client.auth.login({ email, password: "wrong" + password }), "INVALID_CREDENTIALS", 401);
  const { user, mfa } = await client.auth.login({ email, password });
  equal([user.id, mfa, client.auth.user.id], [made.id, undefined, made.id]);
  equal(
    (await client.auth.sessions.list()).map((one) => one.current),
    [true],
  );
  await client.auth.logout();
  equal(client.auth.user, null);
  equal(events, [
    [email, "login"],
    [undefined, "logout"],
  ]);
  await fails(client.auth.sessions.list(), "UNAUTHENTICATED", 401);
}

export async function a_session_is_restored_from_storage(t) {
  const storage = memoryStorage();
  const first = await t.user({ storage });
  const second = t.client({ storage });
  equal((await second.auth.ready).id, first.id);
  await second.auth.sessions.list();
  await first.auth.logout();
  const third = t.client({ storage });
  equal(await third.auth.ready, null);
}

export async function tabs_follow_each_other(t) {
  const storage = memoryStorage();
  const first = t.client({ storage });
  const second = t.client({ storage });
  const events = [];
  second.auth.onChange((user, event) => events.push(event + (user ? " " + user.email : "")));
  const email = `${unique("user")}@example.com`;
  await first.auth.register({ email, password });
  await first.auth.login({ email, password });
  await until(() => second.auth.user?.email === email, "the other tab is signed in");
  await second.auth.logout();
  await until(() => first.auth.user === null, "the first tab is signed out");
  await first.auth.login({ email, password });
  await until(() => second.auth.user, "signed in again");
  await second.auth.sessions.list();
  equal(events, ["login " + email, "logout", "login " + email]);
}

export async function expired_tokens_are_renewed_once(t) {
  let refreshes = 0;
  const counting = (url, init) => {
    if (String(url).endsWith("/auth/refresh")) ++refreshes;
    return fetch(url, init);
  };
  const storage = memoryStorage();
  const user = await t.user({ storage, fetch: counting });
  const name = await t.collection();
  const now = Date.now;
  try {
    Date.now = () => now() + 14 * 60_000;
    await Promise.all(Array.from({ length: 10 }, () => user.collection(name).list()));
    equal(refreshes, 1, "one refresh for ten calls");
    // A page that was frozen for a day.
    Date.now = () => now() + 24 * 3_600_000;
    await user.collection(name).list();
    equal(refreshes, 2);
    // The clock is set back by a day: the stored end is no measure.
    Date.now = () => now() - 24 * 3_600_000;
    await user.collection(name).list();
    equal(refreshes, 3);
    await user.collection(name).list();
    equal(refreshes, 3, "a clock that is wrong all the time costs nothing");
  } finally {
    Date.now = now;
  }
  equal(user.auth.user.id, user.id);
}

export async function a_refused_token_is_renewed_by_the_call(t) {
  const storage = memoryStorage();
  const writes = [];
  const watched = { get: storage.get, set: (key, value) => (writes.push(key), storage.set(key, value)) };
  const first = await t.user({ storage: watched });
  const [key] = writes;
  const state = JSON.parse(storage.get(key));
  // A token that the server refuses, which this client takes for valid.
  storage.set(key, JSON.stringify({ ...state, accessToken: state.accessToken.slice(0, -8) + "AAAAAAAA" }));
  const second = t.client({ storage });
  equal((await second.auth.sessions.list()).length, 1);
  equal(second.auth.user.id, first.id);
}

export async function a_revoked_session_is_an_event(t) {
  const here = await t.user();
  const there = t.client();
  const events = [];
  there.auth.onChange((user, event) => events.push([user, event]));
  await there.auth.login({ email: here.email, password });
  await here.auth.sessions.revokeOthers();
  // Revoked within a second.
  const error = await until(
    () =>
      there.auth.sessions.list().then(
        () => undefined,
        (thrown) => thrown,
      ),
    "the session ends",
  );
  equal([error.code, error.status], ["UNAUTHENTICATED", 401]);
  equal([events.length, events[1]], [2, [null, "revoked"]]);
  const name = await t.collection({ ...open, public: { read: {}, list: {} } });
  equal(await there.collection(name).list(), [], "what is public is still served");
  equal(events.length, 2);
}

export async function sign_out_everywhere(t) {
  const here = await t.user();
  const there = t.client();
  await there.auth.login({ email: here.email, password });
  await here.auth.logout({ everywhere: true });
  equal(here.auth.user, null);
  await until(
    () =>
      there.auth.sessions.list().then(
        () => false,
        () => there.auth.user === null,
      ),
    "the other is signed out",
  );
}

export async function second_factor(t) {
  const user = await t.user();
  const { secret } = await user.auth.totp.enroll();
  const codes = await user.auth.totp.activate(await totp(secret));
  equal(codes.length, 10);
  equal(user.auth.user.mfaEnabled, true);
  const other = t.client();
  const got = await other.auth.login({ email: user.email, password });
  equal([got.user, other.auth.user], [undefined, null]);
  await fails(got.mfa.verify("000000"), "INVALID_CREDENTIALS", 401);
  equal((await got.mfa.verify(codes[0])).id, user.id);
  equal(other.auth.user.email, user.email);
  await other.auth.totp.disable(codes[1]);
  equal((await t.client().auth.login({ email: user.email, password })).user.id, user.id);
}

export async function mails_are_requested_and_wrong_tokens_refused(t) {
  const user = await t.user();
  await user.auth.requestVerification(user.email);
  await user.auth.requestPasswordReset("unknown@example.com");
  await fails(user.auth.verifyEmail("wrong"), "VALIDATION", 400);
  await fails(user.auth.resetPassword("wrong", password), "VALIDATION", 400);
  equal(await user.auth.identities.list(), []);
}

export async function storage_that_throws(t) {
  const broken = {
    get: () => {
      throw new Error("storage is off");
    },
    set: async () => {
      throw new Error("storage is full");
    },
  };
  const user = await t.user({ storage: broken });
  equal((await user.auth.sessions.list()).length, 1);
  await sleep(20);
  equal(user.auth.user.id, user.id, "still signed in, by memory");
  await user.auth.logout();
  equal(user.auth.user, null);
}

export async function addresses_of_providers(t) {
  const client = t.client();
  const address = new URL(client.auth.oauthUrl("github", { redirect: "https://app.example.com/done?x=1" }));
  equal(address.pathname, "/api/v1/auth/oauth/github/start");
  equal(
    [...address.searchParams],
    [
      ["project", t.project],
      ["redirect", "https://app.example.com/done?x=1"],
    ],
  );
  check(
    client.auth.loginUrl({ redirect: "https://app.example.com" }).startsWith(t.url + "/auth/login?project="),
    "the hosted page",
  );
}
