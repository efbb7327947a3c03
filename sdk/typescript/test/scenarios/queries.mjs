import { versionOf } from "manybase";
import { check, equal, fails } from "../context.mjs";

async function numbers(t, count = 30) {
  const books = t.key().collection(await t.collection());
  for (let n = 0; n < count; ++n) await books.create({ n, group: n % 3, title: `t${n}`, more: { a: n } });
  return books;
}

export async function a_page_is_sorted_counted_and_continued(t) {
  const books = await numbers(t);
  const query = books.query({ filter: { n: { $lt: 20 } }, sort: { group: -1, n: 1 }, limit: 8, total: true });
  const page = await query;
  equal(page.total, 20);
  equal(
    page.documents.map((one) => one.n),
    [2, 5, 8, 11, 14, 17, 1, 4],
  );
  const second = await query.with({ after: page.next });
  equal(
    second.documents.map((one) => one.n),
    [7, 10, 13, 16, 19, 0, 3, 6],
  );
  const all = [];
  for await (const one of query) all.push(one.n);
  equal(all.length, 20);
  const last = await query.with({ limit: 20 });
  equal(last.next, undefined, "no cursor where there is no more");
}

export async function fields_are_chosen(t) {
  const books = await numbers(t, 2);
  const { documents } = await books.query({ sort: { n: 1 }, fields: ["title"] });
  equal(
    documents.map((one) => Object.keys(one).sort()),
    [
      ["id", "title"],
      ["id", "title"],
    ],
  );
}

export async function counts(t) {
  const books = await numbers(t, 10);
  equal(await books.count(), 10);
  equal(await books.count({ n: { $gte: 7 } }), 3);
  equal(await books.query({ filter: { group: 0 } }).count(), 4);
}

export async function a_cursor_of_another_query_is_refused(t) {
  const books = await numbers(t, 5);
  const page = await books.query({ sort: { n: 1 }, limit: 2 });
  await fails(books.query({ sort: { n: -1 }, limit: 2, after: page.next }).page(), "INVALID_CURSOR", 400);
  await fails(books.query({ sort: { n: 1 }, limit: 2, after: page.next, skip: 1 }).page(), undefined, 400);
}

export async function long_filters_are_sent_in_a_body(t) {
  const books = await numbers(t, 3);
  const title = Array.from({ length: 900 }, (_, at) => `t${at + 1}`);
  equal(
    (await books.list({ filter: { title: { $in: title } } })).map((one) => one.n),
    [1, 2],
  );
}

export async function writes_have_conditions(t) {
  const books = await numbers(t, 1);
  const [{ id }] = await books.list();
  const first = await books.get(id);
  check(versionOf(first)?.startsWith('"'), "a document has a version");
  check((await books.get(id, { known: first })) === first, "an unchanged document is not sent again");
  const second = await books.update(id, { n: 1 }, { ifMatch: first, returning: true });
  equal(second.n, 1);
  await fails(books.update(id, { n: 2 }, { ifMatch: first }), "PRECONDITION_FAILED", 412);
  await fails(books.delete(id, { ifMatch: first }), "PRECONDITION_FAILED", 412);
  const third = await books.replace(id, { n: 3 }, { ifMatch: versionOf(second), returning: true });
  equal([third.n, third.title], [3, undefined]);
  await books.delete(id, { ifMatch: third });
  await fails(books.replace(first.id, { n: 1 }, { ifMatch: third }), "NOT_FOUND", 404);
  equal((await books.replace("new", { n: 1 }, { create: true })).id, "new");
  await fails(books.replace("new", { n: 1 }, { create: true }), "PRECONDITION_FAILED", 412);
}
