import { ManybaseError } from "./errors.js";
import type { Transport } from "./http.js";
import type { Filter, Path } from "./schema.js";
import type { Session } from "./session.js";

export type ChangeType = "insert" | "update" | "replace" | "delete";

export type Change<D> = {
  collection: string;
  documentId: string;
  /** Where a later subscription can resume. */
  position: string;
} & ({ type: "insert" | "update" | "replace"; document: D } | { type: "delete" | "leave"; document?: undefined });

/**
 * `live`: changes arrive as they happen. `catching-up`: connecting, or receiving what was missed. `offline`: not connected;
 * it connects by itself. `ended`: closed, or refused by the server.
 */
export type Status = "live" | "catching-up" | "offline" | "ended";

export interface SubscribeOptions<D> {
  /** All by default, which is what `*` is too. */
  events?: readonly ChangeType[] | "*";
  filter?: Filter<D>;
  /** Chosen fields of the documents in changes. */
  fields?: readonly Path<D>[];
  /** Also report documents that go out of sight, as changes of the type `leave`. */
  leave?: boolean;
  /** Begin with the changes after this position. */
  after?: string;
  /** Changes may be missing: read again. Without it a gap is logged as an error. */
  onGap?: () => void;
  /** The reader has changed, such as their role: read again. `onGap` by default. */
  onReset?: () => void;
  onStatus?: (status: Status) => void;
  /** The server has begun to send changes: at first, and again after each interruption. */
  onSubscribed?: () => void;
  /** After an interruption begin with present changes, not with the missed ones; `onSubscribed` is the time to read again. */
  resume?: boolean;
  /** The server refused something. The subscription is over if its status is `ended`. Without it errors are logged. */
  onError?: (error: ManybaseError) => void;
  signal?: AbortSignal;
}

/** Call it to end the subscription. */
export interface Subscription {
  (): void;
  readonly status: Status;
  /** Of the last change. */
  readonly position: string | undefined;
}

export interface WebSocketLike {
  readyState: number;
  send(text: string): void;
  close(code?: number, reason?: string): void;
  onopen: ((event: any) => void) | null;
  onmessage: ((event: any) => void) | null;
  onclose: ((event: any) => void) | null;
  onerror: ((event: any) => void) | null;
}
export type WebSocketConstructor = new (url: string) => WebSocketLike;

const firstDelayMs = 500;
const maxDelayMs = 30_000;
const refusedDelayMs = 30_000;
const connectMs = 15_000;
/** A connection that held for so long was good: the next loss begins with short delays again. */
const stableMs = 10_000;
const lingerMs = 5_000;
const probeEveryMs = 25_000;
const probeReplyMs = 10_000;
/** A replay has no end mark: without a change for so long it counts as over. */
const quietMs = 300;
const rememberedChanges = 64;
const probeId = "~";

interface Entry {
  /** On the socket; empty while the subscription waits for a sign-in. */
  id: string;
  collection: string;
  listener: (change: Change<any>) => void;
  options: SubscribeOptions<any>;
  status: Status;
  position: string | undefined;
  /** It was subscribed once, so a loss of the connection can have lost changes. */
  began: boolean;
  seen: Set<string>;
  quiet?: ReturnType<typeof setTimeout> | undefined;
}

const unref = (timer: ReturnType<typeof setTimeout>) => (timer as { unref?: () => void }).unref?.();

export class Realtime {
  private readonly entries = new Set<Entry>();
  private readonly byId = new Map<string, Entry>();
  private nextId = 0;
  private socket: WebSocketLike | undefined;
  private connecting = false;
  private authenticated = false;
  /** The token sent last; undefined for a socket without one. */
  private token: string | undefined;
  private paused = false;
  /** No token is there, and the project shows nothing without one: a sign-in goes on. */
  private waitsForLogin = false;
  private attempt = 0;
  private authFailures = 0;
  private notBefore = 0;
  private lastHeard = 0;
  private retryTimer: ReturnType<typeof setTimeout> | undefined;
  private lingerTimer: ReturnType<typeof setTimeout> | undefined;
  private stableTimer: ReturnType<typeof setTimeout> | undefined;
  private openTimer: ReturnType<typeof setTimeout> | undefined;
  private probeTimer: ReturnType<typeof setInterval> | undefined;
  private renewTimer: ReturnType<typeof setTimeout> | undefined;
  private readonly stop = new AbortController();

