import { isError, ManybaseError, newId, safe } from "manybase";
import { check, equal, fails, open } from "../context.mjs";

const schema = {
  type: "object",
  properties: {
    title: { type: "string" },
    stars: { type: "integer" },
    tags: { type: "array", items: { type: "string" } },
    next: { type: "string" },
  },
};

export async function write_and_read(t) {
  const user = await t.user();
  const books = user.collection(await t.collection(open, schema));
  const made = await books.create({ title: "Fjords", stars: 3 });
  equal(made.ownerId, user.id);
  check(/^[0-9A-Za-z]{20}$/.test(made.id), `an id in the server's form, not ${made.id}`);
  await books.update(made.id, { title: "Fjells" });
  await books.update(made.id, { $inc: { stars: 1 }, $push: { tags: "north" } });
  const read = await books.get(made.id);
  equal([read.title, read.stars, read.tags], ["Fjells", 4, ["north"]]);
  await books.replace(made.id, { title: "Islands" });
  equal((await books.get(made.id)).stars, undefined);
  await books.delete(made.id);
  await fails(books.get(made.id), "NOT_FOUND", 404);
}

export async function ids_ascend_and_are_the_callers_where_given(t) {
  const books = t.key().collection(await t.collection());
  const made = [];
  for (let n = 0; n < 20; ++n) made.push((await books.create({ n })).id);
  equal([...made].sort(), made, "created in the order of ids");
  const ids = Array.from({ length: 2000 }, () => newId());
  equal([...ids].sort(), ids, "made in one millisecond they ascend too");
  equal(new Set(ids).size, ids.length);
  equal((await books.create({ id: "mine" })).id, "mine");
  await fails(books.create({ id: "mine" }), "CONFLICT", 409);
}

export async function lists_filter_page_and_walk(t) {
  const books = t.key().collection(await t.collection());
  for (let n = 0; n < 25; ++n) await books.create({ n });
  equal(
    (await books.list({ filter: { n: { $gte: 20 } } })).map((one) => one.n),
    [20, 21, 22, 23, 24],
  );
  equal(
    (await books.list({ limit: 2, skip: 3 })).map((one) => one.n),
    [3, 4],
  );
  const seen = [];
  for await (const one of books.all({ filter: { n: { $lt: 22 } }, pageSize: 7 })) seen.push(one.n);
  equal(
    seen,
    Array.from({ length: 22 }, (_, n) => n),
  );
  let count = 0;
  for await (const one of books.all({ pageSize: 5 })) count += one.n >= 0;
  equal(count, 25);
}

export async function references_expand(t) {
  const people = await t.collection();
  const books = await t.collection(open, {
    type: "object",
    properties: { author: { type: "string", "x-ref": people }, title: { type: "string" } },
  });
  const key = t.key();
  const ada = await key.collection(people).create({ name: "Ada" });
  const book = await key.collection(books).create({ author: ada.id });
  equal((await key.collection(books).get(book.id)).author, ada.id);
  equal((await key.collection(books).get(book.id, { expand: ["author"] })).author.name, "Ada");
  equal((await key.collection(books).list({ expand: ["author"] }))[0].author.name, "Ada");
}

export async function errors_have_code_details_and_request_id(t) {
  const books = t
    .key()
    .collection(await t.collection(open, { type: "object", properties: { n: { type: "integer" } } }));
  const error = await fails(books.create({ n: "x" }), "VALIDATION", 400);
  check(error instanceof ManybaseError && isError(error, "VALIDATION") && !isError(error, "CONFLICT"), "a typed error");
  equal(error.details[0].path, "/n");
  check(error.requestId?.length > 8, "the id of the request");
  const { data, error: same } = await safe(books.create({ n: "x" }));
  equal([data, same.code], [undefined, "VALIDATION"]);
  equal((await safe(books.create({ n: 1 }))).data.n, 1);
  await fails(books.list({ filter: { $where: "1" } }), "INVALID_FILTER", 400);
  // fetch() resolves such segments: the request would be one of another route.
  for (const id of ["..", ".", "../" + books.name]) {
    await fails(t.key().files("b").download(id), "INVALID_PARAM", 0);
  }
  await fails(books.delete(".."), "INVALID_PARAM", 0);
  const nothing = t.client().collection(books.name);
  await fails(nothing.list(), "UNAUTHENTICATED", 401);
}

export async function public_rules_serve_clients_without_a_session(t) {
  const name = await t.collection({ ...open, public: { read: {}, list: {} } });
  await t.key().collection(name).create({ title: "for all" });
  equal((await t.client().collection(name).list())[0].title, "for all");
}

export async function a_call_ends_by_signal_and_by_time(t) {
  const books = t.key().collection(await t.collection());
  const controller = new AbortController();
  controller.abort();
  await fails(books.list({ signal: controller.signal }), "ABORTED", 0);
  const deaf = t.key({ fetch: () => new Promise(() => {}) });
  await fails(deaf.collection("x").list({ timeoutMs: 50 }), "TIMEOUT", 0);
}
