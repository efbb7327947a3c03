import {
  createContext,
  createElement,
  useCallback,
  useContext,
  useEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
  type ReactNode,
} from "react";
import type { Client } from "./client.js";
import { isError, ManybaseError } from "./errors.js";
import type { StoredFile } from "./files.js";
import { live, type LiveList, type LiveState } from "./live.js";
import type { Page, Query } from "./query.js";
import type { SchemaShape, Untyped } from "./schema.js";
import type { User } from "./session.js";
import type { Upload, UploadOptions, UploadSource, UploadStatus } from "./upload.js";

/** What is known of a query. */
export interface QueryState<D> {
  /** The page that was read last. */
  data?: Page<D> | undefined;
  /** Why it could not be read. */
  error?: ManybaseError | undefined;
  /** A reading is under way. */
  loading: boolean;
}

const maxEntries = 200;
/** A list stays open for a moment, since effects run twice in strict mode and lists move between components. */
const lingerMs = 1_000;
const idle: QueryState<any> = { loading: true };
const empty: LiveState<any> = { documents: [], status: "catching-up", hasMore: false, pending: new Set() };

/** Identifies a query: the name of its collection and its request. */
export const keyOf = (query: Query<any>): string =>
  query.collection.transport.codec.stringify([query.collection.name, query.body()]);

class Entry<D> {
  state: QueryState<D>;
  readonly listeners = new Set<() => void>();
  #reading = 0;

  constructor(
    readonly query: Query<D>,
    data: Page<D> | undefined,
  ) {
    this.state = data ? { data, loading: false } : idle;
  }

