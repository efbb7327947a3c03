// What documents may hold, and what is refused of them.
import { createClient, newId } from "manybase";
import { check, equal, fails, jsonResponse, open, paths, unique, watchedFetch } from "../context.mjs";

export async function every_value_of_json_survives(t) {
  const books = t.key().collection(await t.collection());
  const values = {
    text: 'línea\n\t"quoted" \\ \u2028 \u{1F469}\u200D\u{1F680} \u0000 \uFFFD',
    empty: ["", [], {}, [[]], [{}], null],
    numbers: [0, -1, 1.5, 1e-7, 1.7976931348623157e308, 5e-324, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER],
    flags: [true, false],
    "name with spaces & ünïcödé": { " ": 1 },
    constructor: "own",
    length: 3,
  };
  const made = await books.create(values);
  const { id, createdAt, updatedAt, ownerId, ...read } = await books.get(made.id);
  equal(Object.keys(read).sort(), Object.keys(values).sort());
  for (const [name, value] of Object.entries(values)) equal(read[name], value, name);
  equal((await books.list({ filter: { text: values.text } })).length, 1, "and is found");
}

export async function names_that_javascript_knows_are_plain_fields(t) {
  const books = t.key().collection(await t.collection());
  const text = '{"__proto__":{"admin":true},"toString":"x","hasOwnProperty":1}';
  const made = await books.create(JSON.parse(text));
  const read = await books.get(made.id);
  equal(Object.getOwnPropertyDescriptor(read, "__proto__").value, { admin: true });
  equal([{}.admin, read.admin, read.hasOwnProperty], [undefined, undefined, 1], "no prototype was changed");
}

export async function integers_keep_64_bits_on_the_server(t) {
  const key = t.key();
  const name = await t.collection();
  // JSON.stringify cannot write them: as text of a body, like other clients do.
  const digits = "9223372036854775807";
  const sent = await fetch(`${t.url}/api/v1/${name}`, {
    method: "POST",
    headers: { authorization: `Bearer ${t.setup.adminKey}`, "content-type": "application/json" },
    body: `{"id":"big","n":${digits}}`,
  });
  equal(sent.status, 201);
  await key.collection(name).update("big", { other: 1 });
  await key.collection(name).update("big", { $inc: { n: -1 } });
  const raw = await fetch(`${t.url}/api/v1/${name}/big`, { headers: { authorization: `Bearer ${t.setup.adminKey}` } });
  check((await raw.text()).includes('"n":9223372036854775806'), "not rounded by an update");
  await fails(key.collection(name).update("big", { $inc: { n: 2 } }), "INVALID_UPDATE", 400);
  const exact = await key.collection(name).create({ n: { $numberDecimal: "12345678901234567890.123456789" } });
  equal((await key.collection(name).get(exact.id)).n, "12345678901234567890.123456789");
}

export async function values_that_json_does_not_have(t) {
  const books = t.key().collection(await t.collection());
  const at = new Date(0);
  const made = await books.create({
    at,
    not: NaN,
    missing: undefined,
    list: [undefined, Infinity],
    inner: { toJSON: () => 7 },
  });
  equal([made.at, made.not, "missing" in made, made.list, made.inner], [at.toJSON(), null, false, [null, null], 7]);
  const big = await fails(books.create({ n: 1n }));
  check(big instanceof TypeError, "a bigint is the caller's mistake, as in JSON.stringify");
  const circular = {};
  circular.self = circular;
  check((await fails(books.create(circular))) instanceof TypeError, "so is a circle");
  equal((await books.list()).length, 1);
}

export async function documents_may_be_deep_and_large(t) {
  const books = t.key().collection(await t.collection());
  const deep = (levels) => (levels === 0 ? "end" : { in: deep(levels - 1) });
  const made = await books.create({
    deep: deep(60),
    wide: Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`f${n}`, n])),
  });
  let at = (await books.get(made.id)).deep;
  for (let level = 0; level < 60; ++level) at = at.in;
  equal(at, "end");
  await books.update(made.id, { [`deep${".in".repeat(31)}`]: "changed" });
  check(JSON.stringify((await books.get(made.id)).deep).endsWith(`"changed"${"}".repeat(31)}`), "cut at the path");
  await fails(books.create({ deep: deep(2_000) }), undefined, 400);
  equal((await books.create({ text: "x".repeat(900_000) })).text.length, 900_000);
  await fails(books.create({ text: "x".repeat(1_048_500) }), "PAYLOAD_TOO_LARGE", 413);
}

export async function every_problem_of_a_document_is_named(t) {
  const schema = {
    type: "object",
    additionalProperties: false,
    required: ["title"],
    properties: {
      title: { type: "string", maxLength: 5 },
      stars: { type: "integer", minimum: 0 },
      parts: { type: "array", items: { type: "object", properties: { n: { type: "number" } } } },
    },
  };
  const books = t.key().collection(await t.collection(open, schema));
  const error = await fails(books.create({ stars: -1, parts: [{ n: 1 }, { n: "x" }], more: 1 }), "VALIDATION", 400);
  equal(paths(error).sort(), ["/more", "/parts/1/n", "/stars", "/title"]);
  check(
    error.details.every((one) => one.message.length > 5),
    "with a message each",
  );
  const { id } = await books.create({ title: "ok" });
  const long = await fails(books.update(id, { title: "too long" }), "VALIDATION", 400);
  equal(long.details[0].path, "/title");
  await fails(books.replace(id, {}), "VALIDATION", 400);
  equal((await books.get(id)).title, "ok");
}

