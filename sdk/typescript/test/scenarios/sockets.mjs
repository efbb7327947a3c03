// The connection of subscriptions, against a socket that does what real servers do rarely. Each counts its connections.
import { check, clockWrongBy, day, equal, fails, password, sleep, until, watchedFetch } from "../context.mjs";
import { accept, eventOf, scripted } from "../scripted.mjs";

const silent = { onGap: () => {}, onError: () => {} };

/** A client with an API key and a scripted socket. */
function keyed(t, answer) {
  const WebSocket = scripted(answer);
  return { WebSocket, books: t.key({ WebSocket }).collection("books") };
}

export async function a_subscription_is_sent_as_the_server_takes_it(t) {
  const { WebSocket, books } = keyed(t);
  const filter = { n: { $gt: 1 } };
  const off = books.subscribe(() => {}, { events: ["insert"], filter, fields: ["n"], leave: true, after: "p7" });
  const all = books.subscribe(() => {}, { events: "*" });
  await until(() => off.status === "live" && all.status === "live", "live");
  const [socket] = WebSocket.sockets;
  check(socket.url.startsWith("ws") && socket.url.endsWith(`/api/v1/realtime?project=${t.project}`), socket.url);
  equal(socket.sent, [
    { type: "auth", batch: true, token: t.setup.adminKey },
    {
      type: "subscribe",
      id: "1",
      collection: "books",
      events: ["insert"],
      filter,
      fields: ["n"],
      leave: true,
      caughtUp: true,
      after: "p7",
    },
    { type: "subscribe", id: "2", collection: "books", caughtUp: true },
  ]);
  off();
  off();
  await until(() => socket.of("unsubscribe").length > 0, "the server is told");
  await sleep(20);
  equal([socket.of("unsubscribe"), WebSocket.sockets.length], [[{ type: "unsubscribe", id: "1" }], 1]);
}

export async function a_limit_of_connections_is_no_loop(t) {
  const errors = [];
  const { WebSocket, books } = keyed(t, (message, socket) => {
    socket.reply({ type: "error", code: "CONNECTION_LIMIT", message: "plan limit: realtimeConnections" });
    socket.drop();
  });
  const off = books.subscribe(() => {}, { onError: (error) => errors.push(error) });
  await until(() => errors.length === 1, "an error");
  await sleep(900);
  equal([WebSocket.sockets.length, off.status, errors[0].code], [1, "offline", "CONNECTION_LIMIT"], "not before 30 s");
  check(errors[0].message.startsWith("plan limit"), errors[0].message);
}

export async function a_key_that_is_refused_ends_its_subscriptions(t) {
  const errors = [];
  const { WebSocket, books } = keyed(t, (message, socket) => {
    socket.reply({ type: "error", code: "AUTH_FAILED", message: "the key was revoked" });
    socket.drop();
  });
  const onError = (error) => errors.push([error.code, error.status]);
  const subscriptions = [1, 2].map(() => books.subscribe(() => {}, { onError }));
  await until(() => subscriptions.every((one) => one.status === "ended"), "ended");
  await sleep(300);
  equal(
    [errors, WebSocket.sockets.length],
    [
      [
        ["AUTH_FAILED", 0],
        ["AUTH_FAILED", 0],
      ],
      1,
    ],
  );
}

export async function a_visitor_that_is_refused_waits_for_a_sign_in(t) {
  const WebSocket = scripted((message, socket) => {
    if (message.anonymous) socket.reply({ type: "error", code: "AUTH_FAILED", message: "nothing is public" });
    else accept(message, socket);
  });
  const { email } = await t.user();
  const client = t.client({ WebSocket });
  const errors = [];
  const off = client.collection("books").subscribe(() => {}, { onError: (error) => errors.push(error.code) });
  await until(() => errors.length === 1, "refused");
  await sleep(700);
  equal([WebSocket.sockets.length, off.status], [1, "offline"], "no further attempt");
  await client.auth.login({ email, password });
  await until(() => off.status === "live", "live with a token");
  equal([WebSocket.sockets.length, errors], [2, ["AUTH_FAILED"]]);
}

