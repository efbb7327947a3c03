import { Auth } from "./auth.js";
import { Collection } from "./collection.js";
import { ManybaseError } from "./errors.js";
import { Bucket } from "./files.js";
import { Transport, type CallOptions, type TokenSource } from "./http.js";
import { Realtime, type WebSocketConstructor } from "./realtime.js";
import type * as T from "./schema.js";
import { Session } from "./session.js";
import { SafeStorage, type KeyValueStorage } from "./storage.js";
import { version } from "./version.js";

export interface ClientOptions {
  /** The address of the server, such as `https://api.example.com`. */
  url: string;
  /** The id or slug of the project. A client with an API key needs it for functions and public files only. */
  project?: string;
  /** For servers and scripts. Never in a browser: a key is a secret. */
  apiKey?: string;
  fetch?: typeof fetch;
  /** For platforms without `WebSocket`, such as Node.js 20. */
  WebSocket?: WebSocketConstructor;
  /** Where the session is kept: the page's `localStorage` by default, memory where there is no page. */
  storage?: KeyValueStorage | "memory";
  /** Of a call, 30,000 by default; 0 is no limit. */
  timeoutMs?: number;
  /** Sent with each call. */
  headers?: Record<string, string>;
}

export interface RunOptions extends CallOptions {
  query?: Record<string, unknown>;
  /** Sent as JSON, unless it is text, bytes or a form. */
  body?: unknown;
  headers?: Record<string, string>;
}

export interface GraphqlResult<R> {
  data: R;
  /** Errors of parts of the result. */
  errors?: readonly { message: string; path?: readonly (string | number)[]; extensions?: { code?: string } }[];
}

export interface ServerInfo {
  version: string;
  commit: string;
  /** False where this package is of another major version, or before 1.0 of another minor one. */
  compatible: boolean;
}

/** The client of one project. */
export class Client<S extends T.SchemaShape = T.Untyped> {
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
    const key: TokenSource = { get: async () => apiKey, renew: async () => undefined };
    this.#transport.tokens = apiKey ? key : session;
    this.auth = new Auth(this.#transport, session);
    this.#realtime = new Realtime(this.#transport, this.#session, options.WebSocket);
  }

  collection<N extends T.CollectionName<S>>(name: N): Collection<S, N> {
    return new Collection(this.#transport, this.#realtime, name);
  }

  files(bucket: string): Bucket {
    return new Bucket(this.#transport, this.#storage, bucket);
  }

  /** Calls the endpoint of a function and gives its response, whatever its status. */
  run<M extends T.Method>(method: M, path: T.RoutePath<S, M>, options: RunOptions = {}): Promise<Response> {
    const { body, query, headers, signal, timeoutMs } = options;
    const { project } = this.#transport;
    if (!project) throw new ManybaseError(0, "MISSING_PROJECT", "functions need a project");
    // Text, bytes and forms are sent as they are.
    const isPlain = /^\[object (Object|Array|Number|Boolean|Null)]$/.test(Object.prototype.toString.call(body));
    const call = {
      method,
      path: `/run/${encodeURIComponent(project)}${path}`,
      query,
      headers,
      signal,
      timeoutMs,
      raw: true,
      unread: true,
      once: method !== "GET",
      [isPlain ? "json" : "body"]: body,
    };
    return this.#transport.exchange(call).then(({ response }) => response);
  }

  /** Runs a GraphQL operation. Throws where it has no data; errors of parts of it are in the result. */
  async graphql<R = Record<string, any>>(
    query: string,
    variables?: Record<string, unknown>,
    options: CallOptions & { operationName?: string } = {},
  ): Promise<GraphqlResult<R>> {
    const { operationName, ...call } = options;
    const result = await this.#transport.json<GraphqlResult<R>>({
      ...call,
      method: "POST",
      path: "/graphql",
      json: { query, variables, operationName },
      repeatable: /^[\s,]*(query\b|\{)/.test(query) && !/\bmutation\b/.test(query),
    });
    const first = result.errors?.[0];
    if (!first || result.data) return result;
    throw new ManybaseError(200, first.extensions?.code ?? "GRAPHQL", first.message, { cause: result.errors });
  }

  /** The version of the server, and whether it fits this package. */
  async server(options: CallOptions = {}): Promise<ServerInfo> {
    const found = await this.#transport.json<ServerInfo>({
      ...options,
      method: "GET",
      path: "/health",
      anonymous: true,
    });
    const line = (text: string) => text.match(/^(0\.)?\d+/)?.[0];
    return { ...found, compatible: line(found.version) === line(version) };
  }

  /** Ends all subscriptions and lets go of the page's events. The session stays stored. */
  close(): void {
    this.#realtime.close();
    this.#session?.close();
  }
}

/** A client of one project. Give it the interface `Schema` that `manybase types` prints for typed collections. */
export function createClient<S extends T.SchemaShape = T.Untyped>(options: ClientOptions): Client<S> {
  return new Client<S>(options);
}
