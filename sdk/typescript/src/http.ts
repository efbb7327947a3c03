import { ManybaseError } from "./errors.js";
import { newId } from "./id.js";

/** Options of every call. */
export interface CallOptions {
  /** Ends the call with the error `ABORTED`. */
  signal?: AbortSignal | undefined;
  /** Milliseconds for the call and its retries; then `TIMEOUT`. 0 is no limit. */
  timeoutMs?: number | undefined;
}

/** The credentials that a call is sent with, and how to replace a token that the server refuses. */
export interface TokenSource {
  /** A token, or undefined for a caller without one. */
  get(signal?: AbortSignal): Promise<string | undefined>;
  /** Called where the server refused the token `refused`: another one, or undefined if there is none. */
  renew?(refused: string): Promise<string | undefined>;
}

/** How JSON is written and read: the global `JSON` has this form, and so has what `exactNumbers()` gives. */
export interface JsonCodec {
  /** The value of a JSON text. Throws where it is none. */
  parse(text: string): any;
  /** The JSON text of a value. */
  stringify(value: unknown): string;
}

/** The version of a server. */
export interface ServerInfo {
  /** Of the server, such as `1.2.0`. */
  version: string;
  /** The commit that it was built from. */
  commit: string;
  /** False where this package is of another major version, or before 1.0 of another minor one. */
  compatible: boolean;
}

export interface Call extends CallOptions {
  method: string;
  /** Below /api/v1, or a whole address. */
  path: string;
  query?: Record<string, unknown> | undefined;
  /** Sent as JSON. */
  json?: unknown;
  /** Sent as it is. */
  body?: RequestInit["body"] | undefined;
  headers?: Record<string, string | undefined> | undefined;
  /** It may be sent again after a network error: it has the same effect twice. GET and HEAD are. */
  repeatable?: boolean;
  /** Never sent again, whatever the error. */
  once?: boolean;
  /** Sent without a token. */
  anonymous?: boolean;
  /** Responses with an error status are returned, not thrown. */
  raw?: boolean;
  /** The caller reads the body. */
  unread?: boolean;
  /** A member that the body of a success must have, if there is one: else the response is not of this API. */
  has?: string;
  /** Called before a repetition. */
  onRetry?: () => void;
}

/** What the clients of projects, of the admin plane and of the control plane have in common. */
export interface TransportOptions {
  /** The address of the server, such as `https://api.example.com`. */
  url: string;
  /** Used instead of the platform's `fetch`. */
  fetch?: typeof fetch;
  /** Of a call with its retries, 30,000 by default; 0 is no limit. */
  timeoutMs?: number;
  /** Sent with each call. */
  headers?: Record<string, string>;
  /** How JSON is read and written: `exactNumbers()` keeps integers beyond 2^53. By default the platform's `JSON`. */
  json?: JsonCodec;
  /** Called once if the server's version does not fit this package, in addition to a warning on the console. */
  onIncompatible?: (server: ServerInfo) => void;
}

const maxRetries = 3;
const maxRetryAfterSeconds = 30;
/** Clocks that differ by more make ids whose order misleads. */
const maxClockDifferenceMs = 300_000;

export function aborted(signal?: AbortSignal): ManybaseError {
  return signal?.reason instanceof ManybaseError
    ? signal.reason
    : new ManybaseError(0, "ABORTED", "the call was aborted", { cause: signal?.reason });
}

/** A waiting time in milliseconds that doubles with each attempt, between half of it and all of it. */
export const jittered = (firstMs: number, attempt: number, maxMs: number): number =>
  Math.min(maxMs, firstMs * 2 ** attempt) * (0.5 + Math.random() / 2);

/** Sends requests: credentials, retries, time limits and errors. */
export class Transport {
  readonly base: string;
  readonly project: string | undefined;
  tokens: TokenSource | undefined;
  /** The server's clock minus this one's, in milliseconds, once a response has shown it. */
  clockDifference = 0;
  readonly codec: JsonCodec;

  readonly #options: TransportOptions;
  #compared = false;

