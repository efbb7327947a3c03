// What happens when the network, the server or the clock fails, by a proxy that fails as it is told to. Not in pages.
import { memoryStorage } from "manybase";
import { check, equal, fails, password, sleep, until, unique } from "../context.mjs";
import { randomHistory } from "../history.mjs";
import { proxied } from "../proxy.mjs";

/** The methods that fetch() itself repeats, unseen, where a kept connection closes before the response begins. */
const repeatedBelow = globalThis.Deno
  ? ["GET", "POST", "PUT", "PATCH", "DELETE"]
  : globalThis.Bun
    ? ["GET", "PUT", "DELETE"]
    : [];
const isRepeatedBelow = (method) => repeatedBelow.includes(method);

export async function a_server_that_is_away(t) {
  const proxy = await proxied(t);
  await proxy.stop();
  const client = t.key({ url: proxy.url });
  const error = await fails(client.collection("x").create({}, { timeoutMs: 20_000 }), "NETWORK", 0);
  check(error.cause instanceof Error && error.message.includes(proxy.url), error.message);
  await fails(client.collection("x").update("y", { $inc: { n: 1 } }), "NETWORK", 0);
  await proxy.restart();
  equal(await client.collection(await t.collection()).list(), []);
}

export async function reads_are_repeated_and_increments_are_not(t) {
  const proxy = await proxied(t);
  const books = t.key({ url: proxy.url }).collection(await t.collection());
  const { id } = await books.create({ n: 0 });
  let failures = 2;
  proxy.mode = () => (failures-- > 0 ? "refuse" : undefined);
  equal((await books.get(id)).n, 0);
  failures = 1;
  proxy.mode = () => (failures-- > 0 ? "lose" : undefined);
  proxy.requests.length = 0;
  const updating = books.update(id, { $inc: { n: 1 } });
  if (isRepeatedBelow("PATCH")) await updating;
  else await fails(updating, "NETWORK", 0);
  equal(proxy.requests.length, isRepeatedBelow("PATCH") ? 2 : 1);
  equal((await books.get(id)).n, isRepeatedBelow("PATCH") ? 2 : 1, "never repeated by this package");
}

export async function an_update_with_a_version_is_done_once_whoever_repeats_it(t) {
  const proxy = await proxied(t);
  const books = t.key({ url: proxy.url }).collection(await t.collection());
  const made = await books.create({ n: 0 });
  let failures = 1;
  proxy.mode = () => (failures-- > 0 ? "lose" : undefined);
  const updating = books.update(made.id, { $inc: { n: 1 } }, { ifMatch: made });
  // The repetition finds another version.
  if (isRepeatedBelow("PATCH")) await fails(updating, "PRECONDITION_FAILED", 412);
  else await fails(updating, "NETWORK", 0);
  equal((await books.get(made.id)).n, 1, "done once");
}

export async function a_create_whose_response_is_lost_is_done_once(t) {
  const proxy = await proxied(t);
  const books = t.key({ url: proxy.url }).collection(await t.collection());
  await books.list();
  let failures = 2;
  proxy.mode = ({ method }) => (method === "POST" && failures-- > 0 ? "lose" : undefined);
  const made = await books.create({ n: 7 });
  equal([made.n, typeof made.createdAt], [7, "string"]);
  equal((await books.list()).length, 1);
  failures = 1;
  proxy.mode = ({ method }) => (method === "DELETE" && failures-- > 0 ? "lose" : undefined);
  const deleting = books.delete(made.id);
  // What was repeated below this package is like a deletion of a document that was not there.
  if (isRepeatedBelow("DELETE")) await fails(deleting, "NOT_FOUND", 404);
  else await deleting;
  equal(await books.list(), []);
}

export async function a_create_that_fetch_repeats_succeeds(t) {
  const proxy = await proxied(t);
  const name = await t.collection();
  await t.admin("POST", `/collections/${name}/indexes`, { keys: { n: 1 }, unique: true });
  const twice = async (url, init) => {
    const response = await fetch(url, init);
    if (init.method !== "POST") return response;
    await response.text();
    return fetch(url, init);
  };
  const books = t.key({ url: proxy.url, fetch: twice }).collection(name);
  const made = await books.create({ n: 7 });
  equal([made.n, typeof made.createdAt], [7, "string"]);
  equal((await t.key().collection(name).list()).length, 1);
  await fails(t.key().collection(name).create({ n: 7 }), "CONFLICT", 409);
  await fails(books.create({ id: made.id, n: 8 }), "CONFLICT", 409);
}

