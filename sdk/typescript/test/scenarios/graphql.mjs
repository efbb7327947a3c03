// GraphQL operations, and the endpoints of functions.
import { check, equal, fails, jsonResponse, open, unique, watchedFetch } from "../context.mjs";

const schema = { type: "object", properties: { title: { type: "string" }, n: { type: "integer" } } };

export async function errors_of_parts_come_with_the_data(t) {
  const hidden = await t.collection({ create: {} }, schema);
  const name = await t.collection(
    { ...open, read: { deniedReadFields: ["n"] }, list: { deniedReadFields: ["n"] } },
    schema,
  );
  const user = await t.user();
  await user.collection(name).create({ title: "x", n: 1 });
  const { data, errors } = await user.graphql(`{ ok: ${name} { title n } bad: ${name}(filter: {n: 1}) { title } }`);
  equal(data, { ok: [{ title: "x", n: null }], bad: null });
  equal(
    errors.map((one) => [one.path, one.extensions.code]),
    [[["bad"], "FORBIDDEN"]],
  );
  const refused = await user.graphql(`{ ${hidden} { title } }`);
  equal([refused.data[hidden], refused.errors[0].extensions.code], [null, "FORBIDDEN"]);
  const error = await fails(user.graphql("{ none { title } }"), undefined, 200);
  check(
    error.message.includes("none") && Array.isArray(error.cause),
    "without data it is an error, with all as its cause",
  );
}

export async function mutations_write_with_variables_and_codes(t) {
  const name = await t.collection(open, { ...schema, required: ["title"] });
  const type = name[0].toUpperCase() + name.slice(1);
  const watched = watchedFetch();
  const key = t.key({ fetch: watched });
  const create = `mutation Make($input: ${type}Input!) { create${type}(input: $input) { id title } }`;
  const { data } = await key.graphql(create, { input: { title: "a", n: 1 } });
  const { id } = data[`create${type}`];
  const several = `mutation A { update${type}(id: "${id}", patch: {n: 5}) { n } } query B { ${name}Count }`;
  equal((await key.graphql(several, undefined, { operationName: "A" })).data[`update${type}`], { n: 5 });
  equal((await key.graphql(several, undefined, { operationName: "B" })).data[`${name}Count`], 1);
  await fails(key.graphql(several), undefined, 200);
  const invalid = await fails(
    key.graphql(`mutation { replace${type}(id: "${id}", input: {n: 1}) { id } }`).then(({ data: got, errors }) => {
      if (errors) throw Object.assign(new Error(errors[0].message), { code: errors[0].extensions.code });
      return got;
    }),
  );
  equal(invalid.code, "VALIDATION");
  equal((await key.graphql(`mutation { delete${type}(id: "${id}") }`)).data, { [`delete${type}`]: true });
  equal(watched.sent.length, 6, "each sent once");
}

export async function pages_of_graphql_continue_like_queries(t) {
  const name = await t.collection(open, schema);
  const key = t.key();
  for (let n = 0; n < 5; ++n) await key.collection(name).create({ title: `t${n}`, n });
  const page = `query($after: ID) { page: ${name}Page(sort: {n: -1}, limit: 2, after: $after) { documents { n } next total } }`;
  const seen = [];
  for (let after; ;) {
    const { data } = await key.graphql(page, { after });
    equal(data.page.total, 5);
    seen.push(...data.page.documents.map((one) => one.n));
    after = data.page.next;
    if (!after) break;
  }
  equal(seen, [4, 3, 2, 1, 0]);
  const { next } = await key.collection(name).query({ sort: { n: -1 }, limit: 2 });
  equal(
    (await key.graphql(page, { after: next })).data.page.documents,
    [{ n: 2 }, { n: 1 }],
    "the cursors are the same",
  );
  const wrong = await key.graphql(page, { after: `${next.slice(0, -6)}AAAAAA` });
  equal([wrong.data.page, wrong.errors[0].extensions.code], [null, "INVALID_CURSOR"]);
}

