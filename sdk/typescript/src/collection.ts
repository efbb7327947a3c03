import { isError, ManybaseError } from "./errors.js";
import type { Call, CallOptions, Transport } from "./http.js";
import { newId } from "./id.js";
import { Query, type Page, type QueryOptions } from "./query.js";
import type { Change, Realtime, Subscription, SubscribeOptions } from "./realtime.js";
import type * as T from "./schema.js";

const versions = new WeakMap<object, string>();

/** The version of a document that `get`, `create` or a write with `returning` gave: the text of its `etag`. */
export function versionOf(document: object): string | undefined {
  return versions.get(document);
}

/** A condition of a write: the version of a document, or the document itself. */
export type Version = string | object;

/** Options of a write. */
export interface WriteOptions extends CallOptions {
  /** The write fails with `PRECONDITION_FAILED` unless the document still has this version. */
  ifMatch?: Version | undefined;
  /** Gives the document as it is after the write, undefined where the caller may not read it. */
  returning?: boolean;
}

/** Options of `list` and `all`. */
export interface ListOptions<S extends T.SchemaShape, N, E> extends CallOptions {
  /** Which documents; all by default. */
  filter?: T.Filter<T.DocumentOf<S, N>> | undefined;
  /** 50 by default, at most 1,000. */
  limit?: number | undefined;
  /** How many of the first ones are left out. */
  skip?: number | undefined;
  /** References that are replaced by their documents. */
  expand?: readonly E[] | undefined;
}

/** Options of `search`: a text or a vector. */
export interface SearchOptions<D> extends CallOptions {
  /** Text that the server embeds, or … */
  text?: string;
  /** … a vector. */
  vector?: readonly number[];
  /** How many results, 10 by default. */
  limit?: number;
  /** Among which documents; all by default. */
  filter?: T.Filter<D>;
  /** Chosen fields; `id` and `_score` are always there. */
  fields?: readonly T.Path<D>[];
  /** The vector field; the first configured one by default. */
  field?: string;
}

/** The server's limit of a page. */
const maxPageSize = 1_000;
/** Longer addresses are refused by proxies: such a list is sent as a query. */
const maxAddressLength = 6_000;

function conditionOf(version: Version | undefined): string | undefined {
  if (version === undefined || typeof version === "string") return version;
  const text = versions.get(version);
  if (!text) throw new ManybaseError(0, "INVALID_PARAM", "ifMatch: the document has no version");
  return text;
}

/** The documents of one collection. */
export class Collection<
  S extends T.SchemaShape,
  N extends string,
  D extends object = Extract<T.DocumentOf<S, N>, object>,
