// Every family of operations of the admin plane by its methods, with what it refuses. Not in pages.
import { createServer } from "node:http";
import { createAdmin } from "manybase/admin";
import { check, equal, fails, jsonResponse, open, password, paths, unique, until, watchedFetch } from "../context.mjs";

export async function collections_schemas_and_indexes(t) {
  const admin = t.adminPlane();
  const name = unique("c");
  await admin.createCollection({ name });
  await fails(admin.createCollection({ name: name.toUpperCase() }), "CONFLICT", 409);
  await fails(admin.createCollection({ name: "1 wrong" }), "VALIDATION", 400);
  equal((await admin.getSchema(name)).schema, null);
  const schema = { type: "object", properties: { n: { type: "integer" } } };
  await admin.setSchema(name, schema);
  equal((await admin.getSchema(name)).schema, schema);
  check(
    paths(
      await fails(admin.setSchema(name, { type: "object", properties: { n: { type: "none" } } }), "VALIDATION", 400),
    ).length > 0,
    "details",
  );
  const index = await admin.createIndex(name, { keys: { n: 1 }, unique: true });
  const { indexes } = await admin.listIndexes(name);
  check(
    indexes.some((one) => one.name === index.name && one.unique),
    JSON.stringify(indexes),
  );
  const renamed = unique("c");
  await admin.renameCollection(name, { to: renamed });
  await fails(admin.listIndexes(name), "NOT_FOUND", 404);
  await admin.deleteIndex(renamed, index.name);
  await fails(admin.deleteIndex(renamed, index.name), "NOT_FOUND", 404);
  await admin.removeSchema(renamed);
  equal((await admin.getSchema(renamed)).schema, null);
  await admin.deleteCollection(renamed);
}

export async function documents_past_policies_and_as_others(t) {
  const admin = t.adminPlane();
  const name = await t.collection({ list: { filter: { ownerId: "$auth.uid" } }, create: {} });
  const user = await t.user();
  const { id } = await user.collection(name).create({ n: 1 });
  const { document } = await admin.adminCreateDocument(name, { n: 2 });
  equal((await admin.adminCountDocuments(name)).count, 2);
  equal((await admin.adminCountDocuments(name, { filter: { n: 2 } })).count, 1);
  const as = await admin.adminQueryDocuments(name, { as: { user: user.id }, total: true });
  equal([as.documents.map((one) => one.id), as.total], [[id], 1], "what the user's list shows");
  await fails(admin.adminQueryDocuments(name, { as: { anonymous: true } }), "FORBIDDEN", 403);
  let etag;
  const onResponse = (response) => (etag = response.headers.get("etag"));
  await admin.adminGetDocument(name, document.id, {}, { onResponse });
  const headers = { "if-match": etag };
  equal((await admin.adminReplaceDocument(name, document.id, { m: 1 }, { headers })).document.m, 1);
  await fails(admin.adminUpdateDocument(name, document.id, { m: 2 }, { headers }), "PRECONDITION_FAILED", 412);
  await fails(admin.adminDeleteDocument(name, document.id, { headers }), "PRECONDITION_FAILED", 412);
  await admin.adminDeleteDocument(name, document.id);
  await fails(admin.adminGetDocument(name, document.id), "NOT_FOUND", 404);
}

