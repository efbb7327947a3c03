// Subscriptions against the real server: what they select, whose eyes they have, and how they end.
import { check, equal, fails, open, password, sleep, unique, until } from "../context.mjs";

const shown = (change) => `${change.type} ${change.documentId} ${change.document?.n ?? ""}`.trim();

/** A subscription that is live, with its changes in `seen`. */
async function following(books, options = {}) {
  const seen = [];
  const off = books.subscribe((change) => seen.push(shown(change)), options);
  await until(
    () => off.status === "live",
    () => `live, not ${off.status}`,
  );
  return { seen, off };
}

/** A class for `WebSocket` that counts. */
function counted() {
  return class Counted extends WebSocket {
    static opened = 0;
    constructor(url) {
      super(url);
      ++Counted.opened;
    }
  };
}

export async function each_kind_of_event_is_selected(t) {
  const books = t.key().collection(await t.collection());
  const kinds = ["insert", "update", "replace", "delete"];
  const each = [];
  for (const kind of kinds) each.push(await following(books, { events: [kind] }));
  const two = await following(books, { events: ["insert", "delete"] });
  await books.create({ id: "a", n: 1 });
  await books.update("a", { n: 2 });
  await books.update("a", { n: 2 });
  await books.replace("a", { n: 3 });
  await books.delete("a");
  await until(() => each[3].seen.length === 1 && two.seen.length === 2, "the deletion");
  equal(
    each.map((one) => one.seen),
    [["insert a 1"], ["update a 2"], ["replace a 3"], ["delete a"]],
    "once each",
  );
  equal(two.seen, ["insert a 1", "delete a"]);
}

export async function documents_come_into_sight_and_leave_by_filter_and_rule(t) {
  const rule = { filter: { secret: { $ne: true } } };
  const user = await t.user();
  const books = user.collection(await t.collection({ ...open, read: rule }));
  const admin = t.key().collection(books.name);
  const leaving = await following(books, { filter: { n: { $lt: 10 } }, leave: true });
  const plain = await following(books, { filter: { n: { $lt: 10 } } });
  await admin.create({ id: "a", n: 50 });
  await admin.update("a", { n: 5 });
  await admin.update("a", { secret: true });
  await admin.update("a", { n: 6 });
  await admin.update("a", { secret: false });
  await admin.replace("a", { n: 60 });
  await admin.delete("a");
  await admin.create({ id: "end", n: 1 });
  await until(() => leaving.seen.includes("insert end 1"), "the last change");
  equal(leaving.seen, ["update a 5", "leave a", "update a 6", "leave a", "insert end 1"]);
  equal(plain.seen, ["update a 5", "update a 6", "insert end 1"]);
}

export async function chosen_and_denied_fields_of_changes(t) {
  const hiding = { ...open, read: { deniedReadFields: ["secret"] } };
  const user = await t.user();
  const books = user.collection(await t.collection(hiding));
  const all = [];
  const off = books.subscribe((change) => all.push(change.document));
  const some = [];
  const chosen = books.subscribe((change) => some.push(change.document), { fields: ["a.b", "list"] });
  await until(() => off.status === "live" && chosen.status === "live", "live");
  await t
    .key()
    .collection(books.name)
    .create({ id: "x", a: { b: 1, c: 2 }, list: [1], secret: 7, more: true });
  await until(() => all.length + some.length === 2, "both");
  equal(some, [{ id: "x", a: { b: 1 }, list: [1] }]);
  equal(["secret" in all[0], all[0].more, all[0].a], [false, true, { b: 1, c: 2 }]);
  const errors = [];
  const refused = books.subscribe(() => {}, { filter: { secret: 7 }, onError: (error) => errors.push(error.code) });
  await until(() => refused.status === "ended", "ended");
  equal(errors, ["FORBIDDEN"]);
}

export async function a_hundred_subscriptions_share_a_socket_and_one_more_is_refused(t) {
  const Counted = counted();
  const client = t.key({ WebSocket: Counted });
  const books = client.collection(await t.collection());
  const seen = Array(100).fill(0);
  const subscriptions = seen.map((_, n) => books.subscribe(() => ++seen[n], { filter: { n } }));
  await until(() => subscriptions.every((one) => one.status === "live"), "live");
  const errors = [];
  const more = books.subscribe(() => {}, { onError: (error) => errors.push(error.code) });
  await until(() => more.status === "ended", "refused");
  await Promise.all(seen.map((_, n) => books.create({ n })));
  await until(
    () => seen.every((count) => count === 1),
    () => `one change each, not ${seen}`,
  );
  equal([errors, Counted.opened], [["FORBIDDEN"], 1]);
  subscriptions[0]();
  const again = books.subscribe(() => {});
  await until(() => again.status === "live", "there is a place again");
}

