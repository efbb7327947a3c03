import { live } from "manybase";
import { check, equal, fails, numbers, open, sleep, until } from "../context.mjs";

export async function a_list_follows_every_kind_of_change(t) {
  const user = await t.user();
  const books = user.collection(await t.collection());
  const ids = [];
  for (const n of [5, 1, 3]) ids.push((await books.create({ n, open: true })).id);
  const query = books.query({ filter: { open: true }, sort: { n: 1 }, limit: 4, total: true });
  const list = await t.live(query);
  equal([numbers(list), list.state.total, list.state.hasMore], [[1, 3, 5], 3, false]);
  const { id } = await books.create({ n: 2, open: true });
  await until(
    () => numbers(list).join() === "1,2,3,5",
    () => String(numbers(list)),
  );
  await books.update(ids[0], { n: 0 });
  await until(
    () => numbers(list).join() === "0,1,2,3",
    () => String(numbers(list)),
  );
  await books.update(id, { open: false });
  await until(
    () => numbers(list).join() === "0,1,3",
    () => String(numbers(list)),
  );
  await books.delete(ids[1]);
  await until(
    () => numbers(list).join() === "0,3",
    () => String(numbers(list)),
  );
  await books.replace(id, { n: 9, open: true });
  await until(
    () => numbers(list).join() === "0,3,9",
    () => String(numbers(list)),
  );
  await until(() => list.state.total === 3, "the total follows");
}

export async function the_limit_holds_and_is_filled_again(t) {
  const key = t.key();
  const books = key.collection(await t.collection());
  const ids = [];
  for (let n = 0; n < 60; ++n) ids.push((await books.create({ n })).id);
  const list = await t.live(books.query({ sort: { n: -1 }, limit: 3 }));
  equal([numbers(list), list.state.hasMore], [[59, 58, 57], true]);
  for (let n = 59; n > 20; --n) await books.delete(ids[n]);
  await until(
    () => numbers(list).join() === "20,19,18",
    () => String(numbers(list)),
  );
  await books.create({ n: 100 });
  await until(
    () => numbers(list).join() === "100,20,19",
    () => String(numbers(list)),
  );
}

export async function writes_are_shown_at_once_and_taken_back(t) {
  const user = await t.user();
  const name = await t.collection(
    { ...open, update: { validate: "document.n < 100" } },
    { type: "object", properties: { n: { type: "integer" } } },
  );
  const books = user.collection(name);
  const { id } = await books.create({ n: 1 });
  const list = await t.live(books.query({ sort: { n: 1 } }));
  const writing = list.update(id, { $inc: { n: 4 } });
  equal([numbers(list), [...list.state.pending]], [[5], [id]], "before the server confirms it");
  await writing;
  await until(() => list.state.pending.size === 0, "confirmed");
  equal(numbers(list), [5]);
  const refused = list.update(id, { n: 500 });
  equal(numbers(list), [500]);
  await fails(refused, "FORBIDDEN", 403);
  equal([numbers(list), list.state.pending.size], [[5], 0], "taken back");
  const creating = list.create({ n: 2 });
  equal(numbers(list), [2, 5]);
  const made = await creating;
  await until(() => list.state.pending.size === 0, "confirmed");
  equal(numbers(list), [2, 5]);
  await fails(list.create({ n: "x" }), "VALIDATION", 400);
  equal(numbers(list), [2, 5]);
  const deleting = list.delete(made.id);
  equal(numbers(list), [5]);
  await deleting;
  await until(() => list.state.pending.size === 0, "confirmed");
  equal(numbers(list), [5]);
}

export async function a_confirmed_write_that_does_not_match_disappears(t) {
  const books = t.key().collection(await t.collection());
  const list = await t.live(books.query({ filter: { open: true } }));
  await list.create({ n: 1, open: false });
  equal(numbers(list), [1], "shown until the list is read again");
  await until(() => numbers(list).length === 0, "read again", 8);
}

export async function mixed_values_are_in_the_servers_order(t) {
  const books = t.key().collection(await t.collection());
  const values = [
    3,
    "b",
    null,
    true,
    "a",
    1.5,
    [4, -1],
    undefined,
    "\u{1F600}",
    "\uFFFD",
    false,
    [],
    "10",
    "9",
    { a: 1 },
  ];
  for (const n of values) await books.create({ n });
  for (const order of [1, -1]) {
    const query = books.query({ sort: { n: order }, limit: 100 });
    const list = await t.live(query);
    // New values go to their places by this client's order.
    for (const n of [2, "aa", [2], false, null]) await books.create({ n });
    await until(() => list.state.documents.length === values.length + (order === 1 ? 5 : 10), "all arrived");
    await until(
      async () => JSON.stringify((await query).documents) === JSON.stringify(list.state.documents),
      "the same order",
    );
  }
}

export async function chosen_fields_and_expanded_references(t) {
  const people = await t.collection();
  const name = await t.collection(open, {
    type: "object",
    properties: { author: { type: "string", "x-ref": people }, n: { type: "integer" }, more: { type: "string" } },
  });
  const key = t.key();
  const ada = await key.collection(people).create({ name: "Ada" });
  const books = key.collection(name);
  await books.create({ n: 1, author: ada.id, more: "x" });
  const chosen = await t.live(books.query({ sort: { n: 1 }, fields: ["author"] }));
  equal(Object.keys(chosen.state.documents[0]).sort(), ["author", "id", "n"], "with the keys of the sort");
  const expanded = await t.live(books.query({ sort: { n: 1 }, expand: ["author"] }));
  equal(expanded.state.documents[0].author.name, "Ada");
  await books.create({ n: 2, author: ada.id });
  await until(() => expanded.state.documents[1]?.author.name === "Ada", "the new one is expanded too");
}

export async function many_changes_are_few_states(t) {
  const books = t.key().collection(await t.collection());
  const list = await t.live(books.query({ sort: { n: -1 }, limit: 5 }));
  let states = 0;
  list.subscribe(() => ++states);
  await Promise.all(Array.from({ length: 200 }, (_, n) => books.create({ n })));
  await until(
    () => numbers(list).join() === "199,198,197,196,195",
    () => String(numbers(list)),
  );
  await sleep(50);
  check(states < 200, `${states} states for 200 changes`);
}

export async function a_list_that_is_refused_has_its_error(t) {
  const user = await t.user();
  const list = live(user.collection(await t.collection({ read: {} })).query());
  t.onEnd(() => list.close());
  await until(() => list.state.error, "an error");
  equal([list.state.error.code, list.state.documents], ["FORBIDDEN", []]);
}

export async function a_platform_without_websockets(t) {
  const { WebSocket } = globalThis;
  try {
    globalThis.WebSocket = undefined;
    const books = t.key().collection(await t.collection());
    await books.create({ n: 1 });
    const list = live(books.query());
    t.onEnd(() => list.close());
    await until(() => list.state.documents.length === 1, "the list is read once");
    equal([list.state.status, list.state.error?.code], ["ended", "NO_WEBSOCKET"]);
  } finally {
    globalThis.WebSocket = WebSocket;
  }
}