export async function policies_sets_trials_and_stored_tests(t) {
  const admin = t.adminPlane();
  const [name, members] = [await t.collection(null), await t.collection(null)];
  const set = unique("teams");
  const body = { collection: members, where: { userId: "$auth.uid" }, value: "team" };
  check(
    (await fails(admin.setPolicySet(set, body), "VALIDATION", 400)).message.includes("index"),
    "an index is needed",
  );
  await admin.createIndex(members, { keys: { userId: 1 } });
  await admin.setPolicySet(set, body);
  check(
    (await admin.listPolicySets()).sets.some((one) => one.name === set),
    "it is listed",
  );
  const policy = { read: { filter: { team: { $in: `$auth.sets.${set}` } } } };
  await admin.setPolicy(name, policy);
  await fails(admin.deletePolicySet(set), "CONFLICT", 409);
  const trial = {
    caller: { role: "user", uid: "ada" },
    collection: name,
    operation: "read",
    document: { id: "a", team: "red" },
  };
  const refused = await admin.testPolicy(trial);
  equal([refused.allowed, refused.status, refused.steps.length > 2], [false, 404, true]);
  equal((await admin.testPolicy({ ...trial, policy: { read: {} } })).allowed, true, "a draft");
  const test = {
    name: "strangers",
    caller: { role: "user", uid: "x" },
    operation: "read",
    document: { id: "a", team: "red" },
  };
  await admin.setPolicyTests(name, {
    tests: [
      { ...test, expect: "hidden" },
      { ...test, name: "wrong", expect: "allowed" },
    ],
  });
  equal((await admin.getPolicyTests(name)).tests.length, 2);
  const report = await admin.runPolicyTests({ collections: [name] });
  equal([report.passed, report.failed, report.results[1].got], [1, 1, "hidden"]);
  await admin.setPolicyTests(name, { tests: [] });
  await admin.removePolicy(name);
  equal((await admin.getPolicy(name)).source, "default");
  await admin.deletePolicySet(set);
}

export async function roles_of_members_and_of_users(t) {
  const admin = t.adminPlane();
  for (const [create, get, replace, remove, list, member] of [
    ["createRole", "getRole", "replaceRole", "deleteRole", "listRoles", "roles"],
    [
      "createEndUserRole",
      "getEndUserRole",
      "replaceEndUserRole",
      "deleteEndUserRole",
      "listEndUserRoles",
      "enduserRoles",
    ],
  ]) {
    const name = unique("role");
    const { role } = await admin[create]({ name, permissions: ["data:*:read"] });
    equal([role.name, role.builtIn], [name, false]);
    await admin[replace](name, { permissions: ["data:*:list"] });
    equal((await admin[get](name)).role.permissions, ["data:*:list"]);
    check(
      (await admin[list]())[member].some((one) => one.name === name),
      "it is listed",
    );
    await fails(admin[create]({ name, permissions: [] }), "CONFLICT", 409);
    await fails(admin[create]({ name: unique("role"), permissions: ["no permission"] }), "VALIDATION", 400);
    await admin[remove](name);
    await fails(admin[get](name), "NOT_FOUND", 404);
  }
}

export async function end_users_are_made_changed_and_blocked(t) {
  const admin = t.adminPlane();
  const email = `${unique("user")}@example.com`;
  const { user } = await admin.createUser({ email, password, name: "Ada", emailVerified: true });
  const client = t.client();
  equal((await client.auth.login({ email, password })).user.emailVerified, true);
  await admin.updateUser(user.id, { name: "Ada L.", metadata: { plan: "pro" } });
  const { user: read } = await admin.getUser(user.id);
  equal([read.name, read.metadata, read.status], ["Ada L.", { plan: "pro" }, "active"]);
  await admin.deactivateUser(user.id);
  await fails(client.auth.login({ email, password }), "USER_INACTIVE", 403);
  await admin.blockUser(user.id);
  await fails(client.auth.login({ email, password }), "USER_BLOCKED", 403);
  await admin.activateUser(user.id);
  await admin.resetSecondFactor(user.id);
  equal((await client.auth.login({ email, password })).user.id, user.id);
  check((await admin.listUsers({ limit: 1, skip: 1 })).users.length === 1, "a page of users");
  await fails(admin.createUser({ email, password }), "EMAIL_TAKEN", 409);
  equal(paths(await fails(admin.updateUser(user.id, { nickname: "x" }), "VALIDATION", 400)), ["/nickname"]);
  await fails(admin.getUser("user_none"), "NOT_FOUND", 404);
}