export async function subscriptions_of_what_is_not_there_end(t) {
  const books = t.key().collection(await t.collection());
  const errors = [];
  const onError = (error) => errors.push(error.code);
  const wrong = [
    t
      .key()
      .collection("no-such-books")
      .subscribe(() => {}, { onError }),
    books.subscribe(() => {}, { filter: { n: { $near: 1 } }, onError }),
    books.subscribe(() => {}, { fields: Array.from({ length: 101 }, (_, n) => `f${n}`), onError }),
  ];
  await until(
    () => wrong.every((one) => one.status === "ended"),
    () => wrong.map((one) => one.status).join(),
  );
  check(
    errors.length === 3 && errors.every((code) => /^(NOT_FOUND|FORBIDDEN|INVALID_MESSAGE)$/.test(code)),
    String(errors),
  );
  const { off } = await following(books, { onError });
  await t.admin("DELETE", `/collections/${books.name}`);
  await until(() => off.status === "ended", "its collection was dropped");
  equal(errors.at(-1), "NOT_FOUND");
}

export async function another_role_resets_and_changes_what_is_seen(t) {
  const role = unique("editor");
  await t.admin("POST", "/enduser-roles", { name: role, permissions: ["data:*:read", "data:*:list", "data:*:create"] });
  const rule = { filter: { $or: [{ for: "all" }, { for: "$auth.role" }] } };
  const user = await t.user();
  const books = user.collection(await t.collection({ ...open, read: rule }));
  const admin = t.key().collection(books.name);
  const told = [];
  const { seen } = await following(books, {
    leave: true,
    onReset: () => told.push("reset"),
    onGap: () => told.push("gap"),
  });
  await admin.create({ id: "a", n: 1, for: role });
  await t.admin("PATCH", `/users/${user.id}`, { metadata: { role } });
  await admin.create({ id: "b", n: 2, for: role });
  await until(() => seen.length === 1, "what the new role sees");
  equal([seen, told], [["insert b 2"], ["reset"]]);
}

export async function a_rule_that_is_taken_away_sends_nothing_until_it_is_back(t) {
  const user = await t.user();
  const books = user.collection(await t.collection());
  const admin = t.key().collection(books.name);
  const { seen, off } = await following(books);
  await t.admin("PUT", `/collections/${books.name}/policy`, { create: {} });
  await admin.create({ id: "a", n: 1 });
  // Changes are evaluated in their order, so a later one that arrives shows that this one was.
  const others = t.key().collection(await t.collection());
  const later = await following(others);
  await others.create({ n: 1 });
  await until(() => later.seen.length === 1, "a later change");
  await t.admin("PUT", `/collections/${books.name}/policy`, open);
  await admin.create({ id: "b", n: 2 });
  await until(() => seen.length > 0, "a change");
  equal([seen, off.status], [["insert b 2"], "live"]);
}

export async function another_user_on_the_same_client_sees_their_own(t) {
  const own = { filter: { ownerId: "$auth.uid" } };
  const ann = await t.user();
  const ben = await t.user();
  const books = ann.collection(await t.collection({ ...open, read: own }));
  const { seen, off } = await following(books, { onGap: () => {}, onError: () => {} });
  await books.create({ id: "a", n: 1 });
  await until(() => seen.length === 1, "Ann's");
  await ann.auth.logout();
  await ann.auth.login({ email: ben.email, password });
  await until(() => off.status === "live", "live as Ben");
  const other = t.client();
  await other.auth.login({ email: ann.email, password });
  await other.collection(books.name).create({ id: "b", n: 2 });
  await ben.collection(books.name).create({ id: "c", n: 3 });
  await until(() => seen.length === 2, "Ben's");
  equal(seen, ["insert a 1", "insert c 3"], "nothing of Ann's afterwards");
}

export async function a_revoked_session_closes_its_socket_once(t) {
  const Counted = counted();
  const user = await t.user({ WebSocket: Counted });
  const events = [];
  user.auth.onChange((_, event) => events.push(event));
  const books = user.collection(await t.collection());
  const errors = [];
  const { seen, off } = await following(books, { onError: (error) => errors.push(error.code), onGap: () => {} });
  await t.admin("POST", `/users/${user.id}/block`);
  await until(() => events.includes("revoked") && off.status === "offline", "the socket learns of it");
  await t.key().collection(books.name).create({ n: 1 });
  await sleep(700);
  equal([events, seen, Counted.opened <= 2], [["revoked"], [], true], `${Counted.opened} connections`);
  check(
    errors.every((code) => code === "AUTH_FAILED" || code === "FORBIDDEN"),
    String(errors),
  );
  equal(user.auth.user, null);
}

