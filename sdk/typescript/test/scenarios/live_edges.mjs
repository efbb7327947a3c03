// Live lists at the edges of their limit, and what is read again for them.
import { live } from "manybase";
import { check, equal, fails, jsonResponse, open, password, shown, sleep, until, watchedFetch } from "../context.mjs";

/** A collection with the numbers 10, 20, … as ids too; a list of the first five, and a function that waits for its numbers. */
async function ofTens(t, count, options = {}) {
  const watched = watchedFetch();
  const books = t.key({ fetch: watched }).collection(await t.collection());
  for (let n = 10; n <= count * 10; n += 10) await books.create({ id: `d${n}`, n });
  const query = books.query({ sort: { n: 1 }, limit: 5, ...options });
  const list = await t.live(query);
  const becomes = (numbers, what) =>
    until(
      () => shown(list) === numbers,
      () => `${what}: ${numbers}, not ${shown(list)}`,
    );
  return { watched, books, list, query, becomes, readings: () => watched.count("/query") };
}

export async function inserts_at_each_edge_of_the_limit(t) {
  const { books, list, becomes, readings } = await ofTens(t, 8);
  await becomes("10,20,30,40,50", "at first");
  await books.create({ id: "a", n: 5 });
  await becomes("5,10,20,30,40", "at the front");
  await books.create({ id: "b", n: 35 });
  await becomes("5,10,20,30,35", "in the last place");
  await books.create({ id: "c", n: 36 });
  await books.create({ id: "d", n: 999 });
  await books.create({ id: "e", n: 15 });
  await becomes("5,10,15,20,30", "those beyond the limit are not shown");
  equal([list.state.hasMore, readings()], [true, 1], "without a second reading");
}

export async function deletions_at_each_edge_of_the_limit(t) {
  const { books, becomes, readings, list } = await ofTens(t, 9);
  await books.delete("d60");
  await books.delete("d50");
  await becomes("10,20,30,40,70", "the last place, and the first beyond");
  await books.delete("d10");
  await becomes("20,30,40,70,80", "the first place");
  await books.delete("d90");
  await books.delete("d40");
  await becomes("20,30,70,80", "fewer than the limit");
  equal([list.state.hasMore, readings()], [false, 1], "without a second reading");
}

export async function updates_across_each_edge_of_the_limit(t) {
  const { books, becomes, readings } = await ofTens(t, 8);
  await books.update("d50", { n: 75 });
  await becomes("10,20,30,40,60", "out of the last place");
  await books.update("d80", { n: 1 });
  await becomes("1,10,20,30,40", "from beyond into the first");
  await books.update("d80", { n: 41 });
  await becomes("10,20,30,40,41", "to the last place");
  await books.replace("d10", { n: 45 });
  await becomes("20,30,40,41,45", "a replacement");
  await books.update("d20", { n: 31 });
  await becomes("30,31,40,41,45", "inside");
  equal(readings(), 1);
}

export async function documents_that_leave_at_each_edge(t) {
  const { books, becomes, readings } = await ofTens(t, 8, { filter: { gone: { $ne: true } } });
  for (const [id, numbers] of [
    ["d50", "10,20,30,40,60"],
    ["d70", "10,20,30,40,60"],
    ["d10", "20,30,40,60,80"],
    ["d30", "20,40,60,80"],
  ]) {
    await books.update(id, { gone: true });
    await becomes(numbers, `without ${id}`);
  }
  await books.update("d30", { gone: false });
  await becomes("20,30,40,60,80", "and back");
  equal(readings(), 1);
}

