import { isError } from "./errors.js";
import type { TokenSource, Transport } from "./http.js";
import { notify } from "./realtime.js";
import type { SafeStorage } from "./storage.js";

/** The signed-in end user. After a provider's sign-in only `id` and `role` are known. */
export interface User<Metadata = Record<string, unknown>> {
  /** Their id, such as `user_…`. */
  readonly id: string;
  /** Their role in the project. */
  readonly role?: string;
  /** The address they sign in with. */
  readonly email?: string;
  /** Their name, null where none was given. */
  readonly name?: string | null;
  /** Whether the address was verified. */
  readonly emailVerified?: boolean;
  /** Whether a sign-in needs a second factor. */
  readonly mfaEnabled?: boolean;
  /** What the project keeps of them. */
  readonly metadata?: Metadata;
  /** When they registered. */
  readonly createdAt?: string;
  /** When this record last changed. */
  readonly updatedAt?: string;
}

/**
 * Why the user changed: `login` and `logout` in this tab or another one, `revoked` where the server ended the session
 * (elsewhere signed out, blocked, password changed), `update` for another state of the same user.
 */
export type AuthEvent = "login" | "logout" | "revoked" | "update";

export interface Tokens {
  accessToken: string;
  refreshToken?: string;
  expiresIn: number;
  user?: User;
}

export interface SessionState {
  accessToken: string;
  refreshToken: string;
  /** By this machine's clock, in milliseconds. */
  expiresAt: number;
  lifeMs: number;
  user: User;
}

/** `token` is a new token of the same user. */
export type SessionEvent = AuthEvent | "token";

const maxLockWaitMs = 10_000;

/** The tokens of an end user: kept in the storage, shared by all tabs, renewed in one of them at a time. */
export class Session implements TokenSource {
  state: SessionState | null = null;
  /** Ends once the stored session was read. */
  readonly ready: Promise<void>;
  readonly #key: string;
  readonly #channel: BroadcastChannel | undefined;
  readonly #listeners = new Set<(event: SessionEvent) => void>();
  /** What another tab has done, whose change of the storage may be still to come. */
  #hint: SessionEvent | undefined;
  /** What the storage holds as far as this tab knows. */
  #text: string | null = null;
  #refreshing: Promise<string | undefined> | undefined;
  readonly #stop = new AbortController();

  readonly #transport: Transport;
  readonly #storage: SafeStorage;