> {
  constructor(
    /** @internal */
    readonly transport: Transport,
    /** @internal */
    readonly realtime: Realtime,
    /** The collection's name. */
    readonly name: N,
  ) {}

  #path(id?: string): string {
    return `/${encodeURIComponent(this.name)}` + (id === undefined ? "" : `/${encodeURIComponent(id)}`);
  }

  /** A page in the order of ids. `query` sorts, counts and continues by cursor. */
  async list<E extends T.ExpandName<S, N> = never>(
    options: ListOptions<S, N, E> = {},
  ): Promise<T.Expanded<S, N, D, E>[]> {
    const { filter, limit, skip, expand, ...limits } = options;
    const query = { filter, limit, skip, expand: expand?.join(",") || undefined };
    const long = filter && this.transport.address(this.#path(), query).length > maxAddressLength;
    const page = long
      ? this.read<Page<any>>("query", "documents", { ...query, expand }, limits)
      : this.transport.json<Page<any>>({ ...limits, method: "GET", path: this.#path(), query, has: "documents" });
    return (await page).documents;
  }

  /** All matching documents in the order of ids, read by pages; documents that others create are met if they are later. */
  async *all<E extends T.ExpandName<S, N> = never>(
    options: Omit<ListOptions<S, N, E>, "limit" | "skip"> & { pageSize?: number } = {},
  ): AsyncGenerator<T.Expanded<S, N, D, E>> {
    const { pageSize = 200, filter, ...rest } = options;
    for (let last: string | undefined; ;) {
      const page: any[] = await this.list<E>({
        ...rest,
        filter: last === undefined ? filter : ({ $and: [filter ?? {}, { id: { $gt: last } }] } as any),
        limit: pageSize,
      });
      yield* page;
      if (!page.length || page.length < Math.min(pageSize, maxPageSize)) return;
      last = page[page.length - 1]?.id;
    }
  }

  /** Sorted, counted, continued: await it for a page, iterate over it for all pages, or give it to `live`. */
  query<F extends T.Path<D> = string & T.Path<D>, E extends T.ExpandName<S, N> = never>(
    options: QueryOptions<D, F, E> = {},
  ): Query<T.Expanded<S, N, T.Chosen<D, F>, E>> {
    return new Query(this as unknown as Collection<any, any, any>, options as QueryOptions<any, any, any>);
  }

  /** @internal Sends a reading that has a body. */
  read<R>(verb: string, has: string, json: unknown, limits: CallOptions): Promise<R> {
    return this.transport.json<R>({
      ...limits,
      method: "POST",
      path: `${this.#path()}/${verb}`,
      json,
      has,
      repeatable: true,
    });
  }

  /** The number of matching documents. */
  async count(filter?: T.Filter<D>, options: CallOptions = {}): Promise<number> {
    return (await this.read<{ count: number }>("count", "count", { filter }, options)).count;
  }

  /**
   * One document. With `known`, a document that was read before, an unchanged one is not sent again: the result is `known`
   * itself.
   */
  async get<E extends T.ExpandName<S, N> = never>(
    id: string,
    options: CallOptions & { expand?: readonly E[]; known?: T.Expanded<S, N, D, E> } = {},
  ): Promise<T.Expanded<S, N, D, E>> {
    const { expand, known, ...call } = options;
    const { response, data } = await this.transport.exchange<{ document: any }>({
      ...call,
      method: "GET",
      path: this.#path(id),
      query: { expand: expand?.join(",") || undefined },
      headers: { "if-none-match": known && versions.get(known as object) },
      has: "document",
    });
    return known && response.status === 304 ? known : this.#remember(response, data.document);
  }

  /**
   * Creates a document. Its id is made here, so that the call is safe to repeat: a repetition that finds the document
   * gives that.
   */
  create(document: T.NewDocumentOf<S, N>, options: CallOptions = {}): Promise<D> {
    const given = (document as { id?: string }).id !== undefined;
    const made = !given && this.transport.clockIsRight;
    return this.insert(made ? { ...(document as object), id: newId() } : (document as object), made, options);
  }

  /** @internal Creates a document; `made` for an id that was made for this call, so that no other writer has it. */
  async insert(json: { id?: string }, made: boolean, options: CallOptions = {}): Promise<D> {
    try {
      const { response, data } = await this.transport.exchange<{ document: D }>({
        ...options,
        method: "POST",
        path: this.#path(),
        json,
        has: "document",
        repeatable: json.id !== undefined,
      });
      return this.#remember(response, data.document);
    } catch (error) {
      if (!made || !isError(error, "CONFLICT")) throw error;
      // An attempt whose response was lost has created it, which may have been repeated below this package, by the
      // browser; or another index refuses it.
      const found = await this.get(json.id!, options).catch(() => undefined);
      if (!found) throw error;
      return found as unknown as D;
    }
  }

  /** Sets the fields given, or applies update operators. */
  update(id: string, change: T.Update<D>, options: WriteOptions & { returning: true }): Promise<D | undefined>;
  update(id: string, change: T.Update<D>, options?: WriteOptions): Promise<void>;
  update(id: string, change: T.Update<D>, options: WriteOptions = {}): Promise<D | void> {
    return this.#write("PATCH", id, change, options, {});
  }

  /** Replaces the document. With `create` it must not exist, and is created. */
  replace(id: string, document: T.NewDocumentOf<S, N>, options: WriteOptions & { create: true }): Promise<D>;
  replace(
    id: string,
    document: T.NewDocumentOf<S, N>,
    options: WriteOptions & { returning: true },
  ): Promise<D | undefined>;
  replace(id: string, document: T.NewDocumentOf<S, N>, options?: WriteOptions & { create?: boolean }): Promise<void>;
  replace(
    id: string,
    document: T.NewDocumentOf<S, N>,
    options: WriteOptions & { create?: boolean } = {},
  ): Promise<D | void> {
    const { create, ...rest } = options;
    const headers = { "if-none-match": create ? "*" : undefined };
    // A repetition after a lost response would meet the changed version.
    return this.#write("PUT", id, document, rest, { headers, repeatable: !create && rest.ifMatch === undefined });
  }

  /** Deletes a document. With `ifMatch` only the given version of it. */
  async delete(id: string, options: Omit<WriteOptions, "returning"> = {}): Promise<void> {
    let repeated = false;
    const repeatable = options.ifMatch === undefined;
    try {
      await this.#write("DELETE", id, undefined, options, { repeatable, onRetry: () => (repeated = true) });
    } catch (error) {
      // The attempt whose response was lost has deleted it.
      if (!repeated || !isError(error, "NOT_FOUND")) throw error;
    }
  }

  /** The documents nearest to a text or a vector, each with its `_score`. */
  async search(options: SearchOptions<D>): Promise<(D & { _score: number })[]> {
    const { signal, timeoutMs, ...json } = options;
    return (await this.read<{ results: (D & { _score: number })[] }>("search", "results", json, { signal, timeoutMs }))
      .results;
  }

  /** Calls `listener` for every change that the caller may see. All subscriptions of a client share one socket. */
  subscribe(listener: (change: Change<D>) => void, options: SubscribeOptions<D> = {}): Subscription {
    return this.realtime.subscribe(this.name, listener as never, options as SubscribeOptions<any>);
  }

  async #write(method: string, id: string, json: unknown, options: WriteOptions, more: Partial<Call>): Promise<any> {
    const { ifMatch, returning, ...call } = options;
    const { response, data } = await this.transport.exchange<{ document: D } | undefined>({
      ...call,
      ...more,
      method,
      path: this.#path(id),
      json,
      has: "document",
      headers: {
        ...more.headers,
        "if-match": conditionOf(ifMatch),
        prefer: returning ? "return=representation" : undefined,
      },
    });
    return data && this.#remember(response, data.document);
  }

  #remember<V>(response: Response, document: V): V {
    const version = response.headers.get("etag");
    if (version) versions.set(document as object, version);
    return document;
  }
}
