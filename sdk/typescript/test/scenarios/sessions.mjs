// Tokens and stored sessions: renewal, several clients of one storage, storages that fail, clocks that are wrong.
import { memoryStorage } from "manybase";
import {
  check,
  clockWrongBy,
  day,
  equal,
  fails,
  jsonResponse,
  open,
  password,
  sleep,
  unique,
  until,
  watchedFetch,
} from "../context.mjs";

/** A storage that shows what it holds, and fails where `broken` names the method. */
function openStorage() {
  const inner = memoryStorage();
  const shown = {
    broken: "",
    key: undefined,
    get(key) {
      if (shown.broken.includes("get")) throw new Error("cannot be read");
      return inner.get(key);
    },
    async set(key, value) {
      if (shown.broken.includes(value === null ? "remove" : "set")) throw new Error("cannot be written");
      shown.key = key;
      inner.set(key, value);
    },
    read: () => JSON.parse(inner.get(shown.key) ?? "null"),
    write: (text) => inner.set(shown.key, text),
  };
  return shown;
}

export async function sessions_are_listed_and_revoked_one_by_one(t) {
  const here = await t.user();
  const there = t.client();
  await there.auth.login({ email: here.email, password });
  const sessions = await here.auth.sessions.list();
  equal(sessions.map((one) => one.current).sort(), [false, true]);
  const other = sessions.find((one) => !one.current);
  check(Date.parse(other.expiresAt) - Date.parse(other.createdAt) > 29 * day, "for thirty days");
  const events = [];
  there.auth.onChange((_, event) => events.push(event));
  await here.auth.sessions.revoke(other.id);
  await fails(there.auth.sessions.list(), "UNAUTHENTICATED", 401);
  equal(
    [events, (await here.auth.sessions.list()).map((one) => one.id)],
    [["revoked"], [sessions.find((one) => one.current).id]],
  );
  await fails(here.auth.sessions.revoke(other.id), "NOT_FOUND", 404);
  const stranger = await t.user();
  await fails(stranger.auth.sessions.revoke(sessions.find((one) => one.current).id), "NOT_FOUND", 404);
}

export async function signing_out_without_a_network_signs_out_here(t) {
  const user = await t.user();
  let away = false;
  const storage = openStorage();
  const watched = watchedFetch(() => {
    if (away) throw new TypeError("no network");
  });
  const client = t.client({ storage, fetch: watched });
  await client.auth.login({ email: user.email, password });
  away = true;
  await client.auth.logout({ timeoutMs: 400 });
  equal([client.auth.user, storage.read()], [null, null]);
  away = false;
  await fails(client.auth.sessions.list(), "UNAUTHENTICATED", 401);
}

export async function a_storage_that_cannot_be_read_signs_in_for_its_page(t) {
  const storage = openStorage();
  storage.broken = "get";
  const user = await t.user({ storage });
  equal((await user.auth.sessions.list()).length, 1);
  await user.auth.logout();
  equal(user.auth.user, null);
}

export async function a_storage_that_removes_nothing_does_not_keep_a_user_signed_in(t) {
  const storage = openStorage();
  const user = await t.user({ storage });
  storage.broken = "remove";
  await user.auth.logout();
  equal(user.auth.user, null);
  await fails(user.auth.sessions.list(), "UNAUTHENTICATED", 401);
  // What it still holds is of no use: the server has ended that session.
  const reloaded = t.client({ storage });
  const events = [];
  reloaded.auth.onChange((_, event) => events.push(event));
  equal((await reloaded.auth.ready).id, user.id);
  await fails(reloaded.auth.sessions.list(), "UNAUTHENTICATED", 401);
  equal([reloaded.auth.user, events.at(-1)], [null, "revoked"]);
}

export async function a_storage_that_fills_up_keeps_the_new_token_in_memory(t) {
  const storage = openStorage();
  const watched = watchedFetch();
  const user = await t.user({ storage, fetch: watched });
  const before = storage.read().accessToken;
  storage.broken = "set";
  await clockWrongBy(14 * 60_000, async () => {
    await user.auth.sessions.list();
    await user.auth.sessions.list();
  });
  equal([watched.count("/auth/refresh"), storage.read().accessToken], [1, before], "renewed once");
}

