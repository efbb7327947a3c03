import { check, equal, open, password, sleep, until } from "../context.mjs";

const shown = (change) => [change.type, change.documentId, change.document?.n];

export async function changes_arrive_in_order(t) {
  const user = await t.user();
  const books = user.collection(await t.collection());
  const changes = [];
  const statuses = [];
  const off = books.subscribe((change) => changes.push(change), { onStatus: (status) => statuses.push(status) });
  await until(() => off.status === "live", "live");
  const { id } = await books.create({ n: 1 });
  await books.update(id, { n: 2 });
  await books.replace(id, { n: 3 });
  await books.delete(id);
  await until(() => changes.length === 4, "four changes");
  equal(changes.map(shown), [
    ["insert", id, 1],
    ["update", id, 2],
    ["replace", id, 3],
    ["delete", id, undefined],
  ]);
  equal(off.position, changes[3].position);
  off();
  equal([off.status, statuses], ["ended", ["live", "ended"]]);
  await books.create({ n: 4 });
  await sleep(100);
  equal(changes.length, 4, "nothing after the end");
}

export async function events_filter_fields_and_leave(t) {
  const user = await t.user();
  const books = user.collection(await t.collection());
  const deletes = [];
  const low = [];
  const all = [];
  const subscriptions = [
    books.subscribe((change) => deletes.push(change.type), { events: ["delete"] }),
    books.subscribe((change) => low.push(shown(change)), { filter: { n: { $lt: 5 } }, fields: ["n"], leave: true }),
    books.subscribe((change) => all.push(change.type), { events: "*" }),
  ];
  await until(() => subscriptions.every((one) => one.status === "live"), "live");
  const { id } = await books.create({ n: 1, title: "x" });
  await books.update(id, { n: 7 });
  await books.delete(id);
  await until(() => all.length === 3, "three changes");
  equal(deletes, ["delete"]);
  equal(low, [
    ["insert", id, 1],
    ["leave", id, undefined],
  ]);
}

export async function one_socket_which_closes_after_the_last(t) {
  let opened = 0;
  let closed = 0;
  const sockets = [];
  class Counted extends WebSocket {
    constructor(url) {
      super(url);
      ++opened;
      sockets.push(this);
      this.addEventListener("close", () => ++closed);
    }
  }
  const user = await t.user({ WebSocket: Counted });
  const names = [await t.collection(), await t.collection()];
  equal(opened, 0, "opened by the first subscription");
  const subscriptions = names.map((name) => user.collection(name).subscribe(() => {}));
  await until(() => subscriptions.every((one) => one.status === "live"), "live");
  equal(opened, 1);
  subscriptions[0]();
  subscriptions[1]();
  await sleep(300);
  equal(closed, 0, "it stays for a while");
  const again = user.collection(names[0]).subscribe(() => {});
  await until(() => again.status === "live", "live again");
  equal(opened, 1);
  again();
  await until(() => closed === 1 || sockets[0].readyState >= 2, "closed", 8);
}

export async function a_refused_subscription_ends(t) {
  const user = await t.user();
  const hidden = await t.collection({ list: {} });
  const errors = [];
  const off = user.collection(hidden).subscribe(() => {}, { onError: (error) => errors.push(error.code) });
  await until(() => off.status === "ended", "ended");
  equal(errors, ["FORBIDDEN"]);
}

export async function without_a_session_public_rules_serve(t) {
  const name = await t.collection({ ...open, public: { read: {} } });
  const changes = [];
  const off = t
    .client()
    .collection(name)
    .subscribe((change) => changes.push(shown(change)));
  await until(() => off.status === "live", "live");
  const { id } = await t.key().collection(name).create({ n: 1 });
  await until(() => changes.length === 1, "a change");
  equal(changes[0], ["insert", id, 1]);
}

export async function signing_out_and_in_again(t) {
  const user = await t.user();
  const books = user.collection(await t.collection());
  const changes = [];
  const errors = [];
  const off = books.subscribe((change) => changes.push(shown(change)), {
    onError: (error) => errors.push(error.code),
    onGap: () => {},
  });
  await until(() => off.status === "live", "live");
  await user.auth.logout();
  await until(() => off.status !== "live", "not live");
  const missed = ["insert", (await t.key().collection(books.name).create({ n: 1 })).id, 1];
  await sleep(100);
  equal(changes, [], "nothing without a session");
  await user.auth.login({ email: user.email, password });
  await until(() => off.status === "live", "live again");
  const { id } = await books.create({ n: 2 });
  await until(() => changes.length > 1, "two changes");
  equal(changes, [missed, ["insert", id, 2]], "what was missed, and what came later");
  check(
    errors.every((code) => /^(AUTH_FAILED|FORBIDDEN)$/.test(code)),
    String(errors),
  );
}

export async function tokens_are_renewed_on_the_open_socket(t) {
  const sent = [];
  let opened = 0;
  class Watched extends WebSocket {
    constructor(url) {
      super(url);
      ++opened;
    }
    send(text) {
      sent.push(JSON.parse(text).type);
      super.send(text);
    }
  }
  const user = await t.user({ WebSocket: Watched });
  const books = user.collection(await t.collection());
  const changes = [];
  const off = books.subscribe((change) => changes.push(change.type));
  await until(() => off.status === "live", "live");
  const now = Date.now;
  try {
    Date.now = () => now() + 14 * 60_000;
    await books.list();
  } finally {
    Date.now = now;
  }
  await until(() => sent.filter((type) => type === "auth").length === 2, "the new token is sent");
  await books.create({ n: 1 });
  await until(() => changes.length === 1, "a change");
  equal(opened, 1);
}

export async function resuming_from_a_position(t) {
  const user = await t.user();
  const books = user.collection(await t.collection());
  const first = [];
  const off = books.subscribe((change) => first.push(change));
  await until(() => off.status === "live", "live");
  await books.create({ n: 1 });
  await until(() => first.length === 1, "a change");
  off();
  await books.create({ n: 2 });
  await books.create({ n: 3 });
  const later = [];
  const again = books.subscribe((change) => later.push(change.document.n), { after: off.position });
  await until(() => later.length === 2, "the missed changes");
  equal(later, [2, 3]);
  await until(() => again.status === "live", "live");
}