export async function ties_at_the_limit_are_in_the_order_of_ids(t) {
  const watched = watchedFetch();
  const books = t.key({ fetch: watched }).collection(await t.collection());
  for (const id of ["b", "d", "f", "h"]) await books.create({ id, n: 1, text: "same" });
  const query = books.query({ sort: { n: 1, text: -1 }, limit: 3 });
  const list = await t.live(query);
  const ids = () => list.state.documents.map((one) => one.id).join("");
  const steps = [
    [() => books.create({ id: "e", n: 1, text: "same" }), "bde"],
    [() => books.create({ id: "z", n: 1, text: "same" }), "bde"],
    [() => books.create({ id: "B", n: 1, text: "same" }), "Bbd"],
    [() => books.create({ id: "0", n: 1, text: "other" }), "Bbd"],
    [() => books.delete("b"), "Bde"],
    [() => books.update("B", { text: "same " }), "Bde"],
    [() => books.update("z", { n: 0 }), "zBd"],
    [() => books.update("z", { n: 1 }), "Bde"],
  ];
  for (const [write, expected] of steps) {
    await write();
    await until(
      () => ids() === expected,
      () => `${expected}, not ${ids()}`,
    );
    equal((await query).documents.map((one) => one.id).join(""), expected, "as the server has it");
  }
}

export async function a_list_of_one_and_a_list_of_none(t) {
  const { books } = await ofTens(t, 3);
  const one = await t.live(books.query({ sort: { n: -1 }, limit: 1 }));
  const none = await t.live(books.query({ filter: { n: { $gt: 1_000 } }, total: true }));
  const zero = await t.live(books.query({ limit: 0, total: true }));
  equal([shown(one), none.state.documents, none.state.total, zero.state.documents], ["30", [], 0, []]);
  await books.create({ id: "x", n: 2_000 });
  await until(() => shown(one) === "2000" && shown(none) === "2000", "both have it");
  await books.delete("x");
  await until(() => shown(one) === "30" && shown(none) === "", "both are as before");
  equal([one.state.hasMore, none.state.hasMore, zero.state.documents], [true, false, []]);
}

export async function a_list_that_is_emptied_beyond_what_it_knows_is_read_again(t) {
  const { books, becomes, readings, list } = await ofTens(t, 40, { limit: 3 });
  // Twenty more than the limit are known.
  await Promise.all(Array.from({ length: 25 }, (_, at) => books.delete(`d${(at + 1) * 10}`)));
  await becomes("260,270,280", "after all that was known");
  check(readings() >= 2 && readings() <= 4, `${readings()} readings`);
  equal(list.state.hasMore, true);
}

export async function lists_that_cannot_be_kept_are_refused(t) {
  const books = t.key().collection(await t.collection());
  for (const options of [{ skip: 1 }, { skip: 0 }, { after: "x" }]) {
    let thrown;
    try {
      live(books.query(options)).close();
    } catch (error) {
      thrown = error;
    }
    equal([thrown?.code, thrown?.status], ["INVALID_PARAM", 0], JSON.stringify(options));
  }
}

export async function a_page_from_before_is_shown_until_the_list_is_live(t) {
  const { books, query } = await ofTens(t, 7);
  const initial = await query;
  await books.delete("d10");
  const list = live(query, { initial });
  t.onEnd(() => list.close());
  equal([shown(list), list.state.hasMore, list.state.status], ["10,20,30,40,50", true, "catching-up"]);
  await list.ready;
  await until(() => list.state.status === "live", "live");
  equal(shown(list), "20,30,40,50,60");
}

export async function a_list_that_is_refused_is_asked_once(t) {
  const watched = watchedFetch();
  const user = await t.user({ fetch: watched });
  const list = live(user.collection(await t.collection({ create: {} })).query());
  t.onEnd(() => list.close());
  await list.ready;
  await sleep(900);
  equal(
    [list.state.error.code, list.state.documents, watched.count("/query") <= 2],
    ["FORBIDDEN", [], true],
    `${watched.count("/query")}`,
  );
}

export async function responses_that_are_none_are_asked_ever_less_and_healed(t) {
  let nonsense = [{}, null, { documents: null }];
  const watched = watchedFetch(
    (line) =>
      line.endsWith("/query") && nonsense.length && jsonResponse(nonsense[watched.sent.length % nonsense.length]),
  );
  const books = t.key({ fetch: watched }).collection(await t.collection());
  await books.create({ n: 1 });
  const list = live(books.query());
  t.onEnd(() => list.close());
  await until(() => list.state.error, "an error");
  equal([list.state.error.code, list.state.documents], ["INVALID_RESPONSE", []]);
  await sleep(800);
  check(watched.count("/query") <= 4, `${watched.count("/query")} readings`);
  nonsense = [];
  await until(() => list.state.status === "live", "healed");
  equal([shown(list), list.state.error], ["1", undefined]);
}