export async function a_storage_with_other_contents_is_no_session(t) {
  const storage = openStorage();
  const user = await t.user({ storage });
  const stored = storage.read();
  const contents = [
    "",
    "not JSON",
    "null",
    "7",
    '"text"',
    "[]",
    "{}",
    '{"user":null}',
    '{"accessToken":"x","refreshToken":"y"}',
  ];
  for (const text of contents) {
    storage.write(text);
    const watched = watchedFetch();
    const client = t.client({ storage, fetch: watched });
    equal(await client.auth.ready, null, text);
    await fails(client.auth.sessions.list(), "UNAUTHENTICATED", 401);
    equal(watched.sent.length, 1, text);
  }
  // A session without its times is one whose token may have expired.
  storage.write(JSON.stringify({ ...stored, expiresAt: undefined, lifeMs: "long" }));
  const watched = watchedFetch();
  const healed = t.client({ storage, fetch: watched });
  equal([(await healed.auth.sessions.list()).length, healed.auth.user.id], [1, user.id]);
  await healed.auth.sessions.list();
  equal(watched.count("/auth/refresh"), 1);
  // Tokens that no server has made end the session, once.
  storage.write(JSON.stringify({ ...stored, accessToken: "a.b.c", refreshToken: "none" }));
  const refusing = watchedFetch();
  const refused = t.client({ storage, fetch: refusing });
  await fails(refused.auth.sessions.list(), "UNAUTHENTICATED", 401);
  await fails(refused.auth.sessions.list(), "UNAUTHENTICATED", 401);
  equal([refused.auth.user, refusing.count("/auth/refresh"), storage.read()], [null, 1, null]);
}

export async function a_refresh_that_answers_nonsense_keeps_the_session(t) {
  const storage = openStorage();
  let nonsense = {};
  const watched = watchedFetch((line) => line.endsWith("/auth/refresh") && nonsense && jsonResponse(nonsense));
  const user = await t.user({ storage, fetch: watched });
  const stored = storage.read();
  await clockWrongBy(day, async () => {
    for (nonsense of [{}, [], 7, { accessToken: null }]) {
      await fails(user.auth.sessions.list(), "INVALID_RESPONSE", 200);
      equal([storage.read(), user.auth.user?.id], [stored, user.id], JSON.stringify(nonsense));
    }
    equal(watched.count("/auth/refresh"), 4, "one for each call");
    nonsense = undefined;
    equal((await user.auth.sessions.list()).length, 1, "and it is there when the server is");
  });
}

export async function a_refresh_that_fails_while_the_token_is_good_fails_no_call(t) {
  const answers = [];
  const watched = watchedFetch((line) => line.endsWith("/auth/refresh") && answers.shift()?.());
  const user = await t.user({ fetch: watched });
  const busy = () => jsonResponse({ error: { code: "INTERNAL", message: "sorry" } }, 500);
  answers.push(busy, busy);
  // Less than a fifth of the token's life is left.
  await clockWrongBy(13 * 60_000, async () => {
    equal((await user.auth.sessions.list()).length, 1);
    await fails(user.collection("no-such").list(), "NOT_FOUND", 404);
    equal(watched.count("/auth/refresh"), 2);
    equal((await user.auth.sessions.list()).length, 1);
    equal([watched.count("/auth/refresh"), user.auth.user.id], [3, user.id]);
  });
}

export async function a_token_that_is_refused_at_every_call_makes_no_loop(t) {
  const user = await t.user();
  const refusal = { error: { code: "UNAUTHENTICATED", message: "not this one" } };
  const watched = watchedFetch((line) => line.endsWith("/auth/sessions") && jsonResponse(refusal, 401));
  const client = t.client({ fetch: watched });
  await client.auth.login({ email: user.email, password });
  await fails(client.auth.sessions.list(), "UNAUTHENTICATED", 401);
  equal([watched.count("GET /auth/sessions"), watched.count("/auth/refresh")], [2, 1], "once with a new token");
  equal(client.auth.user.id, user.id, "the refresh has shown that the session is there");
}

export async function only_a_refused_token_is_renewed(t) {
  const user = await t.user();
  let answer;
  let renewed = false;
  const watched = watchedFetch((line) => {
    if (line.endsWith("/auth/refresh")) renewed = true;
    return line.endsWith("/auth/sessions") && !renewed && answer();
  });
  const refusals = [
    [() => jsonResponse({ error: { code: "INVALID_CREDENTIALS", message: "wrong" } }, 401), "INVALID_CREDENTIALS"],
    [() => jsonResponse({ error: { code: "UNAUTHENTICATED", message: "expired" } }, 401)],
    // Not of the server, but of a proxy before it.
    [() => new Response("<h1>401</h1>", { status: 401 })],
    [() => new Response(null, { status: 401 })],
    [() => jsonResponse({ message: "no" }, 401)],
  ];
  const client = t.client({ fetch: watched });
  await client.auth.login({ email: user.email, password });
  for (const [refusal, code] of refusals) {
    answer = refusal;
    renewed = false;
    watched.sent.length = 0;
    const call = client.auth.sessions.list();
    await (code ? fails(call, code, 401) : call);
    const expected = code ? ["GET /auth/sessions"] : ["GET /auth/sessions", "POST /auth/refresh", "GET /auth/sessions"];
    equal(watched.sent, expected);
  }
  equal(client.auth.user.id, user.id);
}

