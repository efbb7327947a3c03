import { ManybaseError } from "./errors.js";
import type { ExactNumbers } from "./exact.js";
import { jittered } from "./http.js";
import { newId } from "./id.js";
import { applyUpdate } from "./local_update.js";
import { comparator } from "./order.js";
import { sortKeys, type Page, type Query } from "./query.js";
import { notify, type Change, type Status, type Subscription } from "./realtime.js";

/** A live list at one time. Each change gives another state. */
export interface LiveState<D> {
  /** The first `limit` matching documents in order, with writes of this client that the server has not confirmed. */
  readonly documents: readonly D[];
  /** `live` only while the list is known to be true. */
  readonly status: Status;
  /** Where the query requests it. */
  readonly total?: number | undefined;
  /** More documents match than are in the list. */
  readonly hasMore: boolean;
  /** The ids of documents with unconfirmed writes. */
  readonly pending: ReadonlySet<string>;
  /** Why the list could not be read or followed. */
  readonly error?: ManybaseError | undefined;
}

/** Options of `live`. */
export interface LiveOptions<D> {
  /** A page of the query that was read before, such as on the server: shown until the list is live. */
  initial?: Page<D> | undefined;
  /** Ends the subscription, so that the list stays as it is. */
  signal?: AbortSignal;
}

interface Overlay {
  id: string;
  apply: (document: any) => any;
  /** The server has confirmed the write. */
  done: boolean;
  /** A change of the document was received since the write began. */
  seen: boolean;
}

type Doc = { id: string };

/** Documents beyond the limit that are kept, so that a deletion needs no new query. */
const slack = 20;
const maxLimit = 1_000;
const frameMs = 16;
/** Between two readings. */
const reloadEveryMs = 1_000;
const maxRetryMs = 30_000;
/** A confirmed write of which no change arrives may not match the query: then the list is read again. */
const confirmMs = 3_000;
const maxBuffered = 10_000;