export async function keys_are_made_rotated_and_revoked(t) {
  const admin = t.adminPlane();
  const name = await t.collection();
  const { apiKey, key } = await admin.createApiKey({ name: "reader", scopes: ["read"] });
  equal(await t.client({ apiKey: key }).collection(name).list(), []);
  await fails(t.client({ apiKey: key }).collection(name).create({}), "FORBIDDEN", 403);
  await fails(createAdmin({ url: t.url, token: key }).listCollections(), "FORBIDDEN", 403);
  const rotated = await admin.rotateApiKey(apiKey.id);
  check(rotated.key !== key && rotated.apiKey.id === apiKey.id, "another secret");
  await fails(t.client({ apiKey: key }).collection(name).list(), "UNAUTHENTICATED", 401);
  equal(await t.client({ apiKey: rotated.key }).collection(name).list(), []);
  check(
    (await admin.listApiKeys()).apiKeys.some((one) => one.id === apiKey.id && !("key" in one)),
    "listed without secret",
  );
  await admin.revokeApiKey(apiKey.id);
  await fails(admin.rotateApiKey(apiKey.id), "NOT_FOUND", 404);
  await fails(admin.createApiKey({ name: "x", scopes: ["none"] }), "VALIDATION", 400);
  await fails(
    admin.createApiKey({ name: "x", scopes: ["read"], expiresAt: "2001-01-01T00:00:00Z" }),
    "VALIDATION",
    400,
  );
}

export async function functions_versions_runs_and_tests(t) {
  const admin = t.adminPlane();
  const name = unique("f");
  const code = (text) => `export default async (event) => (${text})`;
  const path = "/" + name;
  const made = await admin.createFunction({ name, trigger: { type: "http", method: "GET", path }, code: code("1") });
  equal([made.function.version, made.function.enabled], [1, true]);
  await admin.updateFunction(name, { code: code("2") });
  equal((await admin.invokeFunction(name, { payload: {} })).run.result, 2);
  const { versions } = await admin.listFunctionVersions(name, { limit: 5 });
  equal(
    versions.map((one) => one.version),
    [2, 1],
  );
  check((await admin.getFunctionVersion(name, "1")).version.code.includes("(1)"), "the first code");
  equal((await admin.rollbackFunction(name, { version: 1 })).function.version, 3);
  equal((await admin.invokeFunction(name)).run.result, 1);
  await until(async () => (await admin.listRuns(name, { limit: 10 })).runs.length === 2, "both runs are logged");
  const [{ id }] = (await admin.listRuns(name)).runs;
  const again = await fails(admin.retryRun(name, id));
  check(again.status === 409 || again.status === 400, `only background runs are run again: ${again.stack}`);
  check(
    (await admin.functionStats()).functions.some((one) => one.name === name),
    "statistics",
  );
  const report = await admin.runFunctionTests(name);
  equal([report.passed, report.failed], [0, 0]);
  check(
    (await admin.listFunctions()).functions.some((one) => one.name === name),
    "it is listed",
  );
  check(
    (await fails(admin.updateFunction(name, { code: "export default (" }), "VALIDATION", 400)).details.length > 0,
    "where the code is wrong",
  );
  await admin.deleteFunction(name);
  await fails(admin.getFunction(name), "NOT_FOUND", 404);
}

/** A receiver of requests on this machine; gives its address and what it got. */
async function receiver(t, status = 200) {
  const got = [];
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const part of request) text += part;
    got.push({ path: request.url, headers: request.headers, text });
    response.writeHead(status, { "content-type": "application/json" }).end('{"ok":true}');
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.onEnd(() => (server.closeAllConnections(), new Promise((resolve) => server.close(resolve))));
  return { url: `http://127.0.0.1:${server.address().port}`, got };
}

export async function webhooks_and_their_deliveries(t) {
  const admin = t.adminPlane();
  const { url, got } = await receiver(t);
  const name = unique("hook");
  const collection = await t.collection();
  const { webhook, secret } = await admin.createWebhook({ name, collection, events: ["insert"], url: `${url}/in` });
  check(secret.startsWith("whsec_") && webhook.secret.configured, "the secret is shown once");
  equal("secret" in (await admin.getWebhook(name)).webhook.secret, false);
  const { delivery } = await admin.testWebhook(name);
  equal([delivery.status, delivery.responseStatus, got.length], ["delivered", 200, 1]);
  const { id } = await t.key().collection(collection).create({ n: 1 });
  await until(() => got.length === 2, "the delivery");
  check(got[1].text.includes(id) && got[1].headers["webhook-signature"], got[1].text);
  const { deliveries } = await until(async () => {
    const list = await admin.listDeliveries(name, { limit: 5 });
    return list.deliveries.length === 2 && list;
  }, "both are logged");
  equal((await admin.redeliver(name, deliveries.find((one) => one.documentId === id).id)).delivery.status, "delivered");
  equal(got.length, 3);
  await admin.updateWebhook(name, { events: ["delete"], enabled: false });
  check((await admin.rotateWebhookSecret(name)).secret !== secret, "another secret");
  equal((await admin.listWebhooks()).webhooks.find((one) => one.name === name).events, ["delete"]);
  equal(paths(await fails(admin.updateWebhook(name, { url: "ftp://x.example" }), "VALIDATION", 400)), ["/url"]);
  await admin.deleteWebhook(name);
  await fails(admin.testWebhook(name), "NOT_FOUND", 404);
}