  constructor(options: TransportOptions & { project?: string | undefined }) {
    this.#options = options;
    this.codec = options.json ?? JSON;
    this.base = options.url.replace(/\/+$/, "") + "/api/v1";
    this.project = options.project;
  }

  /** False where this clock is so wrong that ids are left to the server. */
  get clockIsRight(): boolean {
    return Math.abs(this.clockDifference) < maxClockDifferenceMs;
  }

  address(path: string, query: Record<string, unknown> = {}): string {
    // fetch() would resolve these and call another route.
    if (/\/\.\.?(\/|\?|$)/.test(path)) throw new ManybaseError(0, "INVALID_PARAM", `path: ${path}`);
    const search = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined)
        search.set(name, typeof value === "object" ? this.codec.stringify(value) : String(value));
    }
    const text = String(search);
    return (path.startsWith("/") ? this.base + path : path) + (text && (path.includes("?") ? "&" : "?") + text);
  }

  /** Compares this package's version with the server's, once, in the background. */
  compare(): void {
    if (this.#compared) return;
    this.#compared = true;
    void import("./compatibility.js")
      .then(({ compare }) => compare(this, this.#options.onIncompatible))
      .catch(() => {});
  }

  /** The parsed body of a successful response, undefined where there is none. */
  async json<T>(call: Call): Promise<T> {
    return (await this.exchange<T>(call)).data;
  }

  /** The response and its parsed body. */
  async exchange<T>(call: Call): Promise<{ response: Response; data: T }> {
    const limit = new Limit(call, this.#options.timeoutMs);
    try {
      for (let attempt = 0; ;) {
        try {
          const response = await this.#send(call, limit);
          return { response, data: (call.unread ? undefined : await this.#parse(response, limit, call.has)) as T };
        } catch (error) {
          await this.#waitToRetry(call, error, attempt++, limit);
        }
      }
    } finally {
      // While the caller reads the body their signal still ends it, the time limit does not.
      limit.end(call.unread);
    }
  }

  async #send(call: Call, limit: Limit): Promise<Response> {
    const tokens = call.anonymous ? undefined : this.tokens;
    let token = await limit.race(tokens?.get(limit.signal));
    for (let renewed = false; ; renewed = true) {
      const response = await this.#fetchOnce(call, token, limit);
      if (response.ok || response.status === 304) return response;
      if (tokens && token && !renewed && (await this.#refusesToken(response, limit))) {
        const next = await limit.race(tokens.renew?.(token));
        if (next && next !== token) {
          await response.body?.cancel().catch(() => {});
          token = next;
          continue;
        }
      }
      if (call.raw) return response;
      await this.#parse(response, limit);
    }
  }

  /** False for a 401 of another reason, such as a wrong password: sent again it would count as a second attempt. */
  async #refusesToken(response: Response, limit: Limit): Promise<boolean> {
    if (response.status !== 401) return false;
    const { code } = (await this.#parse(response.clone(), limit).catch((error) => error)) as ManybaseError;
    // A proxy may refuse without a body of this API.
    return code === "UNAUTHENTICATED" || code === "INVALID_RESPONSE";
  }

  async #fetchOnce(call: Call, token: string | undefined, limit: Limit): Promise<Response> {
    const requestId = newId();
    const { headers: own, fetch: send = fetch } = this.#options;
    const headers = Object.entries({
      "x-service-project": this.project || undefined,
      "x-request-id": requestId,
      ...own,
      ...(token && { authorization: `Bearer ${token}` }),
      ...(call.json !== undefined && { "content-type": "application/json" }),
      ...call.headers,
    }).filter(([, value]) => value !== undefined) as [string, string][];
    const address = this.address(call.path, call.query);
    // What cannot be written as JSON is an error of the caller, not one of the network.
    const body = call.json === undefined ? call.body : this.codec.stringify(call.json);
    try {
      const sent = send(address, { method: call.method, headers, body, signal: limit.signal } as RequestInit);
      // A given fetch may not know signals.
      const response = (await limit.race(sent))!;
      const date = Date.parse(response.headers.get("date") ?? "");
      if (date) this.clockDifference = date - Date.now();
      return response;
    } catch (cause) {
      throw limit.failure(`${this.base} cannot be reached`, { cause, requestId });
    }
  }

  /** Gives the JSON of a success, throws the error of any other response. */
  async #parse(response: Response, limit: Limit, has?: string): Promise<unknown> {
    const { status, headers } = response;
    const requestId = headers.get("x-request-id") ?? undefined;
    let text: string;
    try {
      text = (await limit.race(response.text()))!;
    } catch (cause) {
      throw limit.failure("the response ended early", { cause, requestId });
    }
    let data: any;
    let cause: unknown;
    try {
      data = text ? this.codec.parse(text) : undefined;
    } catch (error) {
      cause = error;
    }
    if (cause || (response.ok && status !== 204 && has && data?.[has] == null)) {
      const message = `the response (${status}, ${headers.get("content-type")}) is not of this API`;
      throw new ManybaseError(status, "INVALID_RESPONSE", message, { cause, requestId });
    }
    if (response.ok || status === 304) return data;
    // A server of another version may know other requests.
    if (status === 400 || status === 404 || status === 405) this.compare();
    const { code = "INVALID_RESPONSE", message = `status ${status}`, details } = data?.error ?? {};
    const seconds = headers.get("retry-after");
    throw new ManybaseError(status, code, message, {
      details,
      requestId,
      retryAfter: seconds === null ? undefined : Number(seconds) || 0,
    });
  }

  /** Returns once the call may be sent again, else throws its error. */
  async #waitToRetry(call: Call, error: unknown, attempt: number, limit: Limit): Promise<void> {
    if (!(error instanceof ManybaseError) || call.once || attempt >= maxRetries) throw error;
    const { status, code, retryAfter } = error;
    // The server has not begun these.
    const refused = (status === 429 && code !== "PLAN_LIMIT") || code === "FUNCTIONS_BUSY";
    const repeatable = call.repeatable || call.method === "GET" || call.method === "HEAD";
    if (!refused && !(repeatable && (code === "NETWORK" || (status >= 502 && status <= 504)))) throw error;
    if (retryAfter !== undefined && retryAfter > maxRetryAfterSeconds) throw error;
    await limit.wait(Math.max((retryAfter ?? 0) * 1000, jittered(200, attempt, 5_000)));
    call.onRetry?.();
  }
}

/** The end of a call: the caller's signal or the time limit, whichever is first. */
class Limit {
  readonly #controller = new AbortController();
  readonly signal = this.#controller.signal;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #waiting: ReturnType<typeof setTimeout> | undefined;

  readonly #options: CallOptions;

  constructor(options: CallOptions, defaultMs = 30_000) {
    this.#options = options;
    const { signal, timeoutMs = defaultMs } = options;
    if (timeoutMs > 0) {
      const late = () => this.#controller.abort(new ManybaseError(0, "TIMEOUT", `no response within ${timeoutMs} ms`));
      this.#timer = setTimeout(late, timeoutMs);
    }
    if (signal?.aborted) this.#abort();
    signal?.addEventListener("abort", this.#abort, { once: true });
  }

  readonly #abort = () => this.#controller.abort(this.#options.signal?.reason);

  /** The value, or the end of the call if that is first. */
  race<T>(promise: Promise<T> | undefined): Promise<T | undefined> {
    return new Promise((resolve, reject) => {
      const end = () => reject(aborted(this.signal));
      if (this.signal.aborted) end();
      this.signal.addEventListener("abort", end, { once: true });
      Promise.resolve(promise)
        .then(resolve, reject)
        .finally(() => this.signal.removeEventListener("abort", end));
    });
  }

  /** The error of a request that failed: the end of the call, else one of the network. */
  failure(message: string, more: object): ManybaseError {
    return this.signal.aborted ? aborted(this.signal) : new ManybaseError(0, "NETWORK", message, more);
  }

  /** Ends after a time, or with the call. */
  wait(ms: number): Promise<unknown> {
    return this.race(new Promise((resolve) => (this.#waiting = setTimeout(resolve, ms))));
  }

  end(unread = false): void {
    clearTimeout(this.#timer);
    clearTimeout(this.#waiting);
    if (!unread) this.#options.signal?.removeEventListener("abort", this.#abort);
  }
}