export async function a_revoked_key_ends_subscriptions_and_calls(t) {
  const made = await t.admin("POST", "/api-keys", { name: unique("key"), scopes: ["read"] });
  const Counted = counted();
  const name = await t.collection();
  const client = t.client({ apiKey: made.key, WebSocket: Counted });
  const errors = [];
  const { off } = await following(client.collection(name), { onError: (error) => errors.push(error.code) });
  await t.admin("DELETE", `/api-keys/${made.apiKey.id}`);
  await until(() => off.status === "ended", "ended");
  await fails(client.collection(name).list(), "UNAUTHENTICATED", 401);
  equal([errors, Counted.opened], [["AUTH_FAILED"], 1]);
}

export async function a_suspended_project_is_left_alone(t) {
  const own = await t.ownProject();
  const Counted = counted();
  const client = own.key({ WebSocket: Counted });
  const name = await own.collection();
  const errors = [];
  const { off } = await following(client.collection(name), { onError: (error) => errors.push(error.code) });
  const control = t.control();
  await control.platformLogin(t.setup.platform);
  await control.suspendProject(own.project);
  await until(() => off.status !== "live", "closed");
  await sleep(700);
  await fails(client.collection(name).list(), "PROJECT_SUSPENDED", 403);
  check(Counted.opened <= 2 && errors.length > 0, `${Counted.opened} connections, ${errors}`);
  await control.resumeProject(own.project);
  equal(await client.collection(name).list(), []);
}

export async function a_position_of_another_project_is_a_gap(t) {
  const own = await t.ownProject();
  const theirs = own.key().collection(await own.collection());
  const { seen, off } = await following(theirs);
  await theirs.create({ n: 1 });
  await until(() => seen.length === 1, "a change");
  let gaps = 0;
  const books = t.key().collection(await t.collection());
  const here = await following(books, { after: off.position, onGap: () => ++gaps });
  await books.create({ id: "a", n: 1 });
  await until(() => here.seen.length === 1, "a change");
  equal([here.seen, gaps], [["insert a 1"], 1]);
}

export async function large_changes_arrive_whole(t) {
  const books = t.key().collection(await t.collection());
  const texts = [];
  const off = books.subscribe((change) => texts.push(change.document.text));
  await until(() => off.status === "live", "live");
  const parts = ["ü€\u{1F600}", 'abc \\ " \n'].map((part) => part.repeat(20_000));
  for (const text of parts) await books.create({ text });
  await until(() => texts.length === 2, "both");
  check(
    texts.every((text, at) => text === parts[at]),
    "the same text",
  );
}

export async function a_service_key_follows_past_policies(t) {
  const { key } = await t.admin("POST", "/api-keys", { name: unique("key"), scopes: ["service"] });
  const name = await t.collection({ create: {}, read: { filter: { shown: true }, deniedReadFields: ["secret"] } });
  const documents = [];
  const off = t
    .client({ apiKey: key })
    .collection(name)
    .subscribe((change) => documents.push(change.document));
  const user = await t.user();
  const narrow = await following(user.collection(name));
  await until(() => off.status === "live", "live");
  await user.collection(name).create({ id: "a", secret: 7 });
  await until(() => documents.length === 1, "a change");
  await user.collection(name).create({ id: "b", shown: true });
  await until(() => narrow.seen.length === 1, "what the rule shows");
  equal([documents[0].secret, documents[0].ownerId, narrow.seen], [7, user.id, ["insert b"]]);
}

export async function admins_follow_past_the_policy(t) {
  const hiding = { ...open, read: { filter: { ownerId: "$auth.uid" }, deniedReadFields: ["n"] } };
  const name = await t.collection(hiding);
  const whole = await following(t.key().collection(name), { admin: true });
  const own = await following(t.key().collection(name));
  const errors = [];
  const user = (await t.user()).collection(name);
  const refused = user.subscribe(() => {}, { admin: true, onError: (error) => errors.push(error.code) });
  await until(() => refused.status === "ended", "users are refused");
  equal(errors, ["FORBIDDEN"]);
  await user.create({ id: "a", n: 1 });
  await until(() => whole.seen.length === 1, "the change");
  await t.key().collection(name).create({ id: "b", n: 2 });
  await until(() => whole.seen.length === 2 && own.seen.length === 1, "the next one");
  equal([whole.seen, own.seen], [["insert a 1", "insert b 2"], ["insert b"]]);
}
