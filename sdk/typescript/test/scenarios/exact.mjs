// Integers beyond 2^53 with exactNumbers(): everything that sends or receives JSON.
import { createClient, exactNumbers, live, memoryStorage } from "manybase";
import { createAdmin } from "manybase/admin";
import { queryOptions } from "manybase/react";
import { check, equal, fails, open, password, unique, until } from "../context.mjs";

const json = exactNumbers();
const big = 2n ** 53n + 1n;
const least = -(2n ** 63n);
const most = 2n ** 63n - 1n;
/** Values with their types, since JSON has no bigint. */
const shown = (value) => (Array.isArray(value) ? value.map(shown) : typeof value === "bigint" ? `${value}n` : value);

export async function documents_keep_integers(t) {
  const books = t.key({ json }).collection(await t.collection());
  const values = [big, -big, 2n ** 53n, most, least];
  const made = await books.create({ values, small: 2 ** 53 - 1, half: 0.5, huge: 1e20, text: "9007199254740993" });
  equal(shown(made.values), shown(values), "created");
  const read = await books.get(made.id);
  equal(shown(read.values), shown(values), "read");
  equal([read.small, read.half, read.huge, read.text], [2 ** 53 - 1, 0.5, 1e20, "9007199254740993"]);
  await books.replace(made.id, { ...read, n: 3n });
  const replaced = await books.get(made.id);
  equal([shown(replaced.values), replaced.n, replaced.huge], [shown(values), 3, 1e20], "read and written again");
  // Without the option the same document is rounded: this is what it is for.
  const rounded = await t.key().collection(books.name).get(made.id);
  equal(rounded.values[0], 2 ** 53);
}

export async function filters_updates_and_conditions(t) {
  const books = t.key({ json }).collection(await t.collection());
  for (const n of [big - 1n, big, big + 1n]) await books.create({ id: `n${n - big}`, n });
  equal(
    (await books.list({ filter: { n: big } })).map((one) => one.id),
    ["n0"],
  );
  equal(
    (await books.list({ filter: { n: { $gt: big } } })).map((one) => one.id),
    ["n1"],
  );
  equal(await books.count({ n: { $gte: big } }), 2);
  const page = await books.query({ filter: { n: { $in: [big, big + 1n] } }, sort: { n: -1 } });
  equal(shown(page.documents.map((one) => one.n)), shown([big + 1n, big]));
  const { n } = await books.update("n0", { $inc: { n: 1n } }, { returning: true });
  equal(shown(n), shown(big + 1n));
  equal(shown((await books.update("n0", { n: 7n }, { returning: true })).n), 7);
  let seen = 0;
  for await (const one of books.all({ filter: { n: { $gte: big - 1n } }, pageSize: 1 }))
    seen += typeof one.n === "bigint";
  equal(seen, 2);
}

export async function what_does_not_fit_is_not_sent(t) {
  let requests = 0;
  const count = (...given) => (++requests, fetch(...given));
  const books = t.key({ json, fetch: count }).collection("any");
  for (const n of [most + 1n, least - 1n]) {
    const error = await fails(books.create({ n }), "INVALID_PARAM", 0);
    check(error.message.includes("n: ") && error.message.includes(String(n)), error.message);
  }
  // And without the option no bigint is: a mistake of the program, not of the network.
  const error = await fails(t.key({ fetch: count }).collection("any").create({ n: 1n }));
  check(error instanceof TypeError, `${error.stack}`);
  equal(requests, 0);
}

export async function platforms_without_it_are_named(t) {
  const { rawJSON } = JSON;
  try {
    delete JSON.rawJSON;
    const error = await fails(
      (async () => createClient({ url: t.url, json: exactNumbers() }))(),
      "NO_EXACT_NUMBERS",
      0,
    );
    check(error.message.includes("2^53"), error.message);
  } finally {
    JSON.rawJSON = rawJSON;
  }
  const { parse } = JSON;
  try {
    // A reviver without the text of the number.
    JSON.parse = (text, revive) => parse(text, revive && ((key, value) => revive(key, value)));
    await fails((async () => exactNumbers())(), "NO_EXACT_NUMBERS", 0);
  } finally {
    JSON.parse = parse;
  }
}

export async function programs_that_define_toJSON_of_bigints(t) {
  const books = t.key({ json }).collection(await t.collection());
  BigInt.prototype.toJSON = function () {
    return String(this);
  };
  try {
    equal(shown((await books.create({ n: big })).n), shown(big));
  } finally {
    delete BigInt.prototype.toJSON;
  }
}

export async function changes_have_them(t) {
  const key = t.key({ json });
  const books = key.collection(await t.collection());
  const seen = [];
  let began = false;
  const off = books.subscribe(({ document }) => seen.push(document.n), {
    filter: { n: { $gt: big } },
    onSubscribed: () => (began = true),
  });
  t.onEnd(off);
  await until(() => began, "subscribed");
  for (const n of [big, big + 1n, 5, big + 2n]) await books.create({ n });
  await until(
    () => seen.length === 2,
    () => shown(seen).join(),
  );
  equal(shown(seen), shown([big + 1n, big + 2n]));
}