/** A query's first documents, kept true while documents change. Call `close` when it is not needed any more. */
export class LiveList<D> {
  #current: LiveState<D>;
  readonly #listeners = new Set<(state: LiveState<D>) => void>();
  readonly #subscription: Subscription;
  readonly #limit: number;
  readonly #compare: (a: any, b: any) => number;
  /** All matching documents up to `horizon`, and all of them if that is undefined. */
  #known = new Map<string, Doc>();
  #horizon: Doc | undefined;
  /** The places of documents as the server gave them, which hold until a document changes. */
  #ranks = new WeakMap<object, number>();
  #overlays = new Set<Overlay>();
  #subscribed = false;
  /** Counts how often the subscription has begun: a page that was read before does not show what was missed. */
  #round = 0;
  #loadedRound = 0;
  #loading = false;
  #closed = false;
  #loaded = false;
  #loadAgain = false;
  #failures = 0;
  #lastLoad = 0;
  /** The last change of each document since the reading began. */
  #sinceLoad = new Map<string, Change<any>>();
  #doubtful = false;
  /** Of the page: a shorter one than requested is not too short by changes. */
  #pageLength = 0;
  #total: number | undefined;
  #countTimer: ReturnType<typeof setTimeout> | undefined;
  #loadTimer: ReturnType<typeof setTimeout> | undefined;
  #frame: ReturnType<typeof setTimeout> | undefined;
  #error: ManybaseError | undefined;
  #status: Status = "catching-up";
  #resolveReady!: () => void;
  /** Ends with the first documents, or the first error. */
  readonly ready = new Promise<void>((resolve) => (this.#resolveReady = resolve));

  readonly #query: Query<D>;

  constructor(query: Query<D>, options: LiveOptions<D> = {}) {
    this.#query = query;
    const { filter, fields, sort, limit = 50, skip, after } = query.options;
    if (skip !== undefined || after !== undefined) {
      throw new ManybaseError(0, "INVALID_PARAM", "a live list begins at the first document: no skip, no after");
    }
    this.#limit = Math.min(limit, maxLimit);
    const byKeys = comparator(sortKeys(sort), () => (this.#doubtful = true));
    this.#compare = (a, b) => {
      const x = this.#ranks.get(a);
      const y = this.#ranks.get(b);
      return x !== undefined && y !== undefined ? x - y : byKeys(a, b);
    };
    this.#current = { documents: [], status: "catching-up", hasMore: false, pending: new Set() };
    if (options.initial) this.#takePage(options.initial);
    this.#current = this.#view();
    this.#subscription = query.collection.subscribe((change) => this.#onChange(change), {
      filter,
      fields: fields && this.#fieldsWithKeys(fields),
      leave: true,
      resume: false,
      signal: options.signal,
      onSubscribed: () => {
        this.#subscribed = true;
        ++this.#round;
        this.#load();
      },
      onGap: () => this.#reload(),
      onStatus: (status) => this.#onStatus(status),
      onError: (error) => {
        this.#error = error;
        this.#draw();
      },
    });
    // One that ended before it began reports nothing.
    if (this.#subscription.status === "ended") this.#onStatus("ended");
  }

  /** The present state. */
  get state(): LiveState<D> {
    return this.#current;
  }

  /** Calls `listener` now and with each new state. This is the interface of a Svelte store. */
  subscribe(listener: (state: LiveState<D>) => void): () => void {
    this.#listeners.add(listener);
    listener(this.#current);
    return () => this.#listeners.delete(listener);
  }

  /** Ends the list: it changes no more. */
  close(): void {
    this.#closed = true;
    this.#subscription();
    for (const timer of [this.#countTimer, this.#loadTimer, this.#frame]) clearTimeout(timer);
    this.#listeners.clear();
  }

  // ---- writes that are shown before the server confirms them, and taken back if it refuses

  /** Creates a document, which shows at once where the query's order puts it. */
  async create(document: Record<string, unknown>): Promise<D> {
    const made = document["id"] === undefined;
    const id = (document["id"] as string | undefined) ?? newId();
    const now = new Date().toISOString();
    const json = { ...document, id };
    const shown = { createdAt: now, updatedAt: now, ...this.#asSent(json) };
    return this.#overlay(
      id,
      (present) => present ?? shown,
      () => this.#query.collection.insert(json, made),
    ) as Promise<D>;
  }

  /** Updates a document, which shows at once. */
  async update(id: string, change: Record<string, any>): Promise<void> {
    const { collection } = this.#query;
    const sent = this.#asSent(change);
    const exact = (collection.transport.codec as Partial<ExactNumbers>).exact;
    return this.#overlay(
      id,
      (present) => present && applyUpdate(present, sent, exact),
      () => collection.update(id, change),
    );
  }

  /** Replaces a document, which shows at once. */
  async replace(id: string, document: Record<string, unknown>): Promise<void> {
    const kept = ({ createdAt, updatedAt, ownerId }: any) => ({ id, createdAt, updatedAt, ownerId });
    const sent = this.#asSent(document);
    return this.#overlay(
      id,
      (present) => present && { ...kept(present), ...sent, id },
      () => this.#query.collection.replace(id, document),
    );
  }

  /** Deletes a document, which is gone at once. */
  delete(id: string): Promise<void> {
    return this.#overlay(
      id,
      () => undefined,
      () => this.#query.collection.delete(id),
    );
  }

  /** Values as the server will give them back: a date is text, a small bigint a number. */
  #asSent<V>(value: V): V {
    const { codec } = this.#query.collection.transport;
    return codec.parse(codec.stringify(value));
  }

  async #overlay<R>(id: string, apply: (document: any) => any, write: () => Promise<R>): Promise<R> {
    const overlay: Overlay = { id, apply, done: false, seen: false };
    this.#overlays.add(overlay);
    this.#draw();
    try {
      const result = await write();
      overlay.done = true;
      if (overlay.seen) this.#lift(overlay);
      else setTimeout(() => this.#overlays.has(overlay) && this.#reload(), confirmMs);
      return result;
    } catch (error) {
      this.#lift(overlay);
      throw error;
    }
  }

  #lift(overlay: Overlay): void {
    if (this.#overlays.delete(overlay)) this.#draw();
  }

  // ---- changes

  #onChange(change: Change<any>): void {
    for (const overlay of this.#overlays) {
      if (overlay.id !== change.documentId) continue;
      overlay.seen = true;
      if (overlay.done) this.#overlays.delete(overlay);
    }
    if (this.#loading) {
      if (this.#sinceLoad.size >= maxBuffered) this.#loadAgain = true;
      else this.#sinceLoad.set(change.documentId, change);
    }
    this.#apply(change);
    if (this.#query.options.expand?.length) this.#reload();
    if (this.#query.options.total) this.#recount();
    this.#frame ??= setTimeout(() => this.#draw(), frameMs);
  }

  #apply({ documentId, document }: Change<any>): void {
    if (document) this.#known.set(documentId, document);
    else this.#known.delete(documentId);
  }

  #onStatus(status: Status): void {
    this.#status = status;
    if (status !== "live") this.#subscribed = false;
    // Without a socket the list can at least be shown.
    if ((status === "offline" || status === "ended") && !this.#loaded) this.#load();
    this.#draw();
  }

  // ---- reading

  #reload(): void {
    if (this.#closed) return;
    if (this.#loading) this.#loadAgain = true;
    else this.#loadTimer ??= setTimeout(() => this.#load(), Math.max(0, this.#lastLoad + reloadEveryMs - Date.now()));
  }

  async #load(): Promise<void> {
    clearTimeout(this.#loadTimer);
    this.#loadTimer = undefined;
    if (this.#closed) return;
    if (this.#loading) return void (this.#loadAgain = true);
    this.#loading = true;
    this.#lastLoad = Date.now();
    this.#sinceLoad.clear();
    const round = this.#subscribed ? this.#round : 0;
    const confirmed = [...this.#overlays].filter((one) => one.done);
    try {
      const { fields } = this.#query.options;
      const limit = Math.min(this.#limit + slack, maxLimit);
      const page = await this.#query.with({ limit, fields: fields && this.#fieldsWithKeys(fields) }).page();
      this.#takePage(page);
      for (const change of this.#sinceLoad.values()) this.#apply(change);
      for (const overlay of confirmed) this.#overlays.delete(overlay);
      // A list that is not followed any more keeps its reason.
      if (this.#status !== "ended") this.#error = undefined;
      this.#failures = 0;
      this.#loaded = true;
      this.#loadedRound = round;
      if (round !== (this.#subscribed ? this.#round : 0)) this.#loadAgain = true;
    } catch (error) {
      if (!(error instanceof ManybaseError)) throw error;
      this.#error = error;
      this.#loaded = false;
      const final = error.status >= 400 && error.status < 500 && error.status !== 429;
      if (!final && !this.#closed && this.#subscription?.status !== "ended") {
        this.#loadTimer = setTimeout(() => this.#load(), jittered(500, this.#failures++, maxRetryMs));
      }
    }
    this.#loading = false;
    if (this.#loadAgain) {
      this.#loadAgain = false;
      this.#reload();
    }
    this.#resolveReady();
    this.#draw();
  }

  #takePage(page: Page<D>): void {
    const documents = page.documents as unknown as Doc[];
    this.#known = new Map(documents.map((one) => [one.id, one]));
    this.#ranks = new WeakMap(documents.map((one, rank) => [one, rank]));
    this.#horizon = page.next === undefined ? undefined : documents[documents.length - 1];
    this.#pageLength = documents.length;
    if (page.total !== undefined) this.#total = page.total;
    this.#doubtful = false;
  }

  #recount(): void {
    this.#countTimer ??= setTimeout(async () => {
      this.#countTimer = undefined;
      // The next change counts again.
      this.#total = await this.#query.count().catch(() => this.#total);
      this.#draw();
    }, reloadEveryMs);
  }

  /** The keys of the sort are needed here to keep the order. */
  #fieldsWithKeys(fields: readonly string[]): string[] {
    return [...new Set([...fields, ...sortKeys(this.#query.options.sort).flatMap((key) => Object.keys(key))])];
  }

  // ---- showing

  #draw(): void {
    clearTimeout(this.#frame);
    this.#frame = undefined;
    this.#settle();
    this.#current = this.#view();
    for (const listener of [...this.#listeners]) notify(() => listener(this.#current));
  }

  /** Drops what is beyond the horizon, and reads again where that leaves too little or the order is in doubt. */
  #settle(): void {
    let sorted = [...this.#known.values()].sort(this.#compare);
    const horizon = this.#horizon;
    if (horizon) sorted = sorted.filter((one) => one === horizon || this.#compare(one, horizon) <= 0);
    if (sorted.length > this.#limit + 3 * slack) {
      sorted.length = this.#limit + slack;
      this.#horizon = sorted[sorted.length - 1];
    }
    this.#known = new Map(sorted.map((one) => [one.id, one]));
    if (this.#doubtful || (horizon && sorted.length < Math.min(this.#limit, this.#pageLength))) this.#reload();
    this.#doubtful = false;
  }

  #view(): LiveState<D> {
    let documents = [...this.#known.values()];
    const pending = new Set<string>();
    if (this.#overlays.size > 0) {
      const shown = new Map(this.#known);
      for (const { id, apply } of this.#overlays) {
        let made = shown.get(id);
        try {
          made = apply(made);
        } catch {
          // It does not fit the document, such as a $push to a number: the server decides.
        }
        if (made) shown.set(id, made);
        else shown.delete(id);
        pending.add(id);
      }
      documents = [...shown.values()].sort(this.#compare);
      if (this.#horizon) documents = documents.filter((one) => this.#compare(one, this.#horizon) <= 0);
      this.#doubtful = false;
    }
    const hasMore = documents.length > this.#limit || this.#horizon !== undefined;
    const isTrue =
      this.#loaded && this.#subscribed && this.#loadedRound === this.#round && !this.#loadAgain && !this.#error;
    const status = this.#status === "live" && !isTrue ? "catching-up" : this.#status;
    const list = documents.slice(0, this.#limit) as unknown as D[];
    return { documents: list, status, total: this.#total, hasMore, pending, error: this.#error };
  }
}

/** Keeps the first documents of a query true: `live(books.query({ sort: { stars: -1 }, limit: 20 }))`. */
export function live<D>(query: Query<D>, options?: LiveOptions<D>): LiveList<D> {
  return new LiveList(query, options);
}
