// Random histories of live lists, each repeated by its seed.
import { live } from "manybase";
import { open, until } from "./context.mjs";
import { proxied } from "./proxy.mjs";

/** Random numbers that a seed repeats. */
function randomOf(seed) {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const everyType = [
  null,
  0,
  1,
  1,
  2,
  2.5,
  -3,
  "",
  "a",
  "b",
  "10",
  "9",
  true,
  false,
  [1, 5],
  [],
  ["a"],
  { x: 1 },
  "\u{1F600}",
  "\uFFFD",
];

/** As text, whatever the order of fields. */
const canonical = (documents) =>
  JSON.stringify(documents.map((one) => Object.fromEntries(Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1)))));

/**
 * Twelve live lists of one collection under 150 random writes, with `cuts` with sockets that are cut; fails unless each
 * ends equal to a fresh query. Gives the proxy between.
 */
export async function randomHistory(t, { cuts, values = everyType, seed = Math.floor(Math.random() * 1e9) }) {
  const proxy = await proxied(t);
  const user = await t.user({ url: proxy.url });
  const direct = t.key();
  // Documents go out of sight by the rule too.
  const rule = { filter: { secret: { $ne: true } } };
  const books = user.collection(await t.collection({ ...open, read: rule, list: rule }));
  const stored = direct.collection(books.name);
  const random = randomOf(seed);
  const pick = (list) => list[random(list.length)];
  const fresh = () => ({ n: pick(values), m: random(4), open: random(3) > 0, secret: random(6) === 0 });
  const ids = [];
  const add = async () => ids.push((await stored.create(fresh())).id);
  for (let n = 0; n < 60; ++n) await add();
  const orders = [{ n: 1 }, { n: -1 }, { m: 1, n: -1 }, { m: -1 }, {}, { "n.x": 1, m: 1 }];
  const queries = orders.flatMap((sort, at) => [
    books.query({ sort, limit: 3 + at * 4, filter: at % 2 ? { open: true } : undefined }),
    books.query({ sort, limit: 2, filter: { m: { $lt: 3 } }, total: true, fields: ["m"] }),
  ]);
  const lists = queries.map((query) => live(query));
  for (const list of lists) t.onEnd(() => list.close());
  const allLive = () => lists.every((list) => list.state.status === "live");
  await until(allLive, "live");
  for (let step = 0; step < 150; ++step) {
    const id = pick(ids);
    const kind = random(10);
    if (kind < 2) await add();
    else if (kind === 2 && cuts && ids.length > 10) await stored.delete(ids.splice(ids.indexOf(id), 1)[0]);
    else if (kind === 3) await stored.replace(id, fresh());
    else if (kind === 4) await stored.update(id, { $set: { secret: random(2) === 0 } });
    else
      await stored.update(
        id,
        pick([{ n: pick(values) }, { m: random(4) }, { open: random(2) === 0 }, { $inc: { m: 1 } }]),
      );
    // Deletions in a row empty a window.
    if (cuts && step % 80 === 60) while (ids.length > 30) await stored.delete(ids.pop());
    if (cuts && (random(40) === 0 || step === 75)) proxy.cutSockets();
  }
  for (const [at, list] of lists.entries()) {
    const { options } = queries[at];
    // A live list has the keys of its sort too.
    const chosen = (documents) => (options.fields ? documents.map(({ id, m }) => ({ id, m })) : documents);
    let shown;
    await until(
      async () => {
        const page = await stored.query(options);
        shown = [canonical(chosen(page.documents)), canonical(chosen(list.state.documents))];
        const { status, total } = list.state;
        return status === "live" && shown[0] === shown[1] && (page.total === undefined || page.total === total);
      },
      () => `list ${at} of seed ${seed} is\n  ${shown?.[0]}\nand not\n  ${shown?.[1]}`,
      20,
    );
  }
  return proxy;
}
