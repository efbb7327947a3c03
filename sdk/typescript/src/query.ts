import type { Collection } from "./collection.js";
import type { CallOptions } from "./http.js";
import type { Filter, Path, Sort } from "./schema.js";

/** What a query requests. */
export interface QueryOptions<D, F, E> extends CallOptions {
  /** Which documents; all by default. */
  filter?: Filter<D> | undefined;
  /** At most 8 keys; ties are in the order of ids. */
  sort?: Sort<D> | undefined;
  /** Chosen fields; `id` is always there. */
  fields?: readonly (F & Path<D>)[] | undefined;
  /** References that are replaced by their documents. */
  expand?: readonly E[] | undefined;
  /** 50 by default, at most 1,000. */
  limit?: number | undefined;
  /** How many of the first ones are left out; not with `after`. */
  skip?: number | undefined;
  /** The `next` of a page of the same query. */
  after?: string | undefined;
  /** Count all matching documents. */
  total?: boolean | undefined;
}

/** A page of documents. */
export interface Page<D> {
  /** The documents in the order of the query. */
  documents: D[];
  /** The cursor of the next page, absent on the last one. */
  next?: string;
  /** The number of all matching documents, where `total` requested it. */
  total?: number;
}

/** A sort as the server takes it: one key in each object, in order. */
export function sortKeys(sort: Sort<any> | undefined): Record<string, 1 | -1>[] {
  const list: object[] = Array.isArray(sort) ? sort : sort ? [sort] : [];
  return list.flatMap((keys) => Object.entries(keys).map(([path, order]) => ({ [path]: order })));
}

/** A query that has not run: `await` gives a page, `for await` all documents, `live` a list that stays true. */
export class Query<D> implements PromiseLike<Page<D>> {
  constructor(
    /** @internal */
    readonly collection: Collection<any, any, any>,
    /** What was requested. */
    readonly options: QueryOptions<any, any, any>,
  ) {}

  /** The same query with other options. */
  with(options: Partial<QueryOptions<any, any, any>>): Query<D> {
    return new Query(this.collection, { ...this.options, ...options });
  }

  /** The request's body, which also identifies the query. */
  body(): Record<string, unknown> {
    const { signal: _, timeoutMs: __, ...rest } = this.options;
    return { ...rest, sort: rest.sort && sortKeys(rest.sort) };
  }

  /** Runs the query, as `await` does. */
  page(options: CallOptions = {}): Promise<Page<D>> {
    const { signal, timeoutMs } = { ...this.options, ...options };
    return this.collection.read<Page<D>>("query", "documents", this.body(), { signal, timeoutMs });
  }

  /** Runs the query: a query can be awaited. */
  then<A = Page<D>, B = never>(
    resolve?: ((page: Page<D>) => A | PromiseLike<A>) | null,
    reject?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.page().then(resolve, reject);
  }

  /** This page and all that follow. */
  async *pages(): AsyncGenerator<Page<D>> {
    for (let query: Query<D> = this; ;) {
      const page = await query.page();
      yield page;
      if (!page.next) return;
      query = query.with({ after: page.next, skip: undefined, total: undefined });
    }
  }

  /** All documents of this page and of those that follow. */
  async *[Symbol.asyncIterator](): AsyncGenerator<D> {
    for await (const page of this.pages()) yield* page.documents;
  }

  /** The number of all matching documents. */
  count(options?: CallOptions): Promise<number> {
    return this.collection.count(this.options.filter, options);
  }
}