export async function queries_are_repeated_and_mutations_are_not(t) {
  let failures = 1;
  const lost = watchedFetch(() => {
    if (failures-- > 0) throw new TypeError("the connection was lost");
  });
  const key = t.key({ fetch: lost });
  for (const [text, requests] of [
    ["{ __typename }", 2],
    ["  query Q { __typename }", 2],
    ["mutation { none }", 1],
    ["query Q { __typename } mutation M { none }", 1],
  ]) {
    failures = 1;
    lost.sent.length = 0;
    const calling = key.graphql(text);
    if (requests === 1) await fails(calling, "NETWORK", 0);
    else equal((await calling).data.__typename, "Query");
    equal(lost.sent.length, requests, text);
  }
}

export async function graphql_that_is_answered_by_something_else(t) {
  for (const body of [null, [], {}, 7, { data: null }, { errors: [] }]) {
    const watched = watchedFetch(() => jsonResponse(body));
    await fails(t.key({ fetch: watched }).graphql("{ x }"), "INVALID_RESPONSE", 200);
    equal(watched.sent.length, 1, JSON.stringify(body));
  }
  const other = t.client({ project: "no-such-project" });
  await fails(other.graphql("{ __typename }"), "UNAUTHENTICATED", 401);
}

async function echo(t, code, path = "/" + unique("f"), method = "POST") {
  await t.admin("POST", "/functions", {
    name: unique("f"),
    trigger: { type: "http", method, path },
    code: `export default async (event, ctx) => (${code})`,
  });
  return path;
}

export async function bodies_of_functions_are_sent_as_they_are(t) {
  const path = await echo(
    t,
    "{body: {type: ctx.request.headers['content-type'] ?? null, body: ctx.request.body ?? null}}",
  );
  const client = t.client();
  const sent = async (body, headers) => (await client.run("POST", path, { body, headers })).json();
  equal((await sent({ a: [1, null] })).body, { a: [1, null] });
  equal((await sent([1, 2])).body, [1, 2]);
  equal((await sent(7)).body, 7);
  equal((await sent(false)).body, false);
  equal((await sent(null)).body, null);
  const text = await sent("plain");
  // Bun sends a text without its type.
  if (globalThis.Bun) equal(text.type, null);
  else check(text.type.startsWith("text/plain") && text.body === "plain", JSON.stringify(text));
  const form = await sent(new URLSearchParams({ a: "1" }));
  check(form.type.startsWith("application/x-www-form-urlencoded"), form.type);
  equal((await sent('{"own":1}', { "content-type": "application/json" })).body, { own: 1 });
  equal((await sent(undefined)).type, null, "no body");
}

export async function functions_give_their_status_and_know_their_caller(t) {
  const path = await echo(
    t,
    "{status: Number(ctx.request.query.status), headers: {'content-language': 'nb'}, body: ctx.auth?.uid ?? 'nobody'}",
    undefined,
    "GET",
  );
  const user = await t.user();
  for (const status of [200, 404, 418, 500]) {
    const response = await user.run("GET", path, { query: { status } });
    equal([response.status, response.headers.get("content-language"), await response.text()], [status, "nb", user.id]);
  }
  equal(await (await t.client().run("GET", path, { query: { status: 200 } })).text(), "nobody");
  equal((await t.client().run("POST", path)).status, 405);
  const failing = await echo(t, "(() => { throw new Error('own') })()");
  equal((await user.run("POST", failing)).status, 500);
  const controller = new AbortController();
  controller.abort();
  await fails(user.run("GET", path, { signal: controller.signal }), "ABORTED", 0);
  await fails(t.client({ project: undefined }).run("GET", path), "MISSING_PROJECT", 0);
}

export async function functions_that_may_have_run_are_not_repeated(t) {
  const watched = watchedFetch((line) => {
    if (line.startsWith("POST")) throw new TypeError("the connection was lost");
    return jsonResponse({ error: { code: "FUNCTIONS_BUSY", message: "later" } }, 503, { "retry-after": "0" });
  });
  const key = t.key({ fetch: watched });
  await fails(key.run("POST", "/f"), "NETWORK", 0);
  equal(watched.sent.length, 1);
  watched.sent.length = 0;
  equal((await key.run("GET", "/f")).status, 503, "its response, whatever the status");
  equal(watched.sent.length, 1);
  for (const path of ["/..", "/a/../b", "/./a", "/a/.."]) await fails(key.run("GET", path), "INVALID_PARAM", 0);
  equal(watched.sent.length, 1, "no other route is called");
}
