// Writes of live lists that are shown at once: confirmed, refused, several at a time, and those that cannot be shown.
import { check, equal, fails, open, shown, until, watchedFetch } from "../context.mjs";

async function listOf(t, numbers, policy = open, options = {}, client = t.key()) {
  const books = client.collection(await t.collection(policy));
  for (const n of numbers)
    await t
      .key()
      .collection(books.name)
      .create({ id: `d${n}`, n });
  const list = await t.live(books.query({ sort: { n: 1 }, ...options }));
  return { books, list };
}

const settled = (list) => until(() => list.state.pending.size === 0, "confirmed");

export async function every_write_is_shown_at_once_and_confirmed(t) {
  const { books, list } = await listOf(t, [10, 20, 30]);
  const writes = [
    [() => list.create({ id: "x", n: 15 }), "10,15,20,30"],
    [() => list.update("d20", { n: 5 }), "5,10,15,30"],
    [() => list.update("d30", { $inc: { n: -18 } }), "5,10,12,15"],
    [() => list.replace("d10", { n: 40 }), "5,12,15,40"],
    [() => list.delete("x"), "5,12,40"],
  ];
  for (const [write, numbers] of writes) {
    const writing = write();
    equal([shown(list), list.state.pending.size], [numbers, 1], "before the server has it");
    await writing;
    await settled(list);
    equal(shown(list), numbers, "and afterwards");
    equal((await books.query({ sort: { n: 1 } })).documents.map((one) => one.n).join(), numbers);
  }
  equal(list.state.error, undefined);
}

export async function every_write_that_is_refused_is_taken_back(t) {
  const user = await t.user();
  const { list } = await listOf(
    t,
    [10, 20],
    { read: {}, list: {}, create: { validate: "document.n < 50" }, update: { immutableFields: ["n"] } },
    {},
    user,
  );
  const writes = [
    [() => list.create({ n: 99 }), "10,20,99", "FORBIDDEN", 403],
    [() => list.create({ id: "d10", n: 15 }), "10,20", "CONFLICT", 409],
    [() => list.update("d10", { n: 25 }), "20,25", "FORBIDDEN", 403],
    [() => list.replace("d20", { n: 1 }), "1,10", "FORBIDDEN", 403],
    [() => list.delete("d10"), "20", "FORBIDDEN", 403],
    [() => list.update("none", { m: 1 }), "10,20", "NOT_FOUND", 404],
  ];
  for (const [write, numbers, code, status] of writes) {
    const writing = write();
    equal(shown(list), numbers, "before the server has it");
    await fails(writing, code, status);
    equal([shown(list), list.state.pending.size, list.state.status], ["10,20", 0, "live"], `${code}: taken back`);
  }
}

export async function updates_that_cannot_be_computed_here_change_nothing_until_refused(t) {
  const { books, list } = await listOf(t, [1, 2]);
  for (const change of [
    { $push: { n: 3 } },
    { $addToSet: { n: 3 } },
    { $inc: { id: 1, n: "x" } },
    { $push: { "n.list": 1 } },
    { $set: null },
    { $unknown: { n: 1 } },
  ]) {
    const error = await fails(list.update("d1", change));
    check(error.status === 400, `${JSON.stringify(change)}: ${error.stack}`);
    equal([shown(list), list.state.pending.size], ["1,2", 0], JSON.stringify(change));
  }
  await books.update("d2", { n: 3 });
  await until(() => shown(list) === "1,3", "the list goes on");
}

export async function operators_that_are_not_known_here_show_with_the_change(t) {
  const { list } = await listOf(t, [4, 9]);
  const writing = list.update("d9", { $bit: { n: { and: 3 } } });
  equal([shown(list), [...list.state.pending]], ["4,9", ["d9"]]);
  await writing;
  await until(
    () => shown(list) === "1,4",
    () => `1,4, not ${shown(list)}`,
  );
  await list.update("d4", { $min: { n: 0 }, $set: { m: 1 } });
  await until(
    () => shown(list) === "0,1",
    () => `0,1, not ${shown(list)}`,
  );
  equal(list.state.documents[0].m, 1);
}