export async function another_role_shows_another_list(t) {
  const role = "author" + Date.now();
  await t.admin("POST", "/enduser-roles", { name: role, permissions: ["data:*:read", "data:*:list"] });
  const rule = { filter: { $or: [{ for: "all" }, { for: "$auth.role" }] } };
  const user = await t.user();
  const name = await t.collection({ ...open, read: rule, list: rule });
  await t.key().collection(name).create({ n: 1, for: "all" });
  await t.key().collection(name).create({ n: 2, for: role });
  const list = await t.live(user.collection(name).query({ sort: { n: 1 } }));
  equal(shown(list), "1");
  await t.admin("PATCH", `/users/${user.id}`, { metadata: { role } });
  await t.key().collection(name).create({ n: 3, for: role });
  await until(
    () => shown(list) === "1,2,3",
    () => `all three, not ${shown(list)}`,
  );
}

export async function another_user_gets_another_list(t) {
  const own = { filter: { ownerId: "$auth.uid" } };
  const [ann, ben] = [await t.user(), await t.user()];
  const name = await t.collection({ create: {}, read: own, list: own });
  await ann.collection(name).create({ n: 1 });
  await ben.collection(name).create({ n: 2 });
  const list = await t.live(ann.collection(name).query({ sort: { n: 1 }, total: true }));
  equal([shown(list), list.state.total], ["1", 1]);
  await ann.auth.logout();
  await until(() => list.state.status === "offline", "offline");
  await ann.auth.login({ email: ben.email, password });
  await until(
    () => list.state.status === "live" && shown(list) === "2",
    () => `Ben's, not ${shown(list)}`,
  );
  equal(list.state.total, 1);
  await ann.collection(name).create({ n: 3 });
  await until(() => shown(list) === "2,3", "and his changes");
}

export async function many_lists_share_one_socket(t) {
  let opened = 0;
  class Counted extends WebSocket {
    constructor(url) {
      super(url);
      ++opened;
    }
  }
  const books = t.key({ WebSocket: Counted }).collection(await t.collection());
  for (let n = 0; n < 12; ++n) await books.create({ n, group: n % 4 });
  const queries = Array.from({ length: 16 }, (_, at) =>
    books.query({ filter: { group: at % 4 }, sort: { n: at < 8 ? 1 : -1 }, limit: 2 + Math.floor(at / 4) }),
  );
  const lists = await Promise.all(queries.map((query) => t.live(query)));
  await Promise.all(Array.from({ length: 12 }, (_, n) => books.create({ n: n + 100, group: n % 4 })));
  await books.update((await books.list({ filter: { n: 0 } }))[0].id, { group: 1 });
  for (const [at, query] of queries.entries()) {
    const { documents } = await query;
    const expected = documents.map((one) => one.n).join();
    await until(
      () => shown(lists[at]) === expected,
      () => `list ${at}: ${expected}, not ${shown(lists[at])}`,
    );
  }
  equal(opened, 1);
}

export async function a_list_with_a_signal_ends_with_it(t) {
  const { query } = await ofTens(t, 2);
  const controller = new AbortController();
  const list = await t.live(query, { signal: controller.signal });
  controller.abort();
  await until(
    () => list.state.status === "ended",
    () => `ended, not ${list.state.status}`,
  );
  equal(shown(list), "10,20", "what was known stays");
  const over = live(query, { signal: controller.signal });
  t.onEnd(() => over.close());
  await until(
    () => over.state.status === "ended",
    () => `ended, not ${over.state.status}`,
  );
  await fails(over.update("none", { n: 1 }), "NOT_FOUND", 404);
}