  async load(): Promise<void> {
    const reading = ++this.#reading;
    this.#set({ ...this.state, loading: true });
    try {
      const data = await this.query.page();
      if (reading === this.#reading) this.#set({ data, loading: false });
    } catch (error) {
      if (!isError(error)) throw error;
      if (reading === this.#reading) this.#set({ data: this.state.data, error, loading: false });
    }
  }

  begin(): void {
    if (!this.#reading && !this.state.data) void this.load();
  }

  #set(state: QueryState<D>): void {
    this.state = state;
    for (const listener of [...this.listeners]) listener();
  }
}

class LiveEntry<D> {
  list: LiveList<D> | undefined;
  readonly #listeners = new Set<() => void>();
  #closing: ReturnType<typeof setTimeout> | undefined;

  constructor(
    readonly query: Query<D>,
    readonly initial: LiveState<D>,
    readonly page: Page<D> | undefined,
    readonly onEnd: () => void,
  ) {}

  readonly subscribe = (listener: () => void): (() => void) => {
    clearTimeout(this.#closing);
    this.#listeners.add(listener);
    if (!this.list) this.restart(this.page);
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0) return;
      this.#closing = setTimeout(() => {
        this.list?.close();
        this.list = undefined;
        this.onEnd();
      }, lingerMs);
    };
  };

  restart(initial?: Page<D>): void {
    this.list?.close();
    this.list = live(this.query, { initial });
    this.list.subscribe(() => {
      for (const listener of [...this.#listeners]) listener();
    });
  }

  readonly state = (): LiveState<D> => this.list?.state ?? this.initial;
}

/** The results of queries, shared by components and handed from the server's rendering to the browser's. */
export class QueryCache {
  readonly #pages: Map<string, Page<any>>;
  readonly #entries = new Map<string, Entry<any>>();
  readonly #lives = new Map<string, LiveEntry<any>>();

  /** `state`: what `dehydrate` gave on the server. */
  constructor(state?: unknown) {
    this.#pages = new Map(Array.isArray(state) ? state : []);
  }

  /** Reads a query before rendering, on the server. */
  async prefetch(query: Query<any>): Promise<void> {
    this.#pages.set(keyOf(query), await query.page());
  }

  /** The pages that were read, as JSON: send them with the rendered page. */
  dehydrate(): unknown {
    return [...this.#pages];
  }

  /** @internal */
  entry<D>(query: Query<D>): Entry<D> {
    const key = keyOf(query);
    const found = this.#entries.get(key);
    if (found) return found;
    for (const [each, { listeners }] of this.#entries) {
      if (this.#entries.size < maxEntries) break;
      if (listeners.size === 0) this.#entries.delete(each);
    }
    const made = new Entry(query, this.#pages.get(key));
    this.#entries.set(key, made);
    return made;
  }

  /** @internal */
  live<D>(query: Query<D>): LiveEntry<D> {
    const key = keyOf(query);
    const page = this.#pages.get(key);
    const initial = page
      ? { ...empty, documents: page.documents, total: page.total, hasMore: page.next !== undefined }
      : empty;
    const found = this.#lives.get(key) ?? new LiveEntry(query, initial, page, () => this.#lives.delete(key));
    this.#lives.set(key, found);
    return found;
  }

  /** @internal Another user sees other documents. */
  reset(): void {
    this.#pages.clear();
    for (const [key, entry] of [...this.#entries]) {
      if (entry.listeners.size === 0) this.#entries.delete(key);
      else {
        entry.state = idle;
        void entry.load();
      }
    }
    for (const entry of this.#lives.values()) if (entry.list) entry.restart();
  }
}

interface Provided {
  client: Client<any>;
  cache: QueryCache;
}
const Context = createContext<Provided | undefined>(undefined);

function useProvided(): Provided {
  const found = useContext(Context);
  if (!found) throw new ManybaseError(0, "INVALID_PARAM", "wrap the app in <ManybaseProvider client={…}>");
  return found;
}

/** Gives the client to the hooks below it. On the server, and for its state in the browser, with a cache. */
export function ManybaseProvider(props: { client: Client<any>; cache?: QueryCache; children?: ReactNode }): ReactNode {
  const { client, cache } = props;
  const provided = useMemo(() => ({ client, cache: cache ?? new QueryCache() }), [client, cache]);
  useEffect(() => {
    let id = client.auth.user?.id;
    return client.auth.onChange((user) => {
      if (user?.id === id) return;
      id = user?.id;
      provided.cache.reset();
    });
  }, [client, provided]);
  return createElement(Context.Provider, { value: provided }, props.children);
}

/** The client of the provider above. */
export function useClient<S extends SchemaShape = Untyped>(): Client<S> {
  return useProvided().client as Client<S>;
}

/** The signed-in user. `ready` is false until the stored session was read, as on the server. */
export function useAuth<M = Record<string, unknown>>(): { user: User<M> | null; ready: boolean; auth: Client["auth"] } {
  const { auth } = useProvided().client;
  const [ready, setReady] = useState(false);
  useEffect(() => {
    let mounted = true;
    void auth.ready.then(() => mounted && setReady(true));
    return () => void (mounted = false);
  }, [auth]);
  const subscribe = useCallback((listener: () => void) => auth.onChange(listener), [auth]);
  const user = useSyncExternalStore(
    subscribe,
    () => auth.user,
    () => null,
  );
  return { user: user as User<M> | null, ready, auth: auth as Client["auth"] };
}

const never = () => () => {};

/** A page of a query, read once; `null` reads nothing yet. */
export function useQuery<D>(query: Query<D> | null): QueryState<D> & { documents: D[]; reload: () => Promise<void> } {
  const { cache } = useProvided();
  const key = query && keyOf(query);
  // The key, not the query, which a component makes anew with each rendering.
  const entry = useMemo(() => query && cache.entry(query), [cache, key]);
  const subscribe = useCallback(
    (listener: () => void) => {
      if (!entry) return never();
      entry.listeners.add(listener);
      entry.begin();
      return () => entry.listeners.delete(listener);
    },
    [entry],
  );
  const read = () => entry?.state ?? idle;
  const state = useSyncExternalStore(subscribe, read, read);
  const reload = useCallback(async () => entry?.load(), [entry]);
  return { ...state, documents: state.data?.documents ?? [], reload };
}

/** The first documents of a query, kept true. `list` has the writes that are shown at once; it is there after mounting. */
export function useLive<D>(query: Query<D> | null): LiveState<D> & { list: LiveList<D> | undefined } {
  const { cache } = useProvided();
  const key = query && keyOf(query);
  const entry = useMemo(() => query && cache.live(query), [cache, key]);
  const subscribe = useCallback((listener: () => void) => entry?.subscribe(listener) ?? never(), [entry]);
  const state = useSyncExternalStore(subscribe, entry?.state ?? (() => empty), () => entry?.initial ?? empty);
  return { ...state, list: entry?.list };
}

/** The state of the last upload. */
export interface UploadState {
  /** `idle` before the first one. */
  status: UploadStatus | "idle";
  /** Bytes that the server has. */
  sent: number;
  /** Bytes of the file. */
  total: number;
  /** The stored file, when it is done. */
  file?: StoredFile;
  /** Why it failed. */
  error?: ManybaseError;
}

/** Uploads to a bucket, with the state of the last one. */
export function useUpload(bucket: string): UploadState & {
  upload: (path: string, data: UploadSource, options?: UploadOptions) => Promise<StoredFile | undefined>;
  pause: () => void;
  resume: () => void;
  cancel: () => Promise<void>;
} {
  const { client } = useProvided();
  const current = useRef<Upload | undefined>(undefined);
  const [state, setState] = useState<UploadState>({ status: "idle", sent: 0, total: 0 });
  useEffect(() => () => void (current.current = undefined), []);
  const show = useCallback((upload: Upload, more: Partial<UploadState> = {}) => {
    // Another upload has begun, or the component has gone.
    if (current.current !== upload) return;
    setState({ status: upload.status, sent: upload.sent, total: upload.total, ...more });
  }, []);
  const upload = useCallback(
    async (path: string, data: UploadSource, options: UploadOptions = {}) => {
      const onProgress: UploadOptions["onProgress"] = (progress) => {
        options.onProgress?.(progress);
        show(made);
      };
      const made: Upload = client.files(bucket).upload(path, data, { ...options, onProgress });
      current.current = made;
      show(made);
      try {
        const file = await made;
        show(made, { file });
        return file;
      } catch (error) {
        if (!isError(error)) throw error;
        show(made, { error });
        return undefined;
      }
    },
    [client, bucket, show],
  );
  const act = (action: "pause" | "resume") => () => {
    current.current?.[action]();
    if (current.current) show(current.current);
  };
  return {
    ...state,
    upload,
    pause: act("pause"),
    resume: act("resume"),
    cancel: async () => current.current?.cancel(),
  };
}

/** The options of TanStack Query for a query: `useQuery(queryOptions(books.query({ … })))`. */
export function queryOptions<D>(query: Query<D>): {
  queryKey: readonly unknown[];
  queryFn: (context: { signal?: AbortSignal }) => Promise<Page<D>>;
} {
  // A key is compared as JSON, which has no bigint.
  const body = JSON.parse(
    JSON.stringify(query.body(), (_, value) => (typeof value === "bigint" ? `${value}n` : value)),
  );
  return {
    queryKey: ["manybase", query.collection.name, body],
    queryFn: ({ signal }) => query.page({ signal }),
  };
}