export async function buckets_and_their_rules(t) {
  const admin = t.adminPlane();
  const name = unique("b");
  equal((await admin.createBucket({ name, access: "public" })).bucket.access, "public");
  await fails(admin.createBucket({ name: name.toUpperCase() }), "CONFLICT", 409);
  await admin.updateBucket(name, { access: "private", rules: { read: { filter: { ownerId: "$auth.uid" } } } });
  const { buckets } = await admin.listBuckets();
  equal(buckets.find((one) => one.name === name).rules, { read: { filter: { ownerId: "$auth.uid" } } });
  await fails(admin.updateBucket(name, { access: "public" }), "VALIDATION", 400);
  await fails(admin.updateBucket(name, { rules: { read: { validate: "nothing +" } } }), "VALIDATION", 400);
  await admin.deleteBucket(name);
  await fails(admin.updateBucket(name, { rules: null }), "NOT_FOUND", 404);
}

export async function integrations_and_variables(t) {
  const admin = t.adminPlane();
  const { url, got } = await receiver(t);
  check(
    (await admin.listProviders()).providers.some((one) => one.provider === "http" && one.ops.length === 5),
    "providers",
  );
  const name = unique("i");
  const variable = unique("URL").toUpperCase();
  await admin.setVariable(variable, { value: url });
  const config = { baseUrl: "${" + variable + "}", allowPrivate: true };
  await admin.createIntegration({ name, provider: "http", config, secrets: { authorization: "Bearer hidden" } });
  equal((await admin.getIntegration(name)).integration.secrets.authorization, { configured: true });
  await fails(admin.deleteVariable(variable), "CONFLICT", 409);
  const dry = await admin.tryIntegration(name, { op: "get", args: { path: "/a" }, mode: "dry", stub: { status: 204 } });
  equal([dry.mode, got.length], ["dry", 0]);
  const live = await admin.tryIntegration(name, { op: "get", args: { path: "/a" }, mode: "live" });
  equal([live.mode, live.result.status, got[0].headers.authorization], ["live", 200, "Bearer hidden"]);
  await admin.setIntegrationTests(name, {
    tests: [{ name: "stubbed", op: "get", args: { path: "/" }, stub: { status: 201 }, expect: { status: 201 } }],
  });
  equal((await admin.runIntegrationTests(name)).passed, 1);
  await admin.updateIntegration(name, { enabled: false });
  equal((await admin.listIntegrations()).integrations.find((one) => one.name === name).enabled, false);
  equal(paths(await fails(admin.updateIntegration(name, { config: { baseUrl: "ftp://x" } }), "VALIDATION", 400)), [
    "/config/baseUrl",
  ]);
  await admin.deleteIntegration(name);
  await admin.setVariable(variable, { value: "sealed", secret: true });
  const { variables } = await admin.listVariables();
  equal(
    variables.find((one) => one.name === variable),
    { name: variable, secret: true, configured: true },
  );
  await admin.deleteVariable(variable);
}

