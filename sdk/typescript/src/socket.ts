import { ManybaseError } from "./errors.js";
import type { Transport } from "./http.js";
import { notify, report, setStatus, type Entry, type WebSocketConstructor, type WebSocketLike } from "./realtime.js";
import type { Session } from "./session.js";

const firstDelayMs = 500;
const maxDelayMs = 30_000;
const refusedDelayMs = 30_000;
const connectMs = 15_000;
/** A connection that held for so long was good: the next loss begins with short delays again. */
const stableMs = 10_000;
const lingerMs = 5_000;
const probeEveryMs = 25_000;
const probeReplyMs = 10_000;
const rememberedChanges = 64;
const probeId = "~";

const unref = (timer: ReturnType<typeof setTimeout>) => (timer as { unref?: () => void }).unref?.();

/** The one socket of a client: subscriptions, resumption, tokens and back-off. */
export class Connection {
  readonly #entries = new Set<Entry>();
  readonly #byId = new Map<string, Entry>();
  #nextId = 0;
  #socket: WebSocketLike | undefined;
  #connecting = false;
  #authenticated = false;
  /** The token sent last; undefined for a socket without one. */
  #token: string | undefined;
  #paused = false;
  /** No token is there, and the project shows nothing without one: a sign-in goes on. */
  #waitsForLogin = false;
  #attempt = 0;
  #authFailures = 0;
  #notBefore = 0;
  #lastHeard = 0;
  #retryTimer: ReturnType<typeof setTimeout> | undefined;
  #lingerTimer: ReturnType<typeof setTimeout> | undefined;
  #stableTimer: ReturnType<typeof setTimeout> | undefined;
  #openTimer: ReturnType<typeof setTimeout> | undefined;
  #probeTimer: ReturnType<typeof setInterval> | undefined;
  #renewTimer: ReturnType<typeof setTimeout> | undefined;
  readonly #stop = new AbortController();

  readonly #transport: Transport;
  readonly #session: Session | undefined;
  readonly #socketClass: WebSocketConstructor | undefined;