export async function live_lists_order_and_compute_them(t) {
  let queries = 0;
  const counted = (url, init) => ((queries += String(url).endsWith("/query")), fetch(url, init));
  const key = t.key({ json, fetch: counted });
  const books = key.collection(await t.collection());
  const writer = t.key({ json }).collection(books.name);
  const ids = {};
  for (const [name, n] of [
    ["c", big + 2n],
    ["a", 1],
    ["b", big],
  ])
    ids[name] = (await writer.create({ name, n })).id;
  const list = live(books.query({ sort: { n: 1 }, limit: 10 }));
  t.onEnd(() => list.close());
  const names = () => list.state.documents.map((one) => one.name).join("");
  const valueOf = (name) => shown(list.state.documents.find((one) => one.name === name)?.n);
  await until(() => list.state.status === "live" && names() === "abc", names);
  const before = queries;
  await writer.create({ name: "x", n: big + 1n });
  await until(() => names() === "abxc", names);
  await writer.update(ids.c, { n: big - 1n });
  await until(() => names() === "acbx", names);
  // A write is over the list until its change has come; the next one here is over what it left.
  const settled = async (write) => {
    await write;
    await until(() => list.state.pending.size === 0, names);
  };
  // Shown at once, exactly, and in its place: 2^53 and 2^53 + 1 are the same as numbers.
  const done = list.update(ids.c, { $inc: { n: 3 } });
  equal([valueOf("c"), names(), list.state.pending.size], [shown(big + 2n), "abxc", 1]);
  await settled(done);
  const larger = list.update(ids.a, { $inc: { n: big } });
  equal(valueOf("a"), shown(big + 1n));
  await settled(larger);
  const smaller = list.update(ids.a, { $inc: { n: -big } });
  equal(valueOf("a"), 1);
  await settled(smaller);
  const product = list.update(ids.b, { $mul: { n: 3n } });
  equal(valueOf("b"), shown(big * 3n));
  await settled(product);
  const half = list.update(ids.a, { $inc: { n: 0.5 } });
  equal(valueOf("a"), 1.5);
  await settled(half);
  const creating = list.create({ name: "y", n: 2n });
  equal([valueOf("y"), names()], [2, "ayxcb"]);
  await creating;
  await until(
    () => list.state.pending.size === 0 && list.state.status === "live",
    () => shown([...list.state.pending]),
  );
  equal(
    (await books.query({ sort: { n: 1 } })).documents.map((one) => [one.name, shown(one.n)]),
    list.state.documents.map((one) => [one.name, shown(one.n)]),
  );
  equal(queries - before, 1, "the order was never in doubt, so that the list was not read again");
}

export async function graphql_has_them(t) {
  const n = { type: "integer", minimum: 0, maximum: 2 ** 60 };
  const name = await t.collection(open, { type: "object", properties: { n, title: { type: "string" } } });
  const key = t.key({ json });
  const { id } = await key.collection(name).create({ n: big });
  const { data } = await key.graphql(`query($id: ID!) { ${name}ById(id: $id) { n } }`, { id });
  equal(shown(data[`${name}ById`].n), shown(big));
  await key.collection(name).create({ n: big - 1n });
  const type = name[0].toUpperCase() + name.slice(1);
  const found = await key.graphql(`query($n: ${type}Filter) { ${name}(filter: $n) { n } }`, { n: { n: { eq: big } } });
  equal(shown(found.data[name].map((one) => one.n)), shown([big]));
}

export async function functions_take_them(t) {
  const path = "/" + unique("next");
  await t.admin("POST", "/functions", {
    name: unique("next"),
    trigger: { type: "http", method: "POST", path },
    code: "export default async (event, ctx) => ({status: 200, body: {next: ctx.request.body.n + 1n}})",
  });
  const response = await t.key({ json }).run("POST", path, { body: { n: big } });
  equal(shown(json.parse(await response.text()).next), shown(big + 1n));
}

export async function the_admin_plane_has_them(t) {
  const admin = createAdmin({ url: t.url, token: t.setup.adminKey, json });
  const name = await t.collection();
  const { document } = await admin.adminCreateDocument(name, { n: big });
  equal(shown(document.n), shown(big));
  equal((await admin.adminListDocuments(name, { filter: { n: big } })).total, 1);
  equal((await admin.adminListDocuments(name, { filter: { n: big - 1n } })).total, 0);
}

export async function stored_sessions_and_files_have_them(t) {
  const admin = createAdmin({ url: t.url, token: t.setup.adminKey, json });
  const storage = memoryStorage();
  const client = t.client({ json, storage });
  const email = `${unique("user")}@example.com`;
  const { id } = await client.auth.register({ email, password });
  await admin.updateUser(id, { metadata: { account: big } });
  await client.auth.login({ email, password });
  const restored = t.client({ json, storage });
  await restored.auth.ready;
  equal(shown(restored.auth.user.metadata.account), shown(big));
  const bucket = await t.bucket();
  for (const resumable of [false, true]) {
    const path = `${resumable}.txt`;
    await client.files(bucket).upload(path, "text", { metadata: { account: big }, resumable });
    equal(shown((await client.files(bucket).find(path)).metadata.account), shown(big), path);
  }
}

export async function keys_of_queries_are_json(t) {
  const query = t
    .key({ json })
    .collection("books")
    .query({ filter: { n: big } });
  equal(queryOptions(query).queryKey, ["manybase", "books", { filter: { n: `${big}n` } }]);
}