export async function vectors_are_configured_and_searched(t) {
  const admin = t.adminPlane();
  const name = await t.collection();
  equal((await admin.getVectorConfig(name)).config, null);
  await admin.setVectorConfig(name, { fields: [{ name: "at", dimensions: 2 }] });
  check(
    (await admin.listVectorConfigs()).configs.some((one) => one.collection === name),
    "it is listed",
  );
  const books = t.key().collection(name);
  for (const [id, at] of Object.entries({ north: [0, 1], east: [1, 0], between: [1, 1] }))
    await books.create({ id, at, kind: id[0] });
  const found = await until(async () => {
    const results = await books.search({ vector: [0.1, 1], limit: 2 });
    return results.length === 2 && results;
  }, "the index has them");
  equal(
    found.map((one) => one.id),
    ["north", "between"],
  );
  check(found[0]._score > found[1]._score, "the nearest first");
  const filtered = await books.search({ vector: [0, 1], filter: { kind: "e" }, fields: ["kind"] });
  equal(
    filtered.map((one) => [one.id, one.kind, "at" in one]),
    [["east", "e", false]],
  );
  await fails(books.search({ vector: [1, 2, 3] }), "VALIDATION", 400);
  await fails(books.search({ vector: [1, 2], field: "none" }), undefined, 400);
  await admin.removeVectorConfig(name);
  const none = await fails(books.search({ vector: [1, 2] }));
  check([400, 404].includes(none.status), none.stack);
}

export async function configuration_providers_audit_and_use(t) {
  const own = await t.ownProject();
  const admin = own.adminPlane();
  const name = await own.collection();
  const exported = await admin.exportConfiguration();
  equal([exported.formatVersion, exported.collections.map((one) => one.name)], [1, [name]]);
  const wanted = { formatVersion: 1, collections: [{ name: "imported", policy: { read: {} } }] };
  const { plan, applied } = await admin.importConfiguration(wanted, { dryRun: "1" });
  equal([plan.summary.create, applied], [1, undefined]);
  equal((await admin.importConfiguration(wanted)).applied, true);
  equal((await admin.getPolicy("imported")).policy, { read: {} });
  check(
    paths(await fails(admin.importConfiguration({ formatVersion: 1, collections: [{ name: "1" }] }), "VALIDATION", 400))
      .length > 0,
    "where",
  );
  await admin.setOauthProvider("github", { clientId: "id", clientSecret: "hidden", enabled: false });
  await admin.setOauthRedirects({ allowedRedirects: ["https://app.example.com"] });
  const oauth = await admin.getOauth();
  equal([oauth.providers[0].clientSecret, oauth.allowedRedirects], [{ configured: true }, ["https://app.example.com"]]);
  const { entries } = await admin.listAudit({ action: "config.*", limit: 5 });
  check(entries.length > 0 && entries.every((one) => one.action.startsWith("config.")), JSON.stringify(entries));
  await fails(admin.listAudit({ from: "yesterday" }), "INVALID_PARAM", 400);
  equal(await admin.getUsage(), { plan: null, limits: null, usage: null });
  check((await admin.getMetrics()).planes.admin.ok > 5, "requests are counted");
  equal((await admin.listJobs()).jobs, []);
  await fails(admin.retryJob("none"), "NOT_FOUND", 404);
  const types = await admin.getTypes();
  check(typeof types === "string" && types.includes("imported"), `the types as text, not ${types}`);
}

export async function a_token_function_is_asked_once_more_after_a_refusal(t) {
  const asked = [];
  const watched = watchedFetch();
  const token = (refused) => (asked.push(refused), refused ? t.setup.adminKey : "mb_sk_wrong.key");
  const admin = createAdmin({ url: t.url, token, fetch: watched });
  check((await admin.listCollections()).collections !== undefined, "by the second token");
  equal([asked, watched.sent.length], [[undefined, "mb_sk_wrong.key"], 2]);
  const never = watchedFetch();
  const refused = createAdmin({ url: t.url, token: () => "mb_sk_wrong.key", fetch: never });
  await fails(refused.listCollections(), "UNAUTHENTICATED", 401);
  equal(never.sent.length, 1, "the same token is not sent twice");
  const failing = createAdmin({ url: t.url, token: () => Promise.reject(new Error("no token today")) });
  equal((await fails(failing.listCollections())).message, "no token today");
  const html = watchedFetch(() => new Response("<h1>", { headers: { "content-type": "text/html" } }));
  await fails(createAdmin({ url: t.url, token: "x", fetch: html }).setPolicy("a", open), "INVALID_RESPONSE", 200);
  const busy = watchedFetch(() => jsonResponse({ error: { code: "UNAVAILABLE", message: "" } }, 503));
  await fails(createAdmin({ url: t.url, token: "x", fetch: busy }).createCollection({ name: "a" }), "UNAVAILABLE", 503);
  equal(busy.sent.length, 1, "a creation is not repeated");
}