  constructor(
    private readonly transport: Transport,
    private readonly session: Session | undefined,
    private readonly socketClass: WebSocketConstructor | undefined,
  ) {
    session?.listen((event) => {
      if (event === "logout" || event === "revoked" || event === "login") this.waitsForLogin = false;
      if (event === "token" || event === "login") void this.authenticate();
      // The next connection is without a token.
      else if (event !== "update") this.reconnect();
    });
    if (typeof window !== "undefined" && typeof document !== "undefined") {
      const options = { signal: this.stop.signal };
      window.addEventListener("online", () => this.wake(), options);
      document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && this.wake(), options);
    }
  }

  subscribe(collection: string, listener: (change: Change<any>) => void, options: SubscribeOptions<any>): Subscription {
    const began = options.after !== undefined;
    const entry: Entry = { id: "", collection, listener, options, status: "catching-up", position: options.after, began, seen: new Set() };
    const end = () => this.remove(entry);
    if (options.signal?.aborted) entry.status = "ended";
    else {
      this.entries.add(entry);
      options.signal?.addEventListener("abort", end, { once: true });
      clearTimeout(this.lingerTimer);
      if (this.authenticated && !this.paused) this.sendSubscribe(entry);
      else void this.open();
    }
    return Object.defineProperties(end, {
      status: { get: () => entry.status },
      position: { get: () => entry.position },
    }) as unknown as Subscription;
  }

  close(): void {
    this.stop.abort();
    for (const entry of [...this.entries]) this.remove(entry);
    this.drop();
  }

  // ---- the connection

  private async open(): Promise<void> {
    if (this.socket || this.connecting || this.entries.size === 0 || this.waitsForLogin) return;
    clearTimeout(this.retryTimer);
    this.retryTimer = undefined;
    const WebSocket = this.socketClass ?? (globalThis as { WebSocket?: WebSocketConstructor }).WebSocket;
    if (!WebSocket) {
      return this.failAll(new ManybaseError(0, "NO_WEBSOCKET", "this platform has no WebSocket: pass one to createClient"));
    }
    this.connecting = true;
    try {
      this.token = await this.transport.tokens?.get();
    } catch {
      this.connecting = false;
      return this.lost();
    }
    this.connecting = false;
    if (this.socket || this.entries.size === 0) return;
    const { base, project } = this.transport;
    const address = base.replace(/^http/, "ws") + "/realtime" + (project ? `?project=${encodeURIComponent(project)}` : "");
    let socket: WebSocketLike;
    try {
      socket = this.socket = new WebSocket(address);
    } catch (cause) {
      return this.failAll(new ManybaseError(0, "NETWORK", `${address} is not an address`, { cause }));
    }
    this.openTimer = setTimeout(() => this.lost(), connectMs);
    socket.onopen = () => this.send(this.credentials());
    socket.onmessage = ({ data }) => this.handle(data);
    socket.onerror = () => {};
    socket.onclose = () => this.lost();
  }

  private credentials(): object {
    return this.token ? { type: "auth", token: this.token } : { type: "auth", anonymous: true };
  }

  private send(message: object): void {
    if (this.socket?.readyState === 1) this.socket.send(JSON.stringify(message));
  }

  /** Lets go of the socket, without a new one. */
  private drop(): void {
    for (const timer of [this.openTimer, this.stableTimer, this.renewTimer, this.probeTimer, this.lingerTimer, this.retryTimer]) {
      clearTimeout(timer);
    }
    this.retryTimer = undefined;
    const { socket } = this;
    this.socket = undefined;
    this.authenticated = this.paused = false;
    this.byId.clear();
    if (!socket) return;
    socket.onopen = socket.onmessage = socket.onclose = null;
    socket.onerror = () => {};
    try {
      socket.close();
    } catch {
      // Some implementations throw while connecting.
    }
  }

  private lost(): void {
    this.drop();
    for (const entry of this.entries) this.setStatus(entry, "offline");
    if (this.entries.size === 0 || this.waitsForLogin) return;
    const most = Math.min(maxDelayMs, firstDelayMs * 2 ** this.attempt++);
    const delay = Math.max(firstDelayMs / 5 + Math.random() * most, this.notBefore - Date.now());
    this.retryTimer = setTimeout(() => void this.open(), delay);
  }

  private reconnect(): void {
    this.drop();
    for (const entry of this.entries) this.setStatus(entry, "offline");
    void this.open();
  }

  /** The network or the page is back: connect now, or see whether the connection still works. */
  private wake(): void {
    if (this.socket) this.probe();
    else if (this.retryTimer && Date.now() >= this.notBefore) void this.open();
  }

  /** Any reply shows that the connection works: this id is never subscribed. */
  private probe(): void {
    if (!this.authenticated) return;
    const sent = Date.now();
    this.send({ type: "unsubscribe", id: probeId });
    const { socket } = this;
    unref(
      setTimeout(() => {
        if (this.socket === socket && socket && this.lastHeard < sent) this.lost();
      }, probeReplyMs),
    );
  }

  // ---- tokens

  /** Sends the present token on the open socket. */
  private async authenticate(): Promise<void> {
    if (!this.socket) return void this.open();
    const { socket } = this;
    try {
      const token = await this.transport.tokens?.get();
      if (this.socket !== socket || token === this.token) return;
      this.token = token;
      this.send(this.credentials());
    } catch {
      // The session's next token is sent when it is there.
    }
  }

  private planRenewal(): void {
    clearTimeout(this.renewTimer);
    const state = this.session?.state;
    if (!state) return;
    const rest = state.expiresAt - Date.now() - state.lifeMs * 0.2;
    // The session renews a token of which less than a fifth is left; its event `token` sends the new one.
    const renew = () => void this.session?.get().then(() => this.planRenewal(), () => this.planRenewal());
    this.renewTimer = setTimeout(renew, Math.min(Math.max(rest + 50, 1_000), 2 ** 31 - 1));
    unref(this.renewTimer);
  }

  /** The server refuses the token: get another one, or learn that the session has ended. */
  private async renewToken(refused: ManybaseError): Promise<void> {
    const { socket, token } = this;
    if (!token) {
      // The caller has none: nothing changes before a sign-in.
      this.waitsForLogin = this.session !== undefined;
      if (!this.waitsForLogin) return this.failAll(refused);
      this.drop();
      for (const entry of this.entries) {
        this.setStatus(entry, "offline");
        this.report(entry, refused);
      }
      return;
    }
    if (!this.session) return this.failAll(refused);
    try {
      const next = await this.session.renew(token);
      // Without a next one the session's event `revoked` has closed the socket.
      if (this.socket !== socket || !next) return;
      if (++this.authFailures > 2) return this.lost();
      if (this.token !== next || next === token) {
        this.token = next;
        this.send(this.credentials());
      }
    } catch {
      if (this.socket === socket) this.lost();
    }
  }

  // ---- messages

  private handle(data: unknown): void {
    this.lastHeard = Date.now();
    let message: any;
    try {
      message = JSON.parse(String(data));
    } catch {
      return;
    }
    const entry = this.byId.get(message?.subscription ?? message?.id);
    switch (message?.type) {
      case "auth_ok":
        return this.onAuthenticated();
      case "subscribed":
        return entry && this.onSubscribed(entry);
      case "event":
        return entry && this.onEvent(entry, message);
      case "gap":
        if (!entry) return;
        entry.position = message.position;
        return this.missed(entry);
      case "reset":
        return entry && this.call(() => (entry.options.onReset ?? entry.options.onGap)?.());
      case "error":
        return this.onError(entry, message);
      // Messages of a newer server are not for this client.
    }
  }

  private onAuthenticated(): void {
    clearTimeout(this.openTimer);
    const resume = this.paused;
    this.paused = false;
    this.authFailures = 0;
    this.planRenewal();
    if (!this.authenticated) {
      this.authenticated = true;
      this.stableTimer = setTimeout(() => (this.attempt = 0), stableMs);
      this.probeTimer = setInterval(() => Date.now() - this.lastHeard >= probeEveryMs && this.probe(), probeEveryMs);
      unref(this.stableTimer);
      unref(this.probeTimer);
      for (const entry of this.entries) this.sendSubscribe(entry);
    } else {
      for (const entry of this.entries) {
        if (!resume && entry.id) continue;
        if (entry.id) this.send({ type: "unsubscribe", id: entry.id });
        this.byId.delete(entry.id);
        this.sendSubscribe(entry);
      }
    }
  }

  private sendSubscribe(entry: Entry): void {
    const { events, filter, fields, leave } = entry.options;
    entry.id = String(++this.nextId);
    this.byId.set(entry.id, entry);
    this.setStatus(entry, "catching-up");
    this.send({
      type: "subscribe",
      id: entry.id,
      collection: entry.collection,
      events: events === "*" ? undefined : events,
      filter,
      fields,
      leave,
      after: entry.options.resume === false && entry.began ? undefined : entry.position,
    });
  }

  private onSubscribed(entry: Entry): void {
    const resumes = entry.options.resume !== false;
    const missed = resumes && entry.began && entry.position === undefined;
    entry.began = true;
    if (missed) this.missed(entry);
    if (!resumes || entry.position === undefined) this.setStatus(entry, "live");
    else this.awaitQuiet(entry);
    this.call(() => entry.options.onSubscribed?.());
  }

  private awaitQuiet(entry: Entry): void {
    clearTimeout(entry.quiet);
    const { id } = entry;
    entry.quiet = setTimeout(() => this.byId.get(id) === entry && this.setStatus(entry, "live"), quietMs);
  }

  private onEvent(entry: Entry, message: { event: any; position: string }): void {
    const { event, position } = message;
    const key = `${position} ${event?.documentId} ${event?.type}`;
    if (entry.seen.has(key)) return;
    entry.seen.add(key);
    if (entry.seen.size > rememberedChanges) entry.seen.delete(entry.seen.values().next().value!);
    entry.position = position;
    if (entry.status === "catching-up") this.awaitQuiet(entry);
    this.call(() => entry.listener({ ...event, position }));
  }

  private onError(entry: Entry | undefined, message: { code: string; message: string; id?: string }): void {
    const error = new ManybaseError(0, message.code, message.message);
    if (message.code === "TOKEN_EXPIRED" || (message.code === "AUTH_FAILED" && !entry)) {
      this.paused = this.authenticated;
      for (const each of this.entries) this.setStatus(each, "catching-up");
      return void this.renewToken(error);
    }
    if (entry) {
      // Positions are not valid any more after a restore of the server's data.
      if (message.code === "INVALID_MESSAGE" && entry.position !== undefined && /position|after/.test(message.message)) {
        this.byId.delete(entry.id);
        entry.position = undefined;
        return this.sendSubscribe(entry);
      }
      if (message.code === "FORBIDDEN" && !this.token && this.session) {
        // Not for callers without a session: it begins with the next sign-in.
        this.byId.delete(entry.id);
        entry.id = "";
        this.setStatus(entry, "offline");
      } else {
        this.remove(entry, false);
      }
      return this.report(entry, error);
    }
    if (message.id !== undefined) return;
    if (message.code === "CONNECTION_LIMIT" || message.code === "FORBIDDEN") {
      this.notBefore = Date.now() + refusedDelayMs;
      for (const each of [...this.entries]) this.report(each, error);
    }
  }

  // ---- subscribers

  private remove(entry: Entry, send = true): void {
    if (!this.entries.delete(entry)) return;
    clearTimeout(entry.quiet);
    if (this.byId.delete(entry.id) && send) this.send({ type: "unsubscribe", id: entry.id });
    this.setStatus(entry, "ended");
    if (this.entries.size > 0) return;
    clearTimeout(this.retryTimer);
    this.retryTimer = undefined;
    this.lingerTimer = setTimeout(() => this.entries.size === 0 && this.drop(), lingerMs);
    unref(this.lingerTimer);
  }

  private failAll(error: ManybaseError): void {
    for (const entry of [...this.entries]) {
      this.remove(entry, false);
      this.report(entry, error);
    }
    this.drop();
  }

  private missed(entry: Entry): void {
    if (entry.options.onGap) return this.call(entry.options.onGap);
    this.report(entry, new ManybaseError(0, "GAP", `changes of ${entry.collection} may be missing: pass onGap`));
  }

  private setStatus(entry: Entry, status: Status): void {
    if (entry.status === status) return;
    entry.status = status;
    if (status !== "catching-up") clearTimeout(entry.quiet);
    this.call(() => entry.options.onStatus?.(status));
  }

  private report(entry: Entry, error: ManybaseError): void {
    if (entry.options.onError) this.call(() => entry.options.onError?.(error));
    else console.error("manybase:", error);
  }

  /** An error of a subscriber's function does not end the others' changes. */
  private call(listener: () => void): void {
    try {
      listener();
    } catch (error) {
      console.error("manybase: a subscriber failed:", error);
    }
  }
}

