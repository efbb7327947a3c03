// Requests through a proxy that fails: what is repeated, how often, and what is never lost or done twice. Not in pages.
import { memoryStorage } from "manybase";
import { check, clockWrongBy, equal, fails, open, password, sleep, unique } from "../context.mjs";
import { proxied } from "../proxy.mjs";

const json = (status, body, headers = {}) => ({
  status,
  headers: { "content-type": "application/json", ...headers },
  body: JSON.stringify(body),
});
const failure = (status, code, headers) => json(status, { error: { code, message: "from the proxy" } }, headers);

/** A collection of an administrator behind a proxy, with one document. */
async function behindProxy(t) {
  const proxy = await proxied(t);
  const books = t.key({ url: proxy.url }).collection(await t.collection());
  await books.create({ id: "a", n: 0 });
  proxy.requests.length = 0;
  /** The number of requests that a call needs while the proxy answers with `mode` for `times`. */
  const counted = async (mode, times, call) => {
    let left = times;
    proxy.requests.length = 0;
    proxy.mode = () => (left-- > 0 ? mode : undefined);
    try {
      return [
        await call().then(
          () => "done",
          (error) => error.code,
        ),
        proxy.requests.length,
      ];
    } finally {
      proxy.mode = () => undefined;
    }
  };
  return { proxy, books, counted };
}

export async function what_is_repeated_after_a_busy_gateway(t) {
  const { books, counted } = await behindProxy(t);
  const version = await books.get("a");
  const calls = {
    get: [() => books.get("a"), ["done", 2]],
    query: [() => books.query({ sort: { n: 1 } }).page(), ["done", 2]],
    count: [() => books.count(), ["done", 2]],
    create: [() => books.create({ n: 1 }), ["done", 2]],
    "create with an id": [() => books.create({ id: "own", n: 1 }), ["done", 2]],
    update: [() => books.update("a", { $inc: { n: 1 } }), ["UNAVAILABLE", 1]],
    "update with a version": [() => books.update("a", { n: 1 }, { ifMatch: version }), ["UNAVAILABLE", 1]],
    replace: [() => books.replace("a", { n: 2 }), ["done", 2]],
    "replace with a version": [() => books.replace("a", { n: 2 }, { ifMatch: version }), ["UNAVAILABLE", 1]],
    "create by replace": [() => books.replace("b", { n: 2 }, { create: true }), ["UNAVAILABLE", 1]],
    "delete with a version": [() => books.delete("a", { ifMatch: version }), ["UNAVAILABLE", 1]],
    delete: [() => books.delete("a"), ["done", 2]],
  };
  for (const [what, [call, expected]] of Object.entries(calls)) {
    equal(await counted(failure(503, "UNAVAILABLE", { "retry-after": "0" }), 1, call), expected, what);
  }
}

export async function what_was_not_begun_is_repeated_whatever_it_is(t) {
  const { books, counted, proxy } = await behindProxy(t);
  const limited = failure(429, "RATE_LIMITED", { "retry-after": "0" });
  equal(await counted(limited, 2, () => books.update("a", { $inc: { n: 1 } })), ["done", 3]);
  equal((await books.get("a")).n, 1, "counted once");
  equal(
    await counted(failure(503, "FUNCTIONS_BUSY", { "retry-after": "0" }), 1, () =>
      books.update("a", { $inc: { n: 1 } }),
    ),
    ["done", 2],
  );
  equal(await counted(limited, 9, () => books.get("a")), ["RATE_LIMITED", 4], "three times at most");
  equal(
    await counted(failure(429, "RATE_LIMITED", { "retry-after": "Wed, 21 Oct 2026 07:28:00 GMT" }), 1, () =>
      books.get("a"),
    ),
    ["done", 2],
  );
  equal(
    await counted(failure(500, "INTERNAL"), 9, () => books.get("a")),
    ["INTERNAL", 1],
    "an error of the server is none of the network",
  );
  const user = t.client({ url: proxy.url });
  const account = { email: `${unique("user")}@example.com`, password };
  equal(await counted(limited, 9, () => user.auth.register(account)), ["RATE_LIMITED", 1]);
  equal(await counted("lose", 1, () => user.auth.register(account)).then(([, requests]) => requests <= 2), true);
}

export async function a_response_that_ends_early_is_read_again(t) {
  const { books, counted } = await behindProxy(t);
  await books.update("a", { text: "x".repeat(20_000) });
  equal(await counted("cut", 2, async () => equal((await books.get("a")).text.length, 20_000)), ["done", 3]);
  const updating = () => books.update("a", { $inc: { n: 1 } }, { returning: true });
  const [outcome] = await counted("cut", 1, updating);
  equal([outcome, (await books.get("a")).n], ["NETWORK", 1], "done once, and not known to the caller");
  const error = await counted("cut", 9, () => books.get("a"));
  equal(error, ["NETWORK", 4]);
}

export async function a_deletion_or_replacement_whose_response_is_lost(t) {
  const { books, proxy, counted } = await behindProxy(t);
  const [replaced] = await counted("lose", 1, () => books.replace("a", { n: 7 }));
  equal([replaced, (await books.get("a")).n], ["done", 7]);
  await books.create({ id: "own", n: 1 });
  const [created] = await counted("lose", 1, () => books.create({ id: "mine", n: 1 }));
  // A repetition cannot tell its own document from another's: the caller chose the id.
  equal([created, (await books.get("mine")).n], ["CONFLICT", 1]);
  proxy.mode = () => undefined;
  await fails(books.delete("none"), "NOT_FOUND", 404);
}

