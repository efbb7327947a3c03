// A page that shows a live list of 100, and counts its frames.
import { createClient, live } from "manybase";
import { until } from "../context.mjs";

let books;
let list;
let changes = 0;

const changesIn = (text) => text.split('"type":"event"').length - 1;

class Counted extends WebSocket {
  set onmessage(listener) {
    super.onmessage = listener && ((event) => ((changes += changesIn(event.data)), listener(event)));
  }
}

/** Shows the list in a table that grows as it does. */
export async function show({ url }) {
  books = createClient({ url, project: "load", storage: "memory", WebSocket: Counted }).collection("books");
  list = live(books.query({ sort: { n: -1 }, limit: 100 }));
  const table = document.body.appendChild(document.createElement("table"));
  list.subscribe(({ documents }) => {
    while (table.rows.length < documents.length) {
      const row = table.insertRow();
      row.insertCell();
      row.insertCell();
    }
    while (table.rows.length > documents.length) table.deleteRow(-1);
    documents.forEach((one, at) => {
      const [title, n] = table.rows[at].cells;
      title.textContent = one.title;
      n.textContent = one.n;
    });
  });
  await until(() => list.state.documents.length === 100, "the list");
}

/** Frames, changes and states a second, and the longest time between two frames. */
export async function measure(_, seconds) {
  const first = changes;
  let states = 0;
  const stop = list.subscribe(() => ++states);
  const began = performance.now();
  let frames = 0;
  let longestMs = 0;
  for (let last = began; last - began < seconds * 1000; ++frames) {
    const now = await new Promise(requestAnimationFrame);
    longestMs = Math.max(longestMs, now - last);
    last = now;
  }
  stop();
  const per = (count) => Math.round((count * 1000) / (performance.now() - began));
  return { frames: per(frames), changes: per(changes - first), states: per(states), longestMs: Math.round(longestMs) };
}

/** Once the changes have ended: whether the page shows what a fresh query gives. */
export async function settled() {
  await until(async () => {
    const { documents } = await books.query({ sort: { n: -1 }, limit: 100 });
    return JSON.stringify(documents) === JSON.stringify(list.state.documents) && list.state.status === "live";
  }, "the list is that of a fresh query");
  return document.querySelectorAll("tr").length;
}
