// Subscriptions and live lists through a proxy that cuts and refuses their sockets. Not in pages.
import { live, memoryStorage } from "manybase";
import { check, clockWrongBy, day, equal, open, password, shown, sleep, unique, until } from "../context.mjs";
import { proxied } from "../proxy.mjs";

export async function a_list_over_an_outage_has_all_that_was_written(t) {
  const proxy = await proxied(t);
  const books = (await t.user({ url: proxy.url })).collection(await t.collection());
  const direct = t.key().collection(books.name);
  for (let n = 1; n <= 5; ++n) await direct.create({ id: `d${n}`, n });
  const list = await t.live(books.query({ sort: { n: 1 }, limit: 4, total: true }));
  equal([shown(list), list.state.total], ["1,2,3,4", 5]);
  await proxy.stop();
  await until(() => list.state.status === "offline", "offline");
  equal(shown(list), "1,2,3,4", "what is known stays shown");
  await direct.delete("d1");
  await direct.update("d5", { n: 0 });
  await direct.create({ n: 2.5 });
  await proxy.restart();
  proxy.requests.length = 0;
  await until(() => list.state.status === "live", "live again", 20);
  equal([shown(list), list.state.total], ["0,2,2.5,3", 5]);
  const readings = proxy.requests.filter((one) => one.endsWith("/query")).length;
  check(readings >= 1 && readings <= 3, `${readings} readings`);
}

export async function a_server_without_sockets_is_read_and_not_stormed(t) {
  const proxy = await proxied(t);
  proxy.server.removeAllListeners("upgrade");
  let attempts = 0;
  proxy.server.on(
    "upgrade",
    (_, socket) => (++attempts, socket.end("HTTP/1.1 503 Service Unavailable\r\nconnection: close\r\n\r\n")),
  );
  const books = (await t.user({ url: proxy.url })).collection(await t.collection());
  await books.create({ n: 1 });
  const list = live(books.query());
  t.onEnd(() => list.close());
  await until(() => shown(list) === "1", "read without a socket");
  await sleep(1_200);
  check(attempts >= 1 && attempts <= 8, `${attempts} attempts`);
  const readings = proxy.requests.filter((one) => one.endsWith("/query")).length;
  equal([list.state.status === "live", readings <= 2], [false, true], `${list.state.status}, ${readings} readings`);
}

export async function writes_without_a_socket_are_shown_and_confirmed(t) {
  const proxy = await proxied(t);
  const books = (await t.user({ url: proxy.url })).collection(await t.collection());
  await books.create({ id: "a", n: 1 });
  const list = await t.live(books.query({ sort: { n: 1 } }));
  let refused = true;
  proxy.cut = () => refused;
  proxy.cutSockets();
  await until(() => list.state.status !== "live", "the socket is away");
  await list.update("a", { n: 5 });
  const made = await list.create({ id: "b", n: 2 });
  equal([shown(list), made.n], ["2,5", 2], "the writes go by requests");
  refused = false;
  await until(() => list.state.status === "live" && list.state.pending.size === 0, "confirmed", 20);
  equal(shown(list), "2,5");
}

export async function many_subscriptions_resume_each_from_its_place(t) {
  const proxy = await proxied(t);
  const client = t.key({ url: proxy.url });
  const name = await t.collection();
  const direct = t.key().collection(name);
  const seen = Array.from({ length: 12 }, () => []);
  const subscriptions = seen.map((list, group) =>
    client
      .collection(name)
      .subscribe((change) => list.push(change.document.n), { filter: { group }, onGap: () => list.push("gap") }),
  );
  await until(() => subscriptions.every((one) => one.status === "live"), "live");
  const round = async (n) => Promise.all(seen.map((_, group) => direct.create({ group, n })));
  await round(0);
  await until(() => seen.every((list) => list.length === 1), "the first");
  for (let n = 1; n <= 3; ++n) {
    proxy.cutSockets();
    await until(() => subscriptions.every((one) => one.status !== "live"), "cut");
    await round(n);
    await until(
      () => seen.every((list) => list.length === n + 1),
      () => `round ${n}: ${JSON.stringify(seen)}`,
      20,
    );
  }
  equal(new Set(seen.map(String)), new Set(["0,1,2,3"]), "in order, once each, without a gap");
  equal(
    seen.map(String),
    seen.map(() => "0,1,2,3"),
  );
}

