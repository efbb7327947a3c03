// Update operators, by the package's methods, and what they are refused for.
import { versionOf } from "manybase";
import { check, equal, fails, open } from "../context.mjs";

/** A collection of an administrator, and a function that gives what an update makes of a document. */
async function updating(t, schema) {
  const books = t.key().collection(await t.collection(open, schema));
  const after = async (document, ...changes) => {
    const { id } = await books.create(document);
    for (const change of changes) await books.update(id, change);
    const { id: _, createdAt, updatedAt, ownerId, ...rest } = await books.get(id);
    return rest;
  };
  return { books, after };
}

export async function numbers_are_counted_multiplied_and_bounded(t) {
  const { books, after } = await updating(t);
  equal(await after({ n: 2 }, { $inc: { n: -5, fresh: 1 } }), { n: -3, fresh: 1 });
  equal(await after({ n: 2.5 }, { $mul: { n: 4, fresh: 3 } }), { n: 10, fresh: 0 });
  equal(await after({ a: 5, b: 5 }, { $min: { a: 3, b: 9 } }, { $max: { a: 4, b: 2, c: 7 } }), { a: 4, b: 5, c: 7 });
  equal(await after({ n: 13 }, { $bit: { n: { and: 9 } } }), { n: 9 });
  equal(await after({ n: 9 }, { $bit: { n: { or: 6 } } }, { $bit: { n: { xor: 1 } } }), { n: 14 });
  const { id } = await books.create({ n: "text" });
  await fails(books.update(id, { $inc: { n: 1 } }), "INVALID_UPDATE", 400);
  await fails(books.update(id, { $inc: { other: "x" } }), "INVALID_UPDATE", 400);
  equal((await books.get(id)).n, "text");
}

export async function fields_are_set_removed_and_renamed(t) {
  const { books, after } = await updating(t);
  equal(await after({ a: { b: 1, c: 2 } }, { "a.b": 3, "a.d.e": 4 }), { a: { b: 3, c: 2, d: { e: 4 } } });
  equal(await after({ a: { b: 1, c: 2 }, d: 1 }, { $unset: { "a.b": true, d: "", none: 1 } }), { a: { c: 2 } });
  equal(await after({ a: 1, b: { c: 2 } }, { $rename: { a: "b.a" } }), { b: { c: 2, a: 1 } });
  equal(await after({ a: 1 }, { $setOnInsert: { a: 2 } }), { a: 1 });
  equal(await after({ a: 1 }, {}, { $set: {} }), { a: 1 });
  const { id } = await books.create({ a: 1 });
  for (const change of [
    { $set: { a: 1 }, $inc: { a: 1 } },
    { $set: { a: { b: 1 } }, $unset: { "a.b": 1 } },
    { "a.b": 1 },
    { $set: { x: 1 }, y: 2 },
    { $nothing: { a: 1 } },
  ]) {
    const error = await fails(books.update(id, change), "INVALID_UPDATE", 400);
    check(error.message.length > 10 && error.requestId, JSON.stringify(change));
  }
  equal((await books.get(id)).a, 1, "nothing was changed");
}

export async function lists_grow_and_shrink(t) {
  const { books, after } = await updating(t);
  equal(await after({ l: [1] }, { $push: { l: 2, fresh: "x" } }), { l: [1, 2], fresh: ["x"] });
  const sorted = { $each: [3, 1], $sort: -1, $slice: 3 };
  equal(await after({ l: [2, 9] }, { $push: { l: sorted } }), { l: [9, 3, 2] });
  equal(await after({ l: [1, 4] }, { $push: { l: { $each: [2, 3], $position: 1 } } }), { l: [1, 2, 3, 4] });
  equal(await after({ l: [1, 2] }, { $addToSet: { l: { $each: [2, 3, 3] } } }), { l: [1, 2, 3] });
  equal(await after({ l: [1, 5, 9, 5] }, { $pull: { l: { $gte: 5 } } }), { l: [1] });
  equal(await after({ l: [{ a: 1 }, { a: 2 }] }, { $pull: { l: { a: 2 } } }), { l: [{ a: 1 }] });
  equal(await after({ l: [1, 2, 1, 3] }, { $pullAll: { l: [1, 3] } }), { l: [2] });
  equal(await after({ l: [1, 2, 3] }, { $pop: { l: 1 } }, { $pop: { l: -1 } }), { l: [2] });
  equal(await after({ l: [{ n: 1 }, { n: 2 }] }, { $inc: { "l.$[].n": 10 } }), { l: [{ n: 11 }, { n: 12 }] });
  equal(await after({ l: ["a", "b"] }, { "l.1": "c", "l.3": "d" }), { l: ["a", "c", null, "d"] });
  const { id } = await books.create({ l: 1 });
  await fails(books.update(id, { $push: { l: 2 } }), "INVALID_UPDATE", 400);
}

