// A WebSocket that follows a script, for what a server does rarely or never.

/**
 * A class for `WebSocket` of a client. `answer(message, socket)` is called with each message of the client and may call
 * `socket.reply(message)` and `socket.drop()`; without it the socket accepts the token and subscriptions.
 * `Scripted.sockets` are those that were opened, each with its messages in `sent`.
 */
export function scripted(answer = accept) {
  return class Scripted {
    static sockets = [];
    static answer = answer;

    readyState = 0;
    sent = [];

    constructor(url) {
      this.url = url;
      Scripted.sockets.push(this);
      setTimeout(() => {
        if (this.readyState !== 0) return;
        this.readyState = 1;
        this.onopen?.({});
      }, 1);
    }

    send(text) {
      const message = JSON.parse(text);
      this.sent.push(message);
      setTimeout(() => this.readyState === 1 && Scripted.answer(message, this), 1);
    }

    reply(message) {
      this.onmessage?.({ data: typeof message === "string" ? message : JSON.stringify(message) });
    }

    /** The server or the network ends it. */
    drop() {
      this.readyState = 3;
      this.onclose?.({});
    }

    close() {
      this.readyState = 3;
    }

    /** The messages of one type. */
    of(type) {
      return this.sent.filter((one) => one.type === type);
    }
  };
}

export function accept(message, socket) {
  if (message.type === "auth") socket.reply({ type: "auth_ok" });
  if (message.type !== "subscribe") return;
  socket.reply({ type: "subscribed", id: message.id });
  socket.reply({ type: "caught-up", id: message.id, position: message.after ?? "p0" });
}

/** An event as servers send it. */
export const eventOf = (subscription, position, document, type = "insert") => ({
  type: "event",
  subscription,
  event: { type, collection: "books", documentId: document.id, document: type === "delete" ? undefined : document },
  position,
});
