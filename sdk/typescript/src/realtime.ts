import { loaded, type ManybaseError } from "./errors.js";
import type { Transport } from "./http.js";
import type { Filter, Path } from "./schema.js";
import type { Session } from "./session.js";
import type { Connection } from "./socket.js";

/** What was done to a document. */
export type ChangeType = "insert" | "update" | "replace" | "delete";

/** One change of a document, as it is after it. `leave`: the document went out of sight. */
export type Change<D> = {
  /** The collection of the document. */
  collection: string;
  /** The document's id. */
  documentId: string;
  /** Where a later subscription can resume. */
  position: string;
} & (
  | { type: "insert" | "update" | "replace"; document: D }
  | { type: "delete"; document?: undefined }
  | { type: "leave"; document?: undefined }
);

/**
 * `live`: changes arrive as they happen. `catching-up`: connecting, or receiving what was missed. `offline`: not connected;
 * it connects by itself. `ended`: closed, or refused by the server.
 */
export type Status = "live" | "catching-up" | "offline" | "ended";

/** Options of `subscribe`. */
export interface SubscribeOptions<D> {
  /** All by default, which is what `*` is too. */
  events?: readonly ChangeType[] | "*";
  /** Changes of which documents; all by default. */
  filter?: Filter<D>;
  /** Chosen fields of the documents in changes. */
  fields?: readonly Path<D>[];
  /** Also report documents that go out of sight, as changes of the type `leave`. */
  leave?: boolean;
  /** Past the policy, with all fields: for members and keys with `data:<collection>:admin`. */
  admin?: boolean;
  /** Begin with the changes after this position. */
  after?: string;
  /** Changes may be missing: read again. Without it a gap is logged as an error. */
  onGap?: () => void;
  /** The reader has changed, such as their role: read again. `onGap` by default. */
  onReset?: () => void;
  /** Called with each new status. */
  onStatus?: (status: Status) => void;
  /** The server has begun to send changes: at first, and again after each interruption. */
  onSubscribed?: () => void;
  /** After an interruption begin with present changes, not with the missed ones; `onSubscribed` is the time to read again. */
  resume?: boolean;
  /** The server refused something. The subscription is over if its status is `ended`. Without it errors are logged. */
  onError?: (error: ManybaseError) => void;
  /** Ends the subscription. */
  signal?: AbortSignal;
}

/** Call it to end the subscription. */
export interface Subscription {
  (): void;
  /** Whether changes arrive. */
  readonly status: Status;
  /** Of the last change. */
  readonly position: string | undefined;
}

/** What this package uses of a `WebSocket`. */
export interface WebSocketLike {
  /** 1 for an open socket. */
  readyState: number;
  /** Sends a text message. */
  send(text: string): void;
  /** Closes the connection. */
  close(code?: number, reason?: string): void;
  /** Called when it is open. */
  onopen: ((event: any) => void) | null;
  /** Called with `{ data }` for each message. */
  onmessage: ((event: any) => void) | null;
  /** Called when it has closed. */
  onclose: ((event: any) => void) | null;
  /** Called before `onclose` where it failed. */
  onerror: ((event: any) => void) | null;
}
/** The class of an implementation of `WebSocket`. */
export type WebSocketConstructor = new (url: string) => WebSocketLike;

/** @internal One subscription. */
export interface Entry {
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
}

/** An error of a subscriber's function does not end the others' changes. */
export function notify(listener: () => void): void {
  try {
    listener();
  } catch (error) {
    console.error("manybase: a subscriber failed:", error);
  }
}

export function setStatus(entry: Entry, status: Status): void {
  if (entry.status === status) return;
  entry.status = status;
  notify(() => entry.options.onStatus?.(status));
}

export function report(entry: Entry, error: ManybaseError): void {
  if (entry.options.onError) notify(() => entry.options.onError?.(error));
  else console.error("manybase:", error);
}

/** Subscriptions; the code of the connection is loaded with the first one. */
export class Realtime {
  #transport: Transport;
  #session: Session | undefined;
  #socketClass: WebSocketConstructor | undefined;
  #connection: Promise<Connection | undefined> | undefined;

  constructor(transport: Transport, session: Session | undefined, socketClass: WebSocketConstructor | undefined) {
    this.#transport = transport;
    this.#session = session;
    this.#socketClass = socketClass;
  }

  subscribe(collection: string, listener: (change: Change<any>) => void, options: SubscribeOptions<any>): Subscription {
    const { after, signal } = options;
    const status = signal?.aborted ? "ended" : "catching-up";
    const entry: Entry = {
      id: "",
      collection,
      listener,
      options,
      status,
      position: after,
      began: after !== undefined,
      seen: new Set(),
    };
    const end = () => {
      setStatus(entry, "ended");
      void this.#connection?.then((connection) => connection?.remove(entry));
    };
    if (status !== "ended") {
      signal?.addEventListener("abort", end, { once: true });
      void this.#connect(entry);
    }
    return Object.defineProperties(end, {
      status: { get: () => entry.status },
      position: { get: () => entry.position },
    }) as unknown as Subscription;
  }

  close(): void {
    void this.#connection?.then((connection) => connection?.close());
  }

  async #connect(entry: Entry): Promise<void> {
    this.#connection ??= loaded(import("./socket.js")).then(
      ({ Connection }) => new Connection(this.#transport, this.#session, this.#socketClass),
      (error) => {
        setStatus(entry, "ended");
        report(entry, error);
        return (this.#connection = undefined);
      },
    );
    const connection = await this.#connection;
    if (entry.status !== "ended") connection?.add(entry);
  }
}