export async function a_proxy_that_answers_html(t) {
  const proxy = await proxied(t);
  const books = t.key({ url: proxy.url }).collection("x");
  const html = { headers: { "content-type": "text/html" }, body: "<h1>Bad gateway</h1>" };
  proxy.mode = () => ({ status: 200, ...html });
  const error = await fails(books.list(), "INVALID_RESPONSE", 200);
  check(error.message.includes("text/html"), error.message);
  proxy.mode = () => ({ status: 502, ...html });
  await fails(books.list(), "INVALID_RESPONSE", 502);
  equal(proxy.requests.length, 1 + 4, "repeated three times");
  proxy.mode = () => ({ status: 404, ...html });
  await fails(books.list(), "INVALID_RESPONSE", 404);
}

export async function a_slow_server(t) {
  const proxy = await proxied(t);
  proxy.mode = () => "hang";
  const books = t.key({ url: proxy.url }).collection("x");
  const began = Date.now();
  await fails(books.list({ timeoutMs: 300 }), "TIMEOUT", 0);
  check(Date.now() - began < 2_000, "within the limit, with all repetitions");
}

export async function retry_after_is_obeyed(t) {
  const proxy = await proxied(t);
  const books = t.key({ url: proxy.url }).collection(await t.collection());
  const busy = (seconds, code = "RATE_LIMITED") => ({
    status: 429,
    headers: { "content-type": "application/json", "retry-after": String(seconds) },
    body: JSON.stringify({ error: { code, message: "later" } }),
  });
  let times = 1;
  proxy.mode = () => (times-- > 0 ? busy(1) : undefined);
  const began = Date.now();
  await books.create({ n: 1 });
  check(Date.now() - began >= 950, "waits for a second");
  proxy.mode = () => busy(600);
  const error = await fails(books.list(), "RATE_LIMITED", 429);
  equal(error.retryAfter, 600, "too long to wait");
  proxy.requests.length = 0;
  proxy.mode = () => busy(0, "PLAN_LIMIT");
  await fails(books.list(), "PLAN_LIMIT", 429);
  proxy.mode = () => busy(1);
  await fails(t.client({ url: proxy.url }).auth.login({ email: "a@example.com", password }), "RATE_LIMITED", 429);
  equal(proxy.requests.length, 2, "neither is repeated");
}

export async function a_session_survives_the_loss_of_the_network(t) {
  const proxy = await proxied(t);
  const storage = memoryStorage();
  const user = await t.user({ url: proxy.url, storage });
  await proxy.stop();
  const now = Date.now;
  try {
    Date.now = () => now() + 3_600_000;
    await fails(user.auth.sessions.list({ timeoutMs: 5_000 }), undefined, 0);
    equal(user.auth.user.id, user.id, "still signed in");
    await proxy.restart();
    equal((await user.auth.sessions.list()).length, 1);
  } finally {
    Date.now = now;
  }
}

export async function ids_are_left_to_the_server_where_the_clock_is_wrong(t) {
  const proxy = await proxied(t);
  const books = t.key({ url: proxy.url }).collection(await t.collection());
  const now = Date.now;
  try {
    Date.now = () => now() - 24 * 3_600_000;
    await books.list();
    const before = await t.key().collection(books.name).create({ n: 1 });
    const made = await books.create({ n: 2 });
    check(made.id.slice(0, 5) > before.id.slice(0, 5), `${made.id} has the server's time`);
    proxy.mode = () => "lose";
    proxy.requests.length = 0;
    await fails(books.create({ n: 3 }), "NETWORK", 0);
    equal(proxy.requests.length, isRepeatedBelow("POST") ? 2 : 1, "without an id of its own it is not repeated here");
  } finally {
    Date.now = now;
  }
}

export async function a_socket_that_is_cut_resumes(t) {
  const proxy = await proxied(t);
  const user = await t.user({ url: proxy.url });
  const books = user.collection(await t.collection());
  const direct = t.key().collection(books.name);
  const seen = [];
  const statuses = [];
  const off = books.subscribe((change) => seen.push(change.document.n), {
    onStatus: (status) => statuses.push(status),
  });
  await until(() => off.status === "live", "live");
  for (let n = 0; n < 10; ++n) {
    await direct.create({ n });
    if (n === 0) await until(() => seen.length === 1, "the first change");
    if (n % 3 === 2) {
      proxy.cutSockets();
      await until(() => off.status === "offline", "it notices");
    }
  }
  await until(
    () => seen.length === 10,
    () => `ten changes, not ${seen}`,
  );
  equal(seen, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9], "in order, once each");
  check(statuses.includes("offline") && statuses.includes("catching-up"), String(statuses));
  await until(() => off.status === "live", "live");
  off();
}

export async function a_cut_before_the_first_change_loses_nothing(t) {
  const proxy = await proxied(t);
  const books = (await t.user({ url: proxy.url })).collection(await t.collection());
  const seen = [];
  let gaps = 0;
  const off = books.subscribe((change) => seen.push(change.document.n), { onGap: () => ++gaps });
  await until(() => off.status === "live", "live");
  proxy.cutSockets();
  await until(() => off.status === "offline", "it notices");
  await t.key().collection(books.name).create({ n: 1 });
  await until(() => off.status === "live" && seen.length > 0, "live, with what was missed");
  equal([seen, gaps], [[1], 0]);
  off();
}

