// Pages of queries: sorts of several keys, cursors while others write, totals, hidden fields.
import { check, equal, fails, open, watchedFetch } from "../context.mjs";

const numbersOf = (documents) => documents.map((one) => one.n);

async function filled(t, count, of = (n) => ({ n }), policy = open) {
  const books = t.key().collection(await t.collection(policy));
  await Promise.all(
    Array.from({ length: count }, (_, n) => books.create({ id: `d${String(n).padStart(4, "0")}`, ...of(n) })),
  );
  return books;
}

export async function pages_neither_repeat_nor_miss_while_others_write(t) {
  const books = await filled(t, 40, (n) => ({ n: n * 10, group: n % 2 }));
  for (const order of [1, -1]) {
    const seen = [];
    let page = await books.query({ sort: { n: order }, limit: 7 });
    for (let step = 0; ; ++step) {
      seen.push(...numbersOf(page.documents));
      if (!page.next) break;
      // Behind the cursor, which stays unseen, and before it, which is met; and one that was seen goes.
      const last = seen.at(-1);
      await books.create({ n: last - order * 3 });
      const ahead = await books.create({ n: last + order * 2 });
      await books.delete(page.documents[0].id);
      page = await books.query({ sort: { n: order }, limit: 7, after: page.next });
      equal(page.documents[0].n, ahead.n, "what was inserted ahead is met");
    }
    equal(
      seen,
      [...seen].sort((a, b) => (a - b) * order),
      "in order",
    );
    equal(new Set(seen).size, seen.length, "once each");
    check(seen.filter((n) => n % 10 === 0).length >= 30, `those that stayed: ${seen}`);
  }
}

export async function ties_follow_by_id_over_pages(t) {
  const books = await filled(t, 25, (n) => ({ n, group: Math.floor(n / 10), even: n % 2 === 0 }));
  const query = books.query({ sort: [{ group: -1 }, { even: 1 }], limit: 4 });
  const ids = [];
  for await (const page of query.pages()) {
    check(page.documents.length <= 4, "no page is longer");
    ids.push(...page.documents.map((one) => one.id));
  }
  const all = await books.query({ limit: 100 });
  const sorted = [...all.documents].sort(
    (a, b) => b.group - a.group || Number(a.even) - Number(b.even) || (a.id < b.id ? -1 : 1),
  );
  equal(
    ids,
    sorted.map((one) => one.id),
  );
}

export async function a_query_begins_behind_its_skip_once(t) {
  const books = await filled(t, 12);
  const seen = [];
  for await (const one of books.query({ sort: { n: 1 }, skip: 3, limit: 4 })) seen.push(one.n);
  equal(seen, [3, 4, 5, 6, 7, 8, 9, 10, 11], "skipped on the first page alone");
  const none = await books.query({ skip: 20, total: true });
  equal([none.documents, none.next, none.total], [[], undefined, 12]);
  const zero = await books.query({ limit: 0, total: true });
  equal([zero.documents, zero.next, zero.total], [[], undefined, 12]);
  const many = await books.query({ limit: 5_000 });
  equal(many.documents.length, 12, "a larger limit is reduced");
}

export async function all_documents_are_read_whatever_the_page_size(t) {
  const books = await filled(t, 1_003);
  const count = async (options, stop = Infinity) => {
    let found = 0;
    for await (const _ of books.all(options)) if (++found >= stop) break;
    return found;
  };
  // The server gives at most a thousand at once.
  equal(await count({ pageSize: 2_000 }), 1_003);
  equal(await count({ pageSize: 501 }), 1_003);
  equal(await count({ filter: { n: { $gte: 1_000 } }, pageSize: 1 }), 3);
  equal(await count({ pageSize: 0 }), 0, "no documents, and no loop");
  const watched = watchedFetch();
  const counted = t.key({ fetch: watched }).collection(books.name);
  for await (const one of counted.all({ pageSize: 10 })) if (one.n === 12) break;
  equal(watched.sent.length, 2, "only the pages that are needed");
  watched.sent.length = 0;
  for await (const one of counted.query({ sort: { n: 1 }, limit: 10 })) if (one.n === 25) break;
  equal(watched.sent.length, 3);
}