export async function a_response_of_a_function_is_given_whatever_its_status_with_its_body(t) {
  const user = await t.user();
  const body = { error: { code: "NOT_YOURS", message: "of the function" } };
  const watched = watchedFetch((line) => line.includes("/run/") && jsonResponse(body, 401));
  const client = t.client({ fetch: watched });
  await client.auth.login({ email: user.email, password });
  const response = await client.run("GET", "/some");
  equal([response.status, await response.json(), watched.count("/auth/refresh")], [401, body, 0]);
}

export async function ten_refused_calls_renew_the_token_once(t) {
  const storage = openStorage();
  const user = await t.user({ storage });
  const { accessToken } = storage.read();
  storage.write(JSON.stringify({ ...storage.read(), accessToken: accessToken.slice(0, -8) + "AAAAAAAA" }));
  const watched = watchedFetch();
  const client = t.client({ storage, fetch: watched });
  const lists = await Promise.all(Array.from({ length: 10 }, () => client.auth.sessions.list()));
  equal([lists.length, watched.count("GET /auth/sessions"), watched.count("/auth/refresh")], [10, 20, 1]);
  equal(client.auth.user.id, user.id);
}

export async function clocks_that_are_wrong_by_a_day(t) {
  for (const ms of [-day, day]) {
    await clockWrongBy(ms, async () => {
      const watched = watchedFetch();
      const user = await t.user({ fetch: watched });
      const books = user.collection(await t.collection());
      const before = Date.now() - ms;
      const { id, createdAt } = await books.create({ n: 1 });
      check(Math.abs(Date.parse(createdAt) - before) < 60_000, `${createdAt} is the server's time`);
      await books.update(id, { $inc: { n: 1 } });
      equal((await books.query({ sort: { n: 1 } })).documents[0].n, 2);
      equal(watched.count("/auth/refresh"), 0, `no token is renewed for a clock that is wrong by ${ms}`);
    });
  }
}

export async function a_session_that_another_client_replaced_is_taken_over(t) {
  const storage = openStorage();
  const first = await t.user({ storage });
  const watched = watchedFetch();
  const second = t.client({ storage, fetch: watched });
  await second.auth.ready;
  // Another page has signed another user in, and its message was lost.
  const separate = openStorage();
  const other = await t.user({ storage: separate });
  storage.write(JSON.stringify(separate.read()));
  const events = [];
  second.auth.onChange((user, event) => events.push([user?.id, event]));
  await clockWrongBy(14 * 60_000, () => second.auth.sessions.list());
  equal([events[0], second.auth.user.id], [[other.id, "login"], other.id]);
  check(first.id !== other.id, "two users");
}

export async function rotated_refresh_tokens_are_stored_and_a_stale_one_ends_the_session(t) {
  const own = await t.ownProject({ rotateRefreshTokens: true });
  const storage = openStorage();
  const user = await own.user({ storage });
  const first = storage.read();
  await clockWrongBy(14 * 60_000, () => user.auth.sessions.list());
  const second = storage.read();
  check(second.refreshToken !== first.refreshToken, "the next refresh token is stored");
  await clockWrongBy(28 * 60_000, () => user.auth.sessions.list());
  check(storage.read().refreshToken !== second.refreshToken, "and the one after it");
  // A copy of the first one, from a backup of the device: the server ends the session, here and there.
  storage.write(JSON.stringify({ ...first, expiresAt: 0 }));
  const stale = own.client({ storage });
  const events = [];
  stale.auth.onChange((_, event) => events.push(event));
  await fails(stale.auth.sessions.list(), "UNAUTHENTICATED", 401);
  equal([stale.auth.user, events.at(-1), storage.read()], [null, "revoked", null]);
}

export async function registrations_that_hide_taken_addresses(t) {
  const own = await t.ownProject({ hideRegistered: true });
  const user = await own.user();
  const { auth } = own.client();
  const shown = await auth.register({ email: user.email, password: "another password" });
  check(typeof shown.id === "string" && shown.id !== user.id, "as for a new address");
  await fails(auth.login({ email: user.email, password: "another password" }), "INVALID_CREDENTIALS", 401);
}

export async function two_projects_have_two_sessions_in_one_storage(t) {
  const storage = memoryStorage();
  const own = await t.ownProject();
  const here = await t.user({ storage });
  const there = await own.user({ storage });
  await here.auth.logout();
  await sleep(20);
  equal([here.auth.user, there.auth.user.id], [null, there.id]);
  await until(async () => (await own.client({ storage }).auth.ready)?.id === there.id, "restored");
  equal(await t.client({ storage }).auth.ready, null);
}