export async function a_socket_that_is_closed_at_every_message_makes_no_storm(t) {
  const proxy = await proxied(t);
  const books = (await t.user({ url: proxy.url })).collection(await t.collection());
  proxy.cut = (data) => !data.toString("latin1").startsWith("HTTP/1.1 101");
  const off = books.subscribe(() => {}, { onGap: () => {} });
  await sleep(4_000);
  check(proxy.opened >= 2 && proxy.opened < 15, `${proxy.opened} connections in 4 s`);
  proxy.cut = () => false;
  await until(() => off.status === "live", "healed", 35);
  off();
}

export async function messages_of_a_newer_server_are_ignored(t) {
  const sockets = [];
  class Watched extends WebSocket {
    constructor(url) {
      super(url);
      sockets.push(this);
    }
  }
  const books = (await t.user({ WebSocket: Watched })).collection(await t.collection());
  const seen = [];
  const off = books.subscribe((change) => seen.push(change.type));
  await until(() => off.status === "live", "live");
  for (const data of [
    '{"type":"novelty","id":"1"}',
    "[]",
    "null",
    "not JSON",
    '{"type":"event","subscription":"77"}',
    "7",
  ]) {
    sockets[0].onmessage({ data });
  }
  await books.create({ n: 1 });
  await until(() => seen.length === 1, "a change");
  equal(sockets.length, 1);
  off();
}

export async function an_upload_continues_over_cut_connections(t) {
  const proxy = await proxied(t);
  const user = await t.user({ url: proxy.url });
  const bucket = user.files(await t.bucket());
  const data = Uint8Array.from({ length: 3_000_000 }, (_, at) => at % 253);
  let times = 0;
  proxy.mode = ({ method }) => (method === "PATCH" && ++times % 2 === 0 ? (times % 4 ? "lose" : "refuse") : undefined);
  const file = await bucket.upload("cut", data, { resumable: true });
  equal(file.size, 3_000_000);
  const read = new Uint8Array(await (await bucket.download("cut")).arrayBuffer());
  check(read.length === data.length && read.every((byte, at) => byte === data[at]), "the same bytes");
}

export async function live_lists_are_true_after_random_histories(t) {
  await randomHistory(t, { cuts: true });
}

export async function live_lists_follow_by_changes(t) {
  const proxy = await randomHistory(t, { cuts: false, values: [0, 1, 1, 2, 3.5, -4, "a", "b", "cc", true, null] });
  const queries = proxy.requests.filter((one) => one.endsWith("/query")).length;
  check(queries >= 12 && queries < 30, `${queries} queries of 12 lists for 150 changes`);
}

export async function optimistic_writes_without_a_network_are_taken_back(t) {
  const proxy = await proxied(t);
  const books = (await t.user({ url: proxy.url })).collection(await t.collection());
  const { id } = await books.create({ n: 1 });
  const list = await t.live(books.query());
  await proxy.stop();
  const writing = list.update(id, { n: 2 });
  equal(list.state.documents[0].n, 2);
  await fails(writing, "NETWORK", 0);
  equal(list.state.documents[0].n, 1);
  await until(() => list.state.status === "offline", "offline");
  await proxy.restart();
  await until(() => list.state.status === "live", "live again", 20);
}

export async function two_tabs_sign_out_and_in_while_one_refreshes(t) {
  const proxy = await proxied(t);
  const storage = memoryStorage();
  const first = await t.user({ url: proxy.url, storage });
  const second = t.client({ storage, url: proxy.url });
  await second.auth.ready;
  const email = `${unique("user")}@example.com`;
  await second.auth.register({ email, password });
  let release;
  const held = new Promise((resolve) => (release = resolve));
  const slow = t.client({
    storage,
    url: proxy.url,
    fetch: async (url, init) => {
      const response = await fetch(url, init);
      if (String(url).endsWith("/auth/refresh")) await held;
      return response;
    },
  });
  await slow.auth.ready;
  const now = Date.now;
  let call;
  try {
    Date.now = () => now() + 14 * 60_000;
    call = slow.auth.sessions.list().catch((error) => error);
    await until(() => proxy.requests.some((one) => one.endsWith("/auth/refresh")), "the refresh is under way");
  } finally {
    Date.now = now;
  }
  await second.auth.logout();
  await second.auth.login({ email, password });
  release();
  await call;
  await sleep(50);
  for (const client of [first, second, slow]) equal(client.auth.user?.email, email, "all have the new session");
  equal((await slow.auth.sessions.list()).length, 1);
}