export async function a_server_that_refuses_every_token_is_asked_ever_less(t) {
  const watched = watchedFetch();
  const WebSocket = scripted((message, socket) => {
    if (message.type === "auth") socket.reply({ type: "error", code: "AUTH_FAILED", message: "no" });
  });
  const user = await t.user({ WebSocket, fetch: watched });
  const off = user.collection("books").subscribe(() => {}, silent);
  await sleep(800);
  check(WebSocket.sockets.length <= 6, `${WebSocket.sockets.length} connections`);
  check(watched.count("/auth/refresh") <= 8, `${watched.count("/auth/refresh")} refreshes`);
  equal([user.auth.user.id, off.status === "live"], [user.id, false], "the session is there: the refreshes succeed");
  WebSocket.answer = accept;
  await until(() => off.status === "live", "healed", 15);
}

export async function an_expired_token_is_renewed_and_the_place_kept(t) {
  const watched = watchedFetch();
  const WebSocket = scripted();
  const user = await t.user({ WebSocket, fetch: watched });
  const changes = [];
  const off = user.collection("books").subscribe((change) => changes.push(change.document.id), silent);
  await until(() => off.status === "live", "live");
  const [socket] = WebSocket.sockets;
  socket.reply(eventOf("1", "p1", { id: "a" }));
  socket.reply({ type: "error", code: "TOKEN_EXPIRED", message: "the token has expired" });
  equal(off.status, "catching-up");
  await until(() => socket.of("subscribe").length === 2, "subscribed again");
  const [first, second] = socket.of("auth");
  check(second.token !== first.token, "with another token");
  const again = socket.of("subscribe")[1];
  equal([again.after, again.id === "1"], ["p1", false], "after the last change");
  // What both sent is met once.
  socket.reply(eventOf(again.id, "p1", { id: "a" }));
  socket.reply(eventOf(again.id, "p2", { id: "b" }));
  socket.reply(eventOf("1", "p3", { id: "of the old one" }));
  await until(() => off.status === "live", "live");
  equal([changes, watched.count("/auth/refresh"), WebSocket.sockets.length], [["a", "b"], 1, 1]);
}

export async function a_page_that_was_frozen_for_a_day_reconnects_with_a_new_token(t) {
  const watched = watchedFetch();
  const WebSocket = scripted();
  const user = await t.user({ WebSocket, fetch: watched });
  const off = user.collection("books").subscribe(() => {}, silent);
  await until(() => off.status === "live", "live");
  WebSocket.sockets[0].reply(eventOf("1", "p5", { id: "a" }));
  await clockWrongBy(day, async () => {
    WebSocket.sockets[0].drop();
    equal(off.status, "offline");
    await until(() => WebSocket.sockets[1]?.of("subscribe").length, "connected again");
  });
  const [socket, next] = WebSocket.sockets;
  check(next.of("auth")[0].token !== socket.of("auth")[0].token, "the old token has expired");
  equal([next.of("subscribe")[0].after, watched.count("/auth/refresh")], ["p5", 1]);
}

export async function a_position_that_the_server_does_not_know_begins_anew(t) {
  let gaps = 0;
  const { WebSocket, books } = keyed(t, (message, socket) => {
    if (message.type !== "subscribe" || !message.after) return accept(message, socket);
    socket.reply({
      type: "error",
      code: "INVALID_MESSAGE",
      message: "after is not a position of this project",
      id: message.id,
    });
  });
  const off = books.subscribe(() => {}, { after: "of another project", onGap: () => ++gaps });
  await until(() => off.status === "live", "live");
  const sent = WebSocket.sockets[0].of("subscribe");
  equal([sent.map((one) => one.after), gaps, off.position], [["of another project", undefined], 1, "p0"]);
}

export async function a_subscription_that_is_wrong_is_sent_once(t) {
  const errors = [];
  const { WebSocket, books } = keyed(t, (message, socket) => {
    if (message.type !== "subscribe") return accept(message, socket);
    socket.reply({ type: "error", code: "INVALID_MESSAGE", message: "filter: no such operator", id: message.id });
  });
  const off = books.subscribe(() => {}, { filter: { $where: 1 }, onError: (error) => errors.push(error.code) });
  await until(() => off.status === "ended", "ended");
  await sleep(100);
  equal([WebSocket.sockets[0].of("subscribe").length, errors], [1, ["INVALID_MESSAGE"]]);
}

export async function a_gap_and_a_reset_are_told_once_each(t) {
  const { WebSocket, books } = keyed(t);
  const told = [];
  const both = books.subscribe(() => {}, { onGap: () => told.push("gap"), onReset: () => told.push("reset") });
  const one = books.subscribe(() => {}, { onGap: () => told.push("gap of the other") });
  await until(() => one.status === "live", "live");
  const [socket] = WebSocket.sockets;
  socket.reply({ type: "gap", id: "1", position: "p9" });
  socket.reply({ type: "reset", id: "1" });
  socket.reply({ type: "reset", id: "2" });
  equal(
    [told, both.position],
    [["gap", "reset", "gap of the other"], "p9"],
    "a reset is a gap where there is no onReset",
  );
  socket.drop();
  await until(() => WebSocket.sockets[1]?.of("subscribe").length === 2, "connected again");
  equal(
    WebSocket.sockets[1].of("subscribe").map((sent) => sent.after),
    ["p9", "p0"],
    "from the places of the gap and of the beginning",
  );
}