export async function a_session_that_ends_while_the_socket_is_away(t) {
  const proxy = await proxied(t);
  const user = await t.user({ url: proxy.url });
  const events = [];
  user.auth.onChange((_, event) => events.push(event));
  const books = user.collection(await t.collection());
  const list = await t.live(books.query());
  proxy.cut = () => true;
  proxy.cutSockets();
  await until(() => list.state.status !== "live", "cut");
  await t.admin("POST", `/users/${user.id}/block`);
  proxy.cut = () => false;
  proxy.requests.length = 0;
  await until(() => events.length === 1, "the client learns of it", 20);
  await sleep(500);
  equal([events, user.auth.user], [["revoked"], null]);
  const refreshes = proxy.requests.filter((one) => one.endsWith("/auth/refresh")).length;
  check(refreshes <= 1 && proxy.requests.length <= 6, String(proxy.requests));
}

export async function a_page_that_was_frozen_for_a_day_catches_up(t) {
  const proxy = await proxied(t);
  const storage = memoryStorage();
  const user = await t.user({ url: proxy.url, storage });
  const books = user.collection(await t.collection());
  const direct = t.key().collection(books.name);
  await direct.create({ n: 1 });
  const changes = [];
  const off = books.subscribe((change) => changes.push(change.document.n));
  const list = await t.live(books.query({ sort: { n: 1 } }));
  await direct.create({ n: 2 });
  await until(() => changes.length === 1 && shown(list) === "1,2", "a change");
  // Its timers stood still, its connections were closed, the clock went on.
  proxy.cut = () => true;
  proxy.cutSockets();
  await direct.create({ n: 3 });
  await until(() => off.status !== "live", "cut");
  await clockWrongBy(day, async () => {
    proxy.cut = () => false;
    await until(
      () => list.state.status === "live" && shown(list) === "1,2,3",
      () => `all, not ${shown(list)}`,
      20,
    );
    await until(
      () => changes.join() === "2,3",
      () => `what was missed, not ${changes}`,
    );
  });
  equal([user.auth.user.id, changes], [user.id, [2, 3]]);
  equal(proxy.requests.filter((one) => one.endsWith("/auth/refresh")).length, 1, "one new token for all");
}

export async function two_tabs_with_lists_when_one_signs_another_user_in(t) {
  const proxy = await proxied(t);
  const storage = memoryStorage();
  const own = { filter: { ownerId: "$auth.uid" } };
  const name = await t.collection({ ...open, read: own, list: own });
  const first = await t.user({ url: proxy.url, storage });
  const second = t.client({ url: proxy.url, storage });
  await second.auth.ready;
  await first.collection(name).create({ n: 1 });
  const list = await t.live(second.collection(name).query({ sort: { n: 1 } }));
  equal(shown(list), "1");
  const email = `${unique("user")}@example.com`;
  await first.auth.register({ email, password });
  await first.auth.logout();
  await until(() => second.auth.user === null, "signed out in both");
  await first.auth.login({ email, password });
  await first.collection(name).create({ n: 2 });
  await until(
    () => list.state.status === "live" && shown(list) === "2",
    () => `the other user's, not ${shown(list)}`,
    20,
  );
  await second.collection(name).create({ n: 3 });
  await until(() => shown(list) === "2,3", "and their changes");
  equal(second.auth.user.email, email);
}

export async function a_token_that_is_revoked_in_a_tab_while_another_writes(t) {
  const proxy = await proxied(t);
  const storage = memoryStorage();
  const first = await t.user({ url: proxy.url, storage });
  const second = t.client({ url: proxy.url, storage });
  await second.auth.ready;
  const books = second.collection(await t.collection());
  const elsewhere = t.client();
  await elsewhere.auth.login({ email: first.email, password });
  await elsewhere.auth.sessions.revokeOthers();
  const outcomes = await Promise.allSettled([1, 2, 3, 4].map((n) => books.create({ n })));
  const codes = outcomes.map((one) => one.reason?.code ?? "done");
  check(
    codes.every((code) => code === "UNAUTHENTICATED"),
    String(codes),
  );
  await until(() => first.auth.user === null, "the other tab learns of it");
  equal([second.auth.user, await t.key().collection(books.name).list()], [null, []]);
  await first.auth.login({ email: first.email, password });
  await until(() => second.auth.user?.id === first.id, "signed in in both");
  equal((await books.create({ n: 5 })).n, 5);
}