export async function cursors_of_another_filter_collection_or_hand_are_refused(t) {
  const books = await filled(t, 6);
  const others = await filled(t, 6);
  const query = { filter: { n: { $gte: 0 }, id: { $exists: true } }, sort: { n: 1 }, limit: 2 };
  const { next } = await books.query(query);
  const same = await books.query({
    ...query,
    filter: { id: { $exists: true }, n: { $gte: 0 } },
    limit: 3,
    fields: ["n"],
    after: next,
  });
  equal(numbersOf(same.documents), [2, 3, 4], "the order of a filter's fields, limit and fields may differ");
  const flipped = (next[4] === "A" ? "B" : "A") + next.slice(5);
  for (const [collection, change] of [
    [books, { filter: { n: { $gte: 1 }, id: { $exists: true } } }],
    [books, { sort: { id: 1 } }],
    [others, {}],
    [books, { after: next.slice(0, 4) + flipped }],
    [books, { after: "" }],
    [books, { after: "x".repeat(5_000) }],
  ]) {
    const error = await fails(collection.query({ ...query, after: next, ...change }).page(), "INVALID_CURSOR", 400);
    check(error.message.length > 10, JSON.stringify(change));
  }
}

export async function queries_that_are_none_name_what_is_wrong(t) {
  const books = await filled(t, 2, (n) => ({ n, a: [1, 2], b: [3, 4] }));
  const paths = async (options) =>
    (await fails(books.query(options).page(), undefined, 400)).details.map((one) => one.path);
  equal(await paths({ sort: [{ n: 1 }, { id: 2 }] }), ["/sort/1"]);
  equal(await paths({ limit: -1 }), ["/limit"]);
  equal(await paths({ sort: Object.fromEntries("abcdefghi".split("").map((path) => [path, 1])) }), ["/sort"]);
  equal(await paths({ fields: Array.from({ length: 101 }, (_, n) => `f${n}`) }), ["/fields"]);
  await fails(books.query({ filter: { $where: "1" } }).page(), "INVALID_FILTER", 400);
  await fails(books.query({ filter: { n: { $regex: "(" } } }).page(), "INVALID_FILTER", 400);
  await fails(books.count({ n: { $near: 1 } }), "INVALID_FILTER", 400);
  await fails(books.query({ sort: { a: 1, b: 1 } }).page(), "VALIDATION", 400);
  equal((await books.query({ sort: { a: 1, n: -1 } })).documents.length, 2, "one list is no problem");
}

export async function hidden_fields_are_refused_wherever_a_query_names_them(t) {
  const hiding = {
    ...open,
    read: { deniedReadFields: ["secret", "a.b"] },
    list: { deniedReadFields: ["secret", "a.b"] },
  };
  const books = await filled(t, 3, (n) => ({ n, secret: n, a: { b: n, c: n } }), hiding);
  const read = (await t.user()).collection(books.name);
  for (const options of [
    { filter: { secret: 1 } },
    { filter: { $or: [{ n: 1 }, { "a.b": 2 }] } },
    { sort: { secret: 1 } },
    { sort: { "a.b": -1, n: 1 } },
    { fields: ["n", "secret"] },
    { fields: ["a.b"] },
  ]) {
    await fails(read.query(options).page(), "FORBIDDEN", 403);
  }
  await fails(read.count({ secret: 1 }), "FORBIDDEN", 403);
  await fails(read.list({ filter: { secret: 1 } }), "FORBIDDEN", 403);
  const { documents } = await read.query({ fields: ["a"], sort: { n: 1 } });
  equal(documents[2].a, { c: 2 }, "the path above shows the rest");
  equal("secret" in (await read.get("d0000")), false);
  const { documents: full } = await t.adminPlane().adminQueryDocuments(books.name, { sort: [{ secret: -1 }] });
  equal(full[0].secret, 2, "an administrator sees and sorts by it");
}