export async function the_servers_time_is_set(t) {
  const schema = { type: "object", properties: { at: { type: "string", "x-bson": "date" }, n: { type: "integer" } } };
  const { books } = await updating(t, schema);
  const made = await books.create({ n: 1 });
  await books.update(made.id, { $currentDate: { at: true } });
  const { at, updatedAt, createdAt } = await books.get(made.id);
  check(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(at) && at >= createdAt && updatedAt >= at, at);
  const early = new Date("2020-02-29T12:00:00.123Z");
  await books.update(made.id, { at: early });
  equal((await books.get(made.id)).at, early.toJSON(), "a Date is sent as its text");
  equal((await books.list({ filter: { at: { $lt: new Date("2021-01-01") } } })).length, 1);
  equal((await books.list({ filter: { at: { $gt: new Date("2021-01-01") } } })).length, 0);
  equal(await books.count({ at: early }), 1);
}

export async function fields_of_the_server_are_its_own(t) {
  const user = await t.user();
  const books = user.collection(await t.collection());
  const made = await books.create({ n: 1, ownerId: "another", createdAt: "2000-01-01T00:00:00.000Z" });
  equal([made.ownerId, made.createdAt > "2020"], [user.id, true]);
  await books.update(made.id, { ownerId: "another", n: 2 });
  await books.replace(made.id, { ownerId: "another", createdAt: "2000-01-01T00:00:00.000Z", n: 3 });
  const read = await books.get(made.id);
  equal([read.ownerId, read.createdAt, read.n], [user.id, made.createdAt, 3]);
  check(read.updatedAt >= made.updatedAt, "updated");
}

export async function a_change_of_nothing_keeps_version_and_time(t) {
  const { books } = await updating(t);
  const made = await books.create({ n: 1, l: [1] });
  const same = await books.update(made.id, { n: 1 }, { returning: true });
  equal([same.updatedAt, versionOf(same)], [made.updatedAt, versionOf(made)]);
  equal(
    await books.update(made.id, { $addToSet: { l: 1 } }, { ifMatch: made }),
    undefined,
    "without returning nothing",
  );
  const changed = await books.update(made.id, { n: 2 }, { returning: true, ifMatch: same });
  check(versionOf(changed) !== versionOf(made) && changed.n === 2, "another version");
}

export async function conditions_of_writes(t) {
  const { books } = await updating(t);
  const made = await books.create({ n: 1 });
  await books.update(made.id, { n: 2 }, { ifMatch: "*" });
  await books.update(made.id, { n: 3 }, { ifMatch: `"other", ${versionOf(await books.get(made.id))}` });
  await fails(books.update(made.id, { n: 4 }, { ifMatch: "no tag" }), "INVALID_PARAM", 400);
  await fails(
    books.update(made.id, { n: 4 }, { ifMatch: `W/${versionOf(await books.get(made.id))}` }),
    "PRECONDITION_FAILED",
    412,
  );
  const expanded = await books.list();
  let thrown;
  try {
    await books.update(made.id, { n: 4 }, { ifMatch: expanded[0] });
  } catch (error) {
    thrown = error;
  }
  equal([thrown?.code, thrown?.status], ["INVALID_PARAM", 0], "a document of a list has no version");
  await fails(books.update("none", { n: 1 }, { ifMatch: "*" }), "NOT_FOUND", 404);
  equal((await books.get(made.id)).n, 3);
  const raced = await Promise.allSettled(
    [1, 2, 3, 4, 5].map((n) => books.update(made.id, { $inc: { n: 10 * n } }, { ifMatch: made })),
  );
  equal(raced.filter((one) => one.status === "fulfilled").length, 0, "an old version changes nothing");
  const present = await books.get(made.id);
  const again = await Promise.allSettled(
    [1, 2, 3, 4, 5].map(() => books.update(made.id, { $inc: { n: 10 } }, { ifMatch: present })),
  );
  equal(
    [again.filter((one) => one.status === "fulfilled").length, (await books.get(made.id)).n],
    [1, 13],
    "one of five",
  );
}

export async function what_the_caller_may_not_read_is_not_returned(t) {
  const user = await t.user();
  const books = user.collection(await t.collection({ create: {}, update: {}, read: { filter: { shown: true } } }));
  const made = await books.create({ n: 1 });
  equal(made.n, 1);
  equal(await books.update(made.id, { n: 2 }, { returning: true }), undefined);
  const shown = await books.update(made.id, { shown: true }, { returning: true });
  equal([shown.n, shown.shown], [2, true]);
  equal(await books.replace(made.id, { n: 3 }, { returning: true }), undefined);
  await fails(books.get(made.id), "NOT_FOUND", 404);
  await fails(books.delete(made.id), "FORBIDDEN", 403);
}

export async function rules_of_fields_hold_for_every_operator(t) {
  const policy = { ...open, update: { immutableFields: ["kind"], allowedWriteFields: ["kind", "n", "tags"] } };
  const user = await t.user();
  const books = user.collection(await t.collection(policy));
  const { id } = await books.create({ kind: "a", n: 1, secret: 1 });
  for (const change of [
    { kind: "b" },
    { $unset: { kind: 1 } },
    { $rename: { kind: "n" } },
    { secret: 2 },
    { $inc: { secret: 1 } },
  ]) {
    await fails(books.update(id, change), "FORBIDDEN", 403);
  }
  await fails(books.replace(id, { kind: "a", n: 2 }), "FORBIDDEN", 403);
  await books.update(id, { $set: { kind: "a", n: 5 }, $push: { tags: "x" } });
  const { kind, n, secret, tags } = await books.get(id);
  equal([kind, n, secret, tags], ["a", 5, 1, ["x"]]);
}