  constructor(transport: Transport, storage: SafeStorage) {
    this.#transport = transport;
    this.#storage = storage;
    this.#key = `manybase:${transport.base}:${transport.project ?? ""}`;
    if (storage.shared && typeof BroadcastChannel !== "undefined") {
      this.#channel = new BroadcastChannel(this.#key);
      (this.#channel as { unref?: () => void }).unref?.();
      this.#channel.onmessage = ({ data }) => {
        this.#hint = data;
        void this.#readAgain();
      };
    }
    this.ready = this.#readAgain();
    if (typeof document !== "undefined") {
      // A message can be faster than the storage of another process, and a page that was frozen has missed messages.
      for (const type of ["storage", "visibilitychange"]) {
        addEventListener(type, () => void this.#readAgain(), { signal: this.#stop.signal });
      }
    }
  }

  listen(listener: (event: SessionEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  close(): void {
    this.#stop.abort();
    this.#channel?.close();
  }

  async get(): Promise<string | undefined> {
    await this.ready;
    const { state } = this;
    if (!state) return undefined;
    const rest = state.expiresAt - Date.now();
    // More than the whole life is left where the clock was set back.
    const usable = rest > 0 && rest <= state.lifeMs;
    if (usable && rest > state.lifeMs * 0.2) return state.accessToken;
    try {
      return await this.#refresh();
    } catch (error) {
      if (usable) return state.accessToken;
      throw error;
    }
  }

  async renew(refused: string): Promise<string | undefined> {
    await this.ready;
    if (this.state && this.state.accessToken !== refused) return this.state.accessToken;
    return this.#refresh();
  }

  /** Takes over the tokens of a sign-in. */
  adopt(tokens: Tokens, user: User): Promise<void> {
    return this.#set(this.#stateOf(tokens, tokens.refreshToken!, user), "login");
  }

  /** Ends the session in all tabs. Does not notify the server. */
  async end(event: "logout" | "revoked" = "logout"): Promise<void> {
    if (this.state) await this.#set(null, event);
  }

  async updateUser(change: Partial<User>): Promise<void> {
    if (this.state) await this.#set({ ...this.state, user: { ...this.state.user, ...change } }, "update");
  }

  #stateOf(tokens: Tokens, refreshToken: string, user: User): SessionState {
    const lifeMs = tokens.expiresIn * 1000;
    return { accessToken: tokens.accessToken, refreshToken, expiresAt: Date.now() + lifeMs, lifeMs, user };
  }

  #refresh(): Promise<string | undefined> {
    this.#refreshing ??= this.#locked(() => this.#refreshOnce()).finally(() => (this.#refreshing = undefined));
    return this.#refreshing;
  }

  async #refreshOnce(): Promise<string | undefined> {
    const before = this.state;
    if (!before) return undefined;
    // Another tab may have renewed the token, or signed out, while this one waited for the lock.
    await this.#readAgain();
    if (this.state?.accessToken !== before.accessToken) return this.state?.accessToken;
    try {
      const tokens = await this.#transport.json<Tokens>({
        method: "POST",
        path: "/auth/refresh",
        json: { refreshToken: before.refreshToken },
        anonymous: true,
        repeatable: true,
        has: "accessToken",
      });
      if (this.state?.refreshToken === before.refreshToken) {
        await this.#set(this.#stateOf(tokens, tokens.refreshToken ?? before.refreshToken, this.state.user), "token");
      }
    } catch (error) {
      if (!isError(error) || (error.status !== 401 && !/^USER_/.test(error.code))) throw error;
      // A tab that signed in at the same time has stored another session.
      await this.#readAgain();
      if (this.state?.refreshToken === before.refreshToken) await this.end("revoked");
    }
    return this.state?.accessToken;
  }

  /** One refresh at a time in a browser. A tab that was frozen with the lock delays the others by some seconds. */
  async #locked<T>(work: () => Promise<T>): Promise<T> {
    const locks = typeof navigator === "undefined" ? undefined : navigator.locks;
    if (!locks || !this.#storage.shared) return work();
    try {
      return (await locks.request(this.#key, { signal: AbortSignal.timeout(maxLockWaitMs) }, work)) as T;
    } catch (error) {
      if (isError(error)) throw error;
      // Waited for too long, or locks are not for this page.
      return work();
    }
  }

  async #readAgain(): Promise<void> {
    const text = await this.#storage.get(this.#key);
    if (text === this.#text) return;
    this.#text = text;
    const before = this.state;
    try {
      const read = this.#transport.codec.parse(text!);
      this.state = read.accessToken && read.refreshToken && read.user.id ? read : null;
    } catch {
      // Nothing, or not what this package has written.
      this.state = null;
    }
    const { state } = this;
    if (state?.user.id !== before?.user.id)
      this.#emit(state ? "login" : this.#hint === "revoked" ? "revoked" : "logout");
    else if (state) this.#emit(state.accessToken === before?.accessToken ? "update" : "token");
  }

  async #set(state: SessionState | null, event: SessionEvent): Promise<void> {
    this.state = state;
    this.#text = state && this.#transport.codec.stringify(state);
    await this.#storage.set(this.#key, this.#text);
    notify(() => this.#channel?.postMessage(event));
    this.#emit(event);
  }

  #emit(event: SessionEvent): void {
    for (const listener of [...this.#listeners]) notify(() => listener(event));
  }
}