export async function several_writes_to_one_document_are_shown_together(t) {
  const user = await t.user();
  const { books, list } = await listOf(t, [1], { ...open, update: { validate: "document.n < 100" } }, {}, user);
  const writes = [
    list.update("d1", { $inc: { n: 1 } }),
    list.update("d1", { n: 500 }),
    list.update("d1", { $inc: { n: 1 } }),
    list.update("d1", { m: "x" }),
  ];
  equal([shown(list), list.state.documents[0].m, list.state.pending.size], ["501", "x", 1]);
  const results = await Promise.allSettled(writes);
  equal(
    results.map((one) => one.status),
    ["fulfilled", "rejected", "fulfilled", "fulfilled"],
  );
  await settled(list);
  const stored = await books.get("d1");
  equal([stored.n, stored.m], [3, "x"], "none is lost, whatever their order");
  await until(
    () => shown(list) === "3",
    () => `3, not ${shown(list)}`,
  );
}

export async function a_write_that_takes_a_document_out_of_the_list_is_shown_so(t) {
  const { books, list } = await listOf(t, [1, 2, 3], open, { filter: { done: { $ne: true } }, limit: 2 });
  equal(shown(list), "1,2");
  await list.update("d1", { done: true });
  await until(
    () => shown(list) === "2,3",
    () => `2,3, not ${shown(list)}`,
  );
  await list.update("d2", { n: 9 });
  await until(
    () => shown(list) === "3,9",
    () => `3,9, not ${shown(list)}`,
  );
  await list.create({ id: "beyond", n: 10 });
  await settled(list);
  equal([shown(list), list.state.hasMore, (await books.get("beyond")).n], ["3,9", true, 10]);
}

export async function optimistic_documents_have_what_the_query_has(t) {
  const { list } = await listOf(t, [1], open, { fields: ["title"] });
  const writing = list.create({ id: "x", n: 2, title: "a" });
  equal(list.state.documents[1].title, "a");
  const made = await writing;
  equal([made.id, typeof made.createdAt], ["x", "string"], "the method gives the whole document");
  await settled(list);
  equal(Object.keys(list.state.documents[1]).sort(), ["id", "n", "title"]);
}

export async function writes_end_after_their_list_was_closed(t) {
  const { books, list } = await listOf(t, [1]);
  const states = [];
  list.subscribe((state) => states.push(state.documents.length));
  const writing = Promise.allSettled([list.create({ id: "x", n: 2 }), list.create({ id: "d1", n: 2 })]);
  list.close();
  const seen = states.length;
  const [good, bad] = await writing;
  equal([good.value?.n, bad.reason?.code], [2, "CONFLICT"]);
  equal([states.length, (await books.get("x")).n], [seen, 2], "and no state is told any more");
}

export async function a_listener_of_a_list_that_fails_ends_no_other(t) {
  const { books, list } = await listOf(t, [1]);
  const states = [];
  let calls = 0;
  list.subscribe(() => {
    if (++calls > 1) throw new Error("a listener of the app");
  });
  const stop = list.subscribe((state) => states.push(state.documents.map((one) => one.n).join()));
  await list.update("d1", { n: 2 });
  await books.create({ id: "x", n: 3 });
  await until(
    () => states.at(-1) === "2,3",
    () => states.join(" "),
  );
  check(calls > 1, "it was called");
  stop();
  const before = states.length;
  await books.create({ id: "y", n: 4 });
  await until(() => shown(list) === "2,3,4", "the list goes on");
  equal(states.length, before, "nothing after its end");
}

export async function a_create_of_a_list_whose_response_is_lost_is_shown_once(t) {
  let failures = 1;
  const losing = async (line, init) => {
    if (!line.startsWith("POST") || line.endsWith("/query") || failures-- <= 0) return undefined;
    await fetch(`${t.url}/api/v1${line.slice(5)}`, init);
    throw new TypeError("the response was lost");
  };
  const watched = watchedFetch(losing);
  const { books, list } = await listOf(t, [1], open, {}, t.key({ fetch: watched }));
  const made = await list.create({ n: 2 });
  await settled(list);
  equal([shown(list), made.n, (await books.list()).length], ["1,2", 2, 2]);
}
