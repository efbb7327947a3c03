// What only a page meets: it is frozen and shown again, loses and finds its network, and its storage is full.
import { check, equal, password, sleep, unique, until } from "../context.mjs";
import { accept, eventOf, scripted } from "../scripted.mjs";

const shownAgain = () => document.dispatchEvent(new Event("visibilitychange", { bubbles: true }));

/** The stored session of another page, whose messages this one has missed. */
function replaceStored(t, text) {
  const key = `manybase:${t.url}/api/v1:${t.project}`;
  const before = localStorage.getItem(key);
  if (text === null) localStorage.removeItem(key);
  else localStorage.setItem(key, text);
  return before;
}

export async function a_page_that_is_shown_again_learns_who_is_signed_in(t) {
  const client = t.client({ storage: undefined });
  const email = `${unique("user")}@example.com`;
  await client.auth.register({ email, password });
  await client.auth.login({ email, password });
  const events = [];
  client.auth.onChange((user, event) => events.push([user?.email, event]));
  const stored = replaceStored(t, null);
  shownAgain();
  await until(() => client.auth.user === null, "signed out");
  replaceStored(t, stored);
  shownAgain();
  await until(() => client.auth.user?.email === email, "signed in");
  shownAgain();
  await sleep(50);
  equal(events, [
    [undefined, "logout"],
    [email, "login"],
  ]);
  await client.auth.logout();
}

export async function a_storage_that_is_full_signs_in_for_the_page(t) {
  const { setItem } = Storage.prototype;
  const client = t.client({ storage: undefined });
  const email = `${unique("user")}@example.com`;
  try {
    Storage.prototype.setItem = () => {
      throw new DOMException("full", "QuotaExceededError");
    };
    await client.auth.register({ email, password });
    await client.auth.login({ email, password });
    equal((await client.auth.sessions.list()).length, 1);
    shownAgain();
    await sleep(50);
    equal(client.auth.user?.email, email);
    await client.auth.logout();
    equal(client.auth.user, null);
  } finally {
    Storage.prototype.setItem = setItem;
  }
}

export async function a_page_that_is_shown_again_asks_whether_its_socket_works(t) {
  const WebSocket = scripted();
  const off = t
    .key({ WebSocket })
    .collection("books")
    .subscribe(() => {});
  await until(() => off.status === "live", "live");
  const [socket] = WebSocket.sockets;
  shownAgain();
  equal(socket.of("unsubscribe"), [{ type: "unsubscribe", id: "~" }], "any reply shows that it does");
  socket.reply({ type: "error", code: "UNKNOWN_SUBSCRIPTION", id: "~", message: "no such subscription" });
  equal([off.status, WebSocket.sockets.length], ["live", 1]);
}

export async function a_network_that_is_back_is_used_at_once(t) {
  let away = false;
  const WebSocket = scripted((message, socket) => (away ? socket.drop() : accept(message, socket)));
  const seen = [];
  const off = t
    .key({ WebSocket })
    .collection("books")
    .subscribe((change) => seen.push(change.document.id), { onGap: () => seen.push("gap") });
  await until(() => off.status === "live", "live");
  WebSocket.sockets[0].reply(eventOf("1", "p1", { id: "a" }));
  away = true;
  WebSocket.sockets[0].drop();
  // Some attempts make the delay long.
  await until(() => WebSocket.sockets.length >= 3 && WebSocket.sockets.at(-1).readyState === 3, "offline");
  away = false;
  const opened = WebSocket.sockets.length;
  dispatchEvent(new Event("online"));
  await until(() => off.status === "live", "live again");
  equal([WebSocket.sockets.length, WebSocket.sockets.at(-1).of("subscribe")[0].after, seen], [opened + 1, "p1", ["a"]]);
  check(off.position === "p1", "its place is kept");
}