export async function a_subscriber_that_fails_ends_no_other(t) {
  const { WebSocket, books } = keyed(t);
  const seen = [];
  const failing = books.subscribe(
    () => {
      throw new Error("a subscriber of the app");
    },
    {
      onStatus: () => {
        throw new Error("its status");
      },
    },
  );
  const good = books.subscribe((change) => seen.push(change.document.id));
  await until(() => good.status === "live" && failing.status === "live", "live");
  WebSocket.sockets[0].reply(eventOf("1", "p1", { id: "a" }));
  WebSocket.sockets[0].reply(eventOf("2", "p1", { id: "a" }));
  WebSocket.sockets[0].reply(eventOf("2", "p2", { id: "b" }));
  equal([seen, failing.status, WebSocket.sockets.length], [["a", "b"], "live", 1]);
}

export async function messages_without_their_parts_do_no_harm(t) {
  const { WebSocket, books } = keyed(t);
  const seen = [];
  const errors = [];
  const off = books.subscribe((change) => seen.push(change.documentId), {
    ...silent,
    onError: (error) => errors.push(error),
  });
  await until(() => off.status === "live", "live");
  const [socket] = WebSocket.sockets;
  for (const message of [
    "",
    "{",
    '"event"',
    { type: "event", subscription: "1" },
    { type: "event", subscription: "1", event: null, position: 7 },
    { type: "subscribed" },
    { type: "gap", id: "9" },
    { type: "error" },
    { type: "error", code: "SOMETHING_NEW", message: "not of a subscription" },
    { type: "error", code: "UNKNOWN_SUBSCRIPTION", id: "8" },
    { type: "truncate", id: "1" },
    { type: { nested: true }, id: [] },
  ]) {
    socket.reply(message);
  }
  socket.reply(eventOf("1", "p1", { id: "a" }));
  equal([seen.filter((id) => id !== undefined), off.status, errors.length], [["a"], "live", 0]);
  equal(seen, ["a"], "an event without its change is none");
}

export async function sockets_that_cannot_be_made_end_subscriptions(t) {
  class Broken {
    constructor() {
      throw new SyntaxError("not an address");
    }
  }
  const errors = [];
  const books = t.key({ WebSocket: Broken }).collection("books");
  const off = books.subscribe(() => {}, { onError: (error) => errors.push([error.code, error.cause.name]) });
  await until(() => off.status === "ended", "ended");
  equal(errors, [["NETWORK", "SyntaxError"]]);
}

export async function subscriptions_end_by_their_signal_and_before_they_began(t) {
  const { WebSocket, books } = keyed(t);
  const over = new AbortController();
  over.abort();
  equal(books.subscribe(() => {}, { signal: over.signal }).status, "ended");
  const early = books.subscribe(() => {});
  early();
  await sleep(50);
  equal([early.status, WebSocket.sockets.length], ["ended", 0], "no connection for nothing");
  const controller = new AbortController();
  const statuses = [];
  const off = books.subscribe(() => {}, { signal: controller.signal, onStatus: (status) => statuses.push(status) });
  await until(() => off.status === "live", "live");
  controller.abort();
  equal([off.status, statuses], ["ended", ["live", "ended"]]);
  await until(() => WebSocket.sockets[0].of("unsubscribe").length === 1, "the server is told");
  WebSocket.sockets[0].reply(eventOf("1", "p1", { id: "a" }));
}

export async function a_client_that_is_closed_opens_nothing(t) {
  const WebSocket = scripted((message, socket) => socket.drop());
  const client = t.key({ WebSocket });
  const off = client.collection("books").subscribe(() => {}, silent);
  await until(() => off.status === "offline", "offline");
  client.close();
  await until(() => off.status === "ended", "ended");
  const opened = WebSocket.sockets.length;
  await sleep(800);
  equal(WebSocket.sockets.length, opened);
  equal(
    await fails(client.collection("no-such-books").list(), "NOT_FOUND", 404).then((error) => error.status),
    404,
    "calls still go",
  );
}