export async function ids_that_are_none_are_refused(t) {
  const books = t.key().collection(await t.collection());
  for (const id of ["", "with space", "a/b", "ä", "x".repeat(65), "a.b"]) {
    await fails(books.create({ id, n: 1 }), "VALIDATION", 400);
  }
  await fails(books.create({ id: 7 }), "VALIDATION", 400);
  for (const id of ["a/b", "with space", "a?b=c", "a#b", "%2e%2e", "ä"]) await fails(books.get(id), "NOT_FOUND", 404);
  for (const call of [() => books.get(""), () => books.delete(""), () => books.update("", { n: 1 })]) {
    const error = await fails(call());
    check(error.code !== undefined, `a typed error, not ${error.stack}`);
  }
  equal(await books.list(), []);
  equal((await books.create({ id: undefined, n: 1 })).id.length, 20, "an id that is undefined is none");
}

export async function collections_that_are_none_are_errors(t) {
  const user = await t.user();
  for (const name of ["no-such-collection", "__users", "a/b", "a b"]) {
    const error = await fails(user.collection(name).list());
    check([403, 404].includes(error.status) && /^(NOT_FOUND|FORBIDDEN)$/.test(error.code), `${name}: ${error.code}`);
  }
  await fails(user.collection("..").list(), "INVALID_PARAM", 0);
  await fails(user.collection(await t.collection(null)).list(), "FORBIDDEN", 403);
}

export async function taken_values_of_a_unique_index_are_conflicts(t) {
  const name = await t.collection();
  await t.admin("POST", `/collections/${name}/indexes`, { keys: { slug: 1 }, unique: true });
  const books = t.key().collection(name);
  const { id } = await books.create({ slug: "a" });
  const other = await books.create({ slug: "b" });
  const error = await fails(books.create({ slug: "a" }), "CONFLICT", 409);
  check(error.message.includes("slug"), error.message);
  await fails(books.update(other.id, { slug: "a" }), "CONFLICT", 409);
  await fails(books.replace(other.id, { slug: "a" }), "CONFLICT", 409);
  await fails(books.replace("fresh", { slug: "a" }, { create: true }), "CONFLICT", 409);
  await books.delete(id);
  equal((await books.update(other.id, { slug: "a" }, { returning: true })).slug, "a", "free again");
}

export async function profiles_and_references_into_lists_expand(t) {
  const own = await t.ownProject({ profileFields: ["name"] });
  const tags = await own.collection();
  const name = await own.collection(open, {
    type: "object",
    properties: {
      by: { type: "string", "x-ref": "users" },
      tags: { type: "array", items: { type: "string", "x-ref": tags } },
      parts: { type: "array", items: { type: "object", properties: { tag: { type: "string", "x-ref": tags } } } },
    },
  });
  const user = await own.user();
  const red = await user.collection(tags).create({ title: "red" });
  const books = user.collection(name);
  const { id } = await books.create({ by: user.id, tags: [red.id, "gone"], parts: [{ tag: red.id }, {}] });
  const read = await books.get(id, { expand: ["by", "tags", "parts.tag"] });
  equal(read.by, { id: user.id, name: null });
  equal([read.tags[0].title, read.tags[1]], ["red", "gone"], "what is not there stays an id");
  equal([read.parts[0].tag.title, read.parts[1]], ["red", {}]);
  equal((await books.list({ expand: ["tags"] }))[0].tags[0].title, "red");
  equal((await books.query({ expand: ["tags"], fields: ["parts"] })).documents[0].tags[0].title, "red");
  equal((await books.get(id, { expand: ["none"] })).tags, [red.id, "gone"], "an unknown name expands nothing");
}

export async function ids_ascend_whatever_the_clock_does(t) {
  const now = 1_700_000_000_000;
  const ids = [newId(now), newId(now - 5_000), newId(now), newId(now + 1), newId(now - 30_000)];
  equal([...ids].sort(), ids, "set back a little");
  const far = newId(now + 3_600_000);
  const back = newId(now + 2);
  check(back < far, "a clock that was far ahead counts no more");
  check(
    [newId(0), newId(-5), newId(8.64e15)].every((id) => /^[0-9A-Za-z]{20}$/.test(id)),
    "at the ends of time too",
  );
  check(t !== undefined, "no server is needed");
}

export async function options_of_a_client_reach_every_call(t) {
  const seen = [];
  const watched = watchedFetch((line, init) => {
    seen.push(Object.fromEntries(new Headers(init.headers)));
    return line === "GET /health" && jsonResponse({ version: "99.1.0", commit: "x" });
  });
  const key = t.key({ fetch: watched, headers: { "accept-language": "nb" }, timeoutMs: 0 });
  const name = await t.collection();
  await key.collection(name).list();
  await key.graphql("{ __typename }");
  equal((await key.server()).compatible, false, "a server of another version");
  equal(
    seen.map((headers) => [
      headers["accept-language"],
      typeof headers["x-request-id"],
      headers.authorization?.slice(0, 10),
    ]),
    [
      ["nb", "string", "Bearer mb_"],
      ["nb", "string", "Bearer mb_"],
      ["nb", "string", undefined],
    ],
  );
  equal(new Set(seen.map((headers) => headers["x-request-id"])).size, 3, "each call has an id");
  const slash = createClient({ url: `${t.url}//`, apiKey: t.setup.adminKey });
  equal(await slash.collection(name).list(), []);
  const away = createClient({ url: "http://127.0.0.1:1", storage: "memory" });
  const nowhere = await fails(away.collection(unique("c")).update("a", { n: 1 }));
  equal([nowhere.code, nowhere.status], ["NETWORK", 0]);
}
