import { check, equal, fails, open, unique } from "../context.mjs";

export async function run_calls_an_endpoint(t) {
  const path = "/" + unique("echo");
  await t.admin("POST", "/functions", {
    name: unique("echo"),
    trigger: { type: "http", method: "POST", path: path + "/:id" },
    code: `export default async (event, ctx) => ({status: 201, body: {id: event.params.id, by: ctx.auth?.uid ?? null,
      query: ctx.request.query, sent: ctx.request.body}})`,
  });
  const user = await t.user();
  const response = await user.run("POST", path + "/7", { body: { a: 1 }, query: { q: "x" } });
  equal(response.status, 201);
  const body = await response.json();
  equal([body.id, body.by, body.query, body.sent], ["7", user.id, { q: "x" }, { a: 1 }]);
  equal((await (await t.client().run("POST", path + "/8")).json()).by, null);
  equal((await user.run("GET", "/no/such/path")).status, 404);
}

export async function graphql_gives_data_or_throws(t) {
  const name = await t.collection(open, { type: "object", properties: { title: { type: "string" } } });
  const user = await t.user();
  await user.collection(name).create({ title: "x" });
  equal((await user.graphql(`query($n: Int) { ${name}(limit: $n) { title } }`, { n: 1 })).data[name], [{ title: "x" }]);
  const error = await fails(user.graphql("{ nothing }"));
  check(error.code.length > 3 && error.message.includes("nothing"), error.message);
}

export async function the_server_fits(t) {
  const server = await t.client().server();
  equal(server.compatible, true);
  check(server.commit.length > 3, "the commit");
}