export async function time_and_signals_end_a_call_between_its_repetitions(t) {
  const { books, counted, proxy } = await behindProxy(t);
  const busy = failure(503, "UNAVAILABLE", { "retry-after": "20" });
  let began = Date.now();
  equal(await counted(busy, 9, () => books.list({ timeoutMs: 200 })), ["TIMEOUT", 1]);
  check(Date.now() - began < 3_000, "within its time, not after 20 s");
  began = Date.now();
  const controller = new AbortController();
  setTimeout(() => controller.abort(), 100);
  equal(await counted(busy, 9, () => books.list({ signal: controller.signal })), ["ABORTED", 1]);
  check(Date.now() - began < 3_000, "at once");
  proxy.mode = () => "hang";
  const early = new AbortController();
  const hanging = books.list({ signal: early.signal });
  setTimeout(() => early.abort(new Error("the user left")), 50);
  equal((await fails(hanging, "ABORTED", 0)).cause.message, "the user left");
}

export async function a_signal_that_has_ended_already_leaves_nothing_unhandled(t) {
  // The runner counts rejections that nobody handles: here the token's.
  const token = () => Promise.reject(new Error("no token today"));
  const signal = AbortSignal.abort(new Error("the user left"));
  await fails(t.adminPlane({ token }).listCollections({ signal }), "ABORTED", 0);
  await sleep(20);
}

export async function a_server_that_answers_every_call_with_something_else(t) {
  const proxy = await proxied(t);
  const user = await t.user({ url: proxy.url });
  const books = user.collection("x");
  const bucket = user.files("x");
  const wrong = [
    json(200, {}),
    json(200, []),
    json(200, null),
    json(200, "text"),
    { status: 200, headers: { "content-type": "text/html" }, body: "<html>" },
    { status: 200, headers: {}, body: "" },
  ];
  const calls = {
    list: () => books.list(),
    get: () => books.get("a"),
    query: () => books.query({}).page(),
    count: () => books.count(),
    search: () => books.search({ vector: [1] }),
    create: () => books.create({ n: 1 }),
    update: () => books.update("a", { n: 1 }),
    replace: () => books.replace("a", { n: 1 }),
    delete: () => books.delete("a"),
    sessions: () => user.auth.sessions.list(),
    identities: () => user.auth.identities.list(),
    register: () => user.auth.register({ email: "a@example.com", password }),
    enroll: () => user.auth.totp.enroll(),
    activate: () => user.auth.totp.activate("123456"),
    files: () => bucket.list(),
    sign: () => bucket.sign("a"),
    upload: () => bucket.upload("a", "x"),
    pieces: () => bucket.upload("a", "x", { resumable: true }),
    graphql: () => user.graphql("{ a }"),
    server: () => user.server(),
  };
  for (const answer of wrong) {
    proxy.mode = () => answer;
    for (const [what, call] of Object.entries(calls)) {
      proxy.requests.length = 0;
      const error = await fails(Promise.resolve(call()));
      check(error.code === "INVALID_RESPONSE", `${what}, ${answer.body}: ${error.stack}`);
      equal(proxy.requests.length, 1, `${what}, ${answer.body}`);
    }
  }
  proxy.mode = () => undefined;
  equal((await user.auth.sessions.list()).length, 1, "the session is as it was");
}

export async function a_refresh_behind_a_portal_keeps_the_session(t) {
  const proxy = await proxied(t);
  const storage = memoryStorage();
  const user = await t.user({ url: proxy.url, storage });
  const portal = { status: 200, headers: { "content-type": "text/html" }, body: "<h1>Welcome to this hotel</h1>" };
  await clockWrongBy(14 * 60_000 * 2, async () => {
    for (const mode of [portal, { ...portal, status: 403 }, failure(500, "INTERNAL"), failure(501, "NONE")]) {
      proxy.mode = ({ url }) => (url.endsWith("/auth/refresh") ? mode : undefined);
      await fails(user.auth.sessions.list({ timeoutMs: 5_000 }));
      equal(user.auth.user.id, user.id);
    }
    proxy.mode = () => undefined;
    equal((await user.auth.sessions.list()).length, 1);
  });
  equal((await t.client({ url: proxy.url, storage }).auth.ready).id, user.id, "and it is stored");
}

export async function an_upload_whose_response_is_lost_is_stored_once(t) {
  const proxy = await proxied(t);
  const user = await t.user({ url: proxy.url });
  const bucket = user.files(await t.bucket());
  let failures = 1;
  proxy.mode = ({ method }) => (method === "PUT" && failures-- > 0 ? "lose" : undefined);
  equal((await bucket.upload("a", "content")).size, 7);
  equal(await (await bucket.download("a")).text(), "content");
  failures = 1;
  proxy.mode = ({ method }) => (method === "PATCH" && failures-- > 0 ? failure(503, "UNAVAILABLE") : undefined);
  equal((await bucket.upload("b", new Uint8Array(300_000), { resumable: true })).size, 300_000);
}

export async function a_client_that_starts_while_the_server_is_away(t) {
  const proxy = await proxied(t);
  const storage = memoryStorage();
  const user = await t.user({ url: proxy.url, storage });
  const name = await t.collection(open);
  await proxy.stop();
  const client = t.client({ url: proxy.url, storage });
  equal((await client.auth.ready).id, user.id, "the stored session needs no network");
  const reading = client.collection(name).list();
  await sleep(150);
  await proxy.restart();
  equal(await reading, [], "the call waits for the server");
  equal(client.auth.user.id, user.id);
}