  constructor(transport: Transport, session: Session | undefined, socketClass: WebSocketConstructor | undefined) {
    this.#transport = transport;
    this.#session = session;
    this.#socketClass = socketClass;
    session?.listen((event) => {
      if (event === "logout" || event === "revoked" || event === "login") this.#waitsForLogin = false;
      if (event === "token" || event === "login") void this.#authenticate();
      // The next connection is without a token.
      else if (event !== "update") this.#reconnect();
    });
    if (typeof window !== "undefined" && typeof document !== "undefined") {
      const options = { signal: this.#stop.signal };
      window.addEventListener("online", () => this.#wake(), options);
      document.addEventListener(
        "visibilitychange",
        () => document.visibilityState === "visible" && this.#wake(),
        options,
      );
    }
  }

  add(entry: Entry): void {
    this.#entries.add(entry);
    clearTimeout(this.#lingerTimer);
    if (this.#authenticated && !this.#paused) this.#sendSubscribe(entry);
    else void this.#open();
  }

  close(): void {
    this.#stop.abort();
    for (const entry of [...this.#entries]) this.remove(entry);
    this.#drop();
  }

  // ---- the connection

  async #open(): Promise<void> {
    if (this.#socket || this.#connecting || this.#entries.size === 0 || this.#waitsForLogin) return;
    clearTimeout(this.#retryTimer);
    this.#retryTimer = undefined;
    const WebSocket = this.#socketClass ?? (globalThis as { WebSocket?: WebSocketConstructor }).WebSocket;
    if (!WebSocket) {
      return this.#failAll(
        new ManybaseError(0, "NO_WEBSOCKET", "this platform has no WebSocket: pass one to createClient"),
      );
    }
    this.#connecting = true;
    try {
      this.#token = await this.#transport.tokens?.get();
    } catch {
      this.#connecting = false;
      return this.#lost();
    }
    this.#connecting = false;
    if (this.#socket || this.#entries.size === 0) return;
    const { base, project } = this.#transport;
    const address =
      base.replace(/^http/, "ws") + "/realtime" + (project ? `?project=${encodeURIComponent(project)}` : "");
    let socket: WebSocketLike;
    try {
      socket = this.#socket = new WebSocket(address);
    } catch (cause) {
      return this.#failAll(new ManybaseError(0, "NETWORK", `${address} is not an address`, { cause }));
    }
    this.#openTimer = setTimeout(() => this.#lost(), connectMs);
    socket.onopen = () => this.#send(this.#credentials());
    socket.onmessage = ({ data }) => this.#handle(data);
    // Node.js has no event "close" where the server refuses the upgrade.
    socket.onclose = socket.onerror = () => this.#lost();
  }

  #credentials(): object {
    return { type: "auth", batch: true, ...(this.#token ? { token: this.#token } : { anonymous: true }) };
  }

  #send(message: object): void {
    if (this.#socket?.readyState === 1) this.#socket.send(this.#transport.codec.stringify(message));
  }

  /** Lets go of the socket, without a new one. */
  #drop(): void {
    for (const timer of [
      this.#openTimer,
      this.#stableTimer,
      this.#renewTimer,
      this.#probeTimer,
      this.#lingerTimer,
      this.#retryTimer,
    ]) {
      clearTimeout(timer);
    }
    this.#retryTimer = undefined;
    const socket = this.#socket;
    this.#socket = undefined;
    this.#authenticated = this.#paused = false;
    this.#byId.clear();
    if (!socket) return;
    socket.onopen = socket.onmessage = socket.onclose = null;
    socket.onerror = () => {};
    try {
      socket.close();
    } catch {
      // Some implementations throw while connecting.
    }
  }

  #lost(): void {
    this.#drop();
    for (const entry of this.#entries) setStatus(entry, "offline");
    if (this.#entries.size === 0 || this.#waitsForLogin) return;
    const most = Math.min(maxDelayMs, firstDelayMs * 2 ** this.#attempt++);
    const delay = Math.max(firstDelayMs / 5 + Math.random() * most, this.#notBefore - Date.now());
    this.#retryTimer = setTimeout(() => void this.#open(), delay);
  }

  #reconnect(): void {
    this.#drop();
    for (const entry of this.#entries) setStatus(entry, "offline");
    void this.#open();
  }

  /** The network or the page is back: connect now, or see whether the connection still works. */
  #wake(): void {
    if (this.#socket) this.#probe();
    else if (this.#retryTimer && Date.now() >= this.#notBefore) void this.#open();
  }

  /** Any reply shows that the connection works: this id is never subscribed. */
  #probe(): void {
    if (!this.#authenticated) return;
    const sent = Date.now();
    this.#send({ type: "unsubscribe", id: probeId });
    const socket = this.#socket;
    unref(
      setTimeout(() => {
        if (this.#socket === socket && socket && this.#lastHeard < sent) this.#lost();
      }, probeReplyMs),
    );
  }

  // ---- tokens

  /** Sends the present token on the open socket. */
  async #authenticate(): Promise<void> {
    if (!this.#socket) return void this.#open();
    const socket = this.#socket;
    try {
      const token = await this.#transport.tokens?.get();
      if (this.#socket !== socket || token === this.#token) return;
      this.#token = token;
      this.#send(this.#credentials());
    } catch {
      // The session's next token is sent when it is there.
    }
  }

  #planRenewal(): void {
    clearTimeout(this.#renewTimer);
    const state = this.#session?.state;
    if (!state) return;
    const rest = state.expiresAt - Date.now() - state.lifeMs * 0.2;
    // The session renews a token of which less than a fifth is left; its event `token` sends the new one.
    const renew = () =>
      void this.#session?.get().then(
        () => this.#planRenewal(),
        () => this.#planRenewal(),
      );
    this.#renewTimer = setTimeout(renew, Math.min(Math.max(rest + 50, 1_000), 2 ** 31 - 1));
    unref(this.#renewTimer);
  }

  /** The server refuses the token: get another one, or learn that the session has ended. */
  async #renewToken(refused: ManybaseError): Promise<void> {
    const socket = this.#socket;
    const token = this.#token;
    if (!token) {
      // The caller has none: nothing changes before a sign-in.
      this.#waitsForLogin = this.#session !== undefined;
      if (!this.#waitsForLogin) return this.#failAll(refused);
      this.#drop();
      for (const entry of this.#entries) {
        setStatus(entry, "offline");
        report(entry, refused);
      }
      return;
    }
    if (!this.#session) return this.#failAll(refused);
    try {
      const next = await this.#session.renew(token);
      // Without a next one the session's event `revoked` has closed the socket.
      if (this.#socket !== socket || !next) return;
      if (++this.#authFailures > 2) return this.#lost();
      if (this.#token !== next || next === token) {
        this.#token = next;
        this.#send(this.#credentials());
      }
    } catch {
      if (this.#socket === socket) this.#lost();
    }
  }

  // ---- messages

  #handle(data: unknown): void {
    this.#lastHeard = Date.now();
    let message: any;
    try {
      message = this.#transport.codec.parse(String(data));
    } catch {
      return;
    }
    if (Array.isArray(message)) message.forEach((each) => this.#take(each));
    else this.#take(message);
  }

  #take(message: any): void {
    const entry = this.#byId.get(message?.subscription ?? message?.id);
    switch (message?.type) {
      case "auth_ok":
        return this.#onAuthenticated();
      case "subscribed":
        return entry && this.#onSubscribed(entry);
      case "event":
        return entry && this.#onEvent(entry, message);
      case "caught-up":
        if (!entry) return;
        entry.position = message.position;
        return setStatus(entry, "live");
      case "gap":
        if (!entry) return;
        entry.position = message.position;
        return this.#missed(entry);
      case "reset":
        return entry && notify(() => (entry.options.onReset ?? entry.options.onGap)?.());
      case "error":
        return this.#onError(entry, message);
      // Messages of a newer server are not for this client.
    }
  }

  #onAuthenticated(): void {
    clearTimeout(this.#openTimer);
    const resume = this.#paused;
    this.#paused = false;
    this.#authFailures = 0;
    this.#transport.compare();
    this.#planRenewal();
    if (!this.#authenticated) {
      this.#authenticated = true;
      this.#stableTimer = setTimeout(() => (this.#attempt = 0), stableMs);
      this.#probeTimer = setInterval(() => Date.now() - this.#lastHeard >= probeEveryMs && this.#probe(), probeEveryMs);
      unref(this.#stableTimer);
      unref(this.#probeTimer);
      for (const entry of this.#entries) this.#sendSubscribe(entry);
    } else {
      for (const entry of this.#entries) {
        if (!resume && entry.id) continue;
        if (entry.id) this.#send({ type: "unsubscribe", id: entry.id });
        this.#byId.delete(entry.id);
        this.#sendSubscribe(entry);
      }
    }
  }

  #sendSubscribe(entry: Entry): void {
    const { events, filter, fields, leave, admin } = entry.options;
    entry.id = String(++this.#nextId);
    this.#byId.set(entry.id, entry);
    setStatus(entry, "catching-up");
    this.#send({
      type: "subscribe",
      id: entry.id,
      collection: entry.collection,
      events: events === "*" ? undefined : events,
      filter,
      fields,
      leave,
      admin,
      caughtUp: true,
      after: entry.options.resume === false && entry.began ? undefined : entry.position,
    });
  }

  #onSubscribed(entry: Entry): void {
    const resumes = entry.options.resume !== false;
    const missed = resumes && entry.began && entry.position === undefined;
    entry.began = true;
    if (missed) this.#missed(entry);
    notify(() => entry.options.onSubscribed?.());
  }

  #onEvent(entry: Entry, message: { event: any; position: string }): void {
    const { event, position } = message;
    const key = `${position} ${event?.documentId} ${event?.type}`;
    if (!event || entry.seen.has(key)) return;
    entry.seen.add(key);
    if (entry.seen.size > rememberedChanges) entry.seen.delete(entry.seen.values().next().value!);
    entry.position = position;
    notify(() => entry.listener({ ...event, position }));
  }

  #onError(entry: Entry | undefined, message: { code: string; message: string; id?: string }): void {
    const error = new ManybaseError(0, message.code, message.message);
    if (message.code === "TOKEN_EXPIRED" || (message.code === "AUTH_FAILED" && !entry)) {
      this.#paused = this.#authenticated;
      for (const each of this.#entries) setStatus(each, "catching-up");
      return void this.#renewToken(error);
    }
    if (entry) {
      // Positions are not valid any more after a restore of the server's data.
      if (
        message.code === "INVALID_MESSAGE" &&
        entry.position !== undefined &&
        /position|after/.test(message.message)
      ) {
        this.#byId.delete(entry.id);
        entry.position = undefined;
        return this.#sendSubscribe(entry);
      }
      if (message.code === "FORBIDDEN" && !this.#token && this.#session) {
        // Not for callers without a session: it begins with the next sign-in.
        this.#byId.delete(entry.id);
        entry.id = "";
        setStatus(entry, "offline");
      } else {
        this.remove(entry, false);
      }
      return report(entry, error);
    }
    if (message.id !== undefined) return;
    if (message.code === "CONNECTION_LIMIT" || message.code === "FORBIDDEN") {
      this.#notBefore = Date.now() + refusedDelayMs;
      for (const each of [...this.#entries]) report(each, error);
    }
  }

  // ---- subscribers

  remove(entry: Entry, send = true): void {
    if (!this.#entries.delete(entry)) return;
    if (this.#byId.delete(entry.id) && send) this.#send({ type: "unsubscribe", id: entry.id });
    setStatus(entry, "ended");
    if (this.#entries.size > 0) return;
    clearTimeout(this.#retryTimer);
    this.#retryTimer = undefined;
    this.#lingerTimer = setTimeout(() => this.#entries.size === 0 && this.#drop(), lingerMs);
    unref(this.#lingerTimer);
  }

  #failAll(error: ManybaseError): void {
    for (const entry of [...this.#entries]) {
      this.remove(entry, false);
      report(entry, error);
    }
    this.#drop();
  }

  #missed(entry: Entry): void {
    if (entry.options.onGap) return notify(entry.options.onGap);
    report(entry, new ManybaseError(0, "GAP", `changes of ${entry.collection} may be missing: pass onGap`));
  }
}