export async function rules_narrow_lists_counts_and_totals_alike(t) {
  const own = { filter: { ownerId: "$auth.uid" } };
  const name = await t.collection({ create: {}, list: own, read: own });
  const [ann, ben] = [await t.user(), await t.user()];
  for (const [user, count] of [
    [ann, 3],
    [ben, 2],
  ]) {
    for (let n = 0; n < count; ++n) await user.collection(name).create({ n });
  }
  const shown = async (user) => {
    const page = await user.collection(name).query({ total: true, sort: { n: 1 } });
    return [
      page.documents.length,
      page.total,
      await user.collection(name).count(),
      (await user.collection(name).list()).length,
    ];
  };
  equal(
    [await shown(ann), await shown(ben)],
    [
      [3, 3, 3, 3],
      [2, 2, 2, 2],
    ],
  );
  const [{ id }] = await ann.collection(name).list();
  await fails(ben.collection(name).get(id), "NOT_FOUND", 404);
  equal(await ben.collection(name).list({ filter: { ownerId: ann.id } }), [], "the filter adds to the rule");
}

export async function filters_reach_into_lists_objects_and_types(t) {
  const books = await filled(t, 6, (n) => ({
    n,
    tags: n % 2 ? ["odd", `t${n}`] : ["even"],
    place: { city: n < 3 ? "Bergen" : "Oslo" },
    parts: [
      { a: n, b: 1 },
      { a: n + 10, b: 2 },
    ],
    ...(n === 5 ? { extra: null } : {}),
  }));
  const found = async (filter) => numbersOf((await books.query({ filter, sort: { n: 1 } })).documents);
  equal(await found({ tags: "odd" }), [1, 3, 5]);
  equal(await found({ tags: { $all: ["odd", "t3"] } }), [3]);
  equal(await found({ tags: { $size: 1 } }), [0, 2, 4]);
  equal(await found({ "place.city": { $regex: "^ber", $options: "i" } }), [0, 1, 2]);
  equal(await found({ parts: { $elemMatch: { a: { $gt: 13 }, b: 2 } } }), [4, 5]);
  equal(await found({ "parts.a": 12 }), [2]);
  equal(await found({ extra: { $exists: true } }), [5]);
  equal(await found({ extra: null }), [0, 1, 2, 3, 4, 5]);
  equal(await found({ extra: { $type: "null" } }), [5]);
  equal(await found({ n: { $mod: [3, 1] } }), [1, 4]);
  equal(await found({ $nor: [{ n: { $lt: 2 } }, { n: { $gt: 3 } }] }), [2, 3]);
  equal(await found({ n: { $not: { $in: [0, 1, 2] } }, $and: [{ n: { $ne: 4 } }] }), [3, 5]);
  equal(await found({ n: { $nin: [1, 2, 3, 4, 5] } }), [0]);
}

export async function a_long_filter_expands_and_pages_like_a_short_one(t) {
  const people = await t.collection();
  const name = await t.collection(open, {
    type: "object",
    properties: { by: { type: "string", "x-ref": people }, n: { type: "integer" } },
  });
  const watched = watchedFetch();
  const key = t.key({ fetch: watched });
  const { id } = await key.collection(people).create({ name: "Ada" });
  for (let n = 0; n < 5; ++n) await key.collection(name).create({ n, by: id });
  const long = { by: { $in: [id, ...Array.from({ length: 900 }, (_, n) => `none${n}`)] } };
  const list = await key.collection(name).list({ filter: long, expand: ["by"], limit: 2, skip: 1 });
  equal(
    list.map((one) => [one.n, one.by.name]),
    [
      [1, "Ada"],
      [2, "Ada"],
    ],
  );
  check(watched.sent.at(-1).endsWith(`POST /${name}/query`), "sent in a body");
  const seen = [];
  for await (const one of key.collection(name).all({ filter: long, pageSize: 2, expand: ["by"] }))
    seen.push([one.n, one.by.name]);
  equal(seen.length, 5);
}
