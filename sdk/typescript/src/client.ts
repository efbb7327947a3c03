import { Auth } from "./auth.js";
import { Collection } from "./collection.js";
import { loaded, ManybaseError } from "./errors.js";
import { Bucket } from "./files.js";
import type { ExactNumbers } from "./exact.js";
import type { GraphqlOptions, GraphqlResult } from "./graphql.js";
import { Transport, type CallOptions, type ServerInfo, type TokenSource, type TransportOptions } from "./http.js";
import { Realtime, type WebSocketConstructor } from "./realtime.js";
import type * as T from "./schema.js";
import { Session } from "./session.js";
import { SafeStorage, type KeyValueStorage } from "./storage.js";

/** Options of `createClient`. */
export interface ClientOptions extends TransportOptions {
  /** The id or slug of the project. A client with an API key needs it for functions and public files only. */
  project?: string;
  /** For servers and scripts. Never in a browser: a key is a secret. */
  apiKey?: string;
  /** For platforms without `WebSocket`, such as Node.js 20. */
  WebSocket?: WebSocketConstructor;
  /** Where the session is kept: the page's `localStorage` by default, memory where there is no page. */
  storage?: KeyValueStorage | "memory";
}

/** Options of a call to a function. */
export interface RunOptions extends CallOptions {
  /** Parameters of the address; objects are sent as JSON. */
  query?: Record<string, unknown>;
  /** Sent as JSON, unless it is text, bytes or a form. */
  body?: unknown;
  /** Sent with this call. */
  headers?: Record<string, string>;
}

/** The client of one project. */
export class Client<S extends T.SchemaShape = T.Untyped> {
  /** Sign-up, sign-in and the sessions of end users. */
  readonly auth: Auth<T.MetadataOf<S>>;
  readonly #transport: Transport;
  readonly #session: Session | undefined;
  readonly #storage: SafeStorage;
  readonly #realtime: Realtime;

  constructor(options: ClientOptions) {
    const { apiKey } = options;
    const project = options.project ?? apiKey?.match(/_sk_([^.]+)\./)?.[1];
    this.#transport = new Transport({ ...options, project });
    this.#storage = new SafeStorage(options.storage ?? (apiKey ? "memory" : undefined));
    const session = new Session(this.#transport, apiKey ? new SafeStorage("memory") : this.#storage);
    if (!apiKey) this.#session = session;
    const key: TokenSource = { get: async () => apiKey };
    this.#transport.tokens = apiKey ? key : session;
    this.auth = new Auth(this.#transport, session);
    this.#realtime = new Realtime(this.#transport, this.#session, options.WebSocket);
  }

  /** The documents of one collection. */
  collection<N extends T.CollectionName<S>>(name: N): Collection<S, N> {
    return new Collection(this.#transport, this.#realtime, name);
  }

  /** The files of one bucket. */
  files(bucket: string): Bucket {
    return new Bucket(this.#transport, this.#storage, bucket);
  }

  /** Calls the endpoint of a function and gives its response, whatever its status. */
  async run<M extends T.Method>(method: M, path: T.RoutePath<S, M>, options: RunOptions = {}): Promise<Response> {
    const { body, ...rest } = options;
    const { project } = this.#transport;
    if (!project) throw new ManybaseError(0, "MISSING_PROJECT", "functions need a project");
    // Text, bytes and forms are sent as they are.
    const isPlain = /^\[object (Object|Array|Number|BigInt|Boolean|Null)]$/.test({}.toString.call(body));
    const call = {
      ...rest,
      method,
      path: `/run/${encodeURIComponent(project)}${path}`,
      raw: true,
      unread: true,
      once: method !== "GET",
      [isPlain ? "json" : "body"]: body,
    };
    return (await this.#transport.exchange(call)).response;
  }

  /** Runs a GraphQL operation. Throws where it has no data; errors of parts of it are in the result. */
  async graphql<R = Record<string, any>>(
    query: string,
    variables?: Record<string, unknown>,
    options: GraphqlOptions = {},
  ): Promise<GraphqlResult<R>> {
    return (await loaded(import("./graphql.js"))).graphql(this.#transport, query, variables, options);
  }

  /** The version of the server, and whether it fits this package. */
  async server(options: CallOptions = {}): Promise<ServerInfo> {
    return (await loaded(import("./compatibility.js"))).serverInfo(this.#transport, options);
  }

  /** Ends all subscriptions and lets go of the page's events. The session stays stored. */
  close(): void {
    this.#realtime.close();
    this.#session?.close();
  }
}

/**
 * A client of one project. Give it the interface `Schema` that `manybase types` prints for typed collections. With
 * `json: exactNumbers()` numbers of documents may be `bigint`.
 */
export function createClient<S extends T.SchemaShape = T.Untyped>(
  options: ClientOptions & { json: ExactNumbers },
): Client<T.Exact<S>>;
export function createClient<S extends T.SchemaShape = T.Untyped>(options: ClientOptions): Client<S>;
export function createClient(options: ClientOptions): Client<any> {
  return new Client(options);
}
