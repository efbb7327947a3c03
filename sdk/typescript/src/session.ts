import { isError, ManybaseError } from "./errors.js";
import type { TokenSource, Transport } from "./http.js";
import type { SafeStorage } from "./storage.js";

/** The signed-in end user. After a provider's sign-in only `id` and `role` are known. */
export interface User<Metadata = Record<string, unknown>> {
  readonly id: string;
  readonly role?: string;
  readonly email?: string;
  readonly name?: string | null;
  readonly emailVerified?: boolean;
  readonly mfaEnabled?: boolean;
  readonly metadata?: Metadata;
  readonly createdAt?: string;
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
  #refreshing: Promise<string | undefined> | undefined;
  readonly #stop = new AbortController();

  readonly #transport: Transport;
  readonly #storage: SafeStorage;

  constructor(
    transport: Transport,
    storage: SafeStorage,
  ) {
    this.#transport = transport;
    this.#storage = storage;
    this.#key = `manybase:${transport.base}:${transport.project ?? ""}`;
    if (storage.shared && typeof BroadcastChannel !== "undefined") {
      this.#channel = new BroadcastChannel(this.#key);
      (this.#channel as { unref?: () => void }).unref?.();
      this.#channel.onmessage = ({ data }) => void this.#readAgain(data);
    }
    this.ready = this.#readAgain("login");
    if (typeof document !== "undefined") {
      // A page that was frozen has missed the messages of other tabs.
      const wake = () => document.visibilityState === "visible" && void this.#readAgain();
      document.addEventListener("visibilitychange", wake, { signal: this.#stop.signal });
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
      });
      if (this.state?.refreshToken === before.refreshToken) {
        await this.#set(this.#stateOf(tokens, tokens.refreshToken ?? before.refreshToken, this.state.user), "token");
      }
      return this.state?.accessToken;
    } catch (error) {
      const ended = error instanceof ManybaseError && (error.status === 401 || /^USER_/.test(error.code));
      if (!ended) throw error;
      // A tab that signed in at the same time has stored another session.
      await this.#readAgain();
      if (this.state?.refreshToken === before.refreshToken) await this.end("revoked");
      return this.state?.accessToken;
    }
  }

  /** One refresh at a time in a browser. A tab that was frozen with the lock delays the others by some seconds. */
  async #locked<T>(work: () => Promise<T>): Promise<T> {
    const locks = typeof navigator === "undefined" ? undefined : navigator.locks;
    if (!locks || !this.#storage.shared) return work();
    const waiting = new AbortController();
    const timer = setTimeout(() => waiting.abort(), maxLockWaitMs);
    try {
      return (await locks.request(this.#key, { signal: waiting.signal }, () => {
        clearTimeout(timer);
        return work();
      })) as T;
    } catch (error) {
      if (waiting.signal.aborted || !isError(error)) return work();
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  async #readAgain(event?: SessionEvent): Promise<void> {
    let stored: SessionState | null = null;
    try {
      const read = JSON.parse((await this.#storage.get(this.#key)) ?? "null");
      if (read?.accessToken && read.refreshToken && read.user?.id) stored = read;
    } catch {
      // Not what this package has written.
    }
    const before = this.state;
    if (stored?.accessToken === before?.accessToken && event !== "update") return;
    this.state = stored;
    const other = stored?.user.id !== before?.user.id;
    this.#emit(!stored ? (event === "revoked" ? event : "logout") : other ? "login" : event === "update" ? event : "token");
  }

  async #set(state: SessionState | null, event: SessionEvent): Promise<void> {
    this.state = state;
    await this.#storage.set(this.#key, state && JSON.stringify(state));
    this.#channel?.postMessage(event);
    this.#emit(event);
  }

  #emit(event: SessionEvent): void {
    for (const listener of [...this.#listeners]) listener(event);
  }
}
