// The session of the person at the dashboard. The refresh token is in a cookie that scripts cannot read, the access token
// in memory only. Tabs share an access token, and one of them at a time obtains a new one.
import { ManybaseError, isError } from "manybase";
import { createControl, type ControlMethods, type RefreshBody } from "manybase/control";
import { loggedFetch } from "./lib/call-log";
import { root, serverUrl } from "./lib/server";
import { claimsOf } from "./lib/token";

/** Sign-ins with these options keep the refresh token in the cookie. */
export const withCookie = { headers: { "x-service-session": "cookie" } } as const;

/** The end of a sign-in, and what a password alone leads to. */
export type SignedIn = Awaited<ReturnType<ControlMethods["platformVerifySecondFactor"]>>;
export type PasswordAccepted = Awaited<ReturnType<ControlMethods["platformLogin"]>>;

interface Access {
  token: string;
  /** By this machine's clock, in milliseconds. */
  expiresAt: number;
  lifeMs: number;
}

type Message =
  | { type: "wanted" }
  | { type: "access"; access: Access }
  | { type: "claim"; number: number }
  | { type: "signed-in"; user: string }
  | { type: "signed-out" };

const replyMs = 50;
const electionMs = 60;
const maxWaitMs = 5_000;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

class Session {
  #access: Access | undefined;
  #refreshing: Promise<Access> | undefined;
  #started: Promise<boolean> | undefined;
  /** Numbers of other tabs that want to refresh, where there are no locks. */
  #claims: number[] = [];
  readonly #channel = new BroadcastChannel(`manybase:${root}`);
  readonly #listeners = new Set<(event: "signed-in" | "signed-out") => void>();

  constructor() {
    this.#channel.onmessage = ({ data }: MessageEvent<Message>) => this.#hear(data);
  }

  /** Whether someone is signed in; obtains a token if this page has none. Throws if the server cannot be reached. */
  start(): Promise<boolean> {
    this.#started ??= this.#begin().catch((error: unknown) => {
      this.#started = undefined;
      throw error;
    });
    return this.#started;
  }

  get userId(): string | undefined {
    return this.#access && claimsOf(this.#access.token).sub;
  }

  /** A token that is valid for a while; `refused` is one that the server does not accept any more. */
  async token(refused?: string): Promise<string> {
    const access = this.#access;
    const rest = access ? access.expiresAt - Date.now() : 0;
    // More than the whole life is left where the clock was set back.
    if (access && access.token !== refused && rest > access.lifeMs * 0.2 && rest <= access.lifeMs) return access.token;
    try {
      return (await this.#refresh(refused)).token;
    } catch (error) {
      if (isError(error) && error.status === 401) this.#end();
      throw error;
    }
  }

  /** Takes over the tokens of a sign-in in this tab. */
  adopt(response: Pick<SignedIn, "accessToken" | "expiresIn">): void {
    this.#set(response);
    this.#started = Promise.resolve(true);
    const user = this.userId;
    if (user) this.#post({ type: "signed-in", user });
    this.#notify("signed-in");
  }

  /** Moves the refresh token of a provider's sign-in into the cookie. */
  async adoptRefreshToken(refreshToken: string): Promise<void> {
    this.adopt(await control.platformRefresh({ refreshToken }, withCookie));
  }

  /** Ends the session on the server, and in all tabs. */
  async signOut(): Promise<void> {
    try {
      await control.signOut();
    } catch (error) {
      if (!isError(error) || error.status !== 401) throw error;
    }
    this.#end();
  }

  listen(listener: (event: "signed-in" | "signed-out") => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  async #begin(): Promise<boolean> {
    this.#post({ type: "wanted" });
    await pause(replyMs);
    if (this.#access) return true;
    try {
      await this.#refresh();
      return true;
    } catch (error) {
      // Without a cookie: 401. A server without sessions by cookie refuses the empty body.
      if (isError(error) && (error.status === 401 || error.status === 400 || error.status === 403)) return false;
      throw error;
    }
  }

  #refresh(refused?: string): Promise<Access> {
    this.#refreshing ??= this.#elected(async () => {
      const access = this.#access;
      // Another tab was first.
      if (access && access.token !== refused && access.expiresAt - Date.now() > access.lifeMs * 0.2) return access;
      const response = await control.platformRefresh({} as RefreshBody, withCookie);
      const made = this.#set(response);
      this.#post({ type: "access", access: made });
      return made;
    }).finally(() => (this.#refreshing = undefined));
    return this.#refreshing;
  }

  /** Runs it in one tab at a time. Without locks (plain http) two tabs may be in it after all, which costs one request. */
  async #elected(run: () => Promise<Access>): Promise<Access> {
    if (navigator.locks) {
      const late = AbortSignal.timeout(maxWaitMs);
      try {
        return await navigator.locks.request(`manybase:${root}:refresh`, { signal: late }, run);
      } catch (error) {
        // A frozen tab may hold the lock.
        if (late.aborted && !(error instanceof ManybaseError)) return run();
        throw error;
      }
    }
    const number = Math.random();
    this.#claims = [];
    this.#post({ type: "claim", number });
    await pause(electionMs);
    if (this.#claims.some((other) => other < number)) {
      const before = this.#access;
      for (let waited = 0; waited < maxWaitMs && this.#access === before; waited += replyMs) await pause(replyMs);
    }
    return run();
  }

  #set({ accessToken, expiresIn }: { accessToken: string; expiresIn: number }): Access {
    const lifeMs = expiresIn * 1000;
    this.#access = { token: accessToken, expiresAt: Date.now() + lifeMs, lifeMs };
    return this.#access;
  }

  #end(): void {
    this.#post({ type: "signed-out" });
    this.#forget();
  }

  #forget(): void {
    this.#access = undefined;
    this.#started = Promise.resolve(false);
    this.#notify("signed-out");
  }

  #notify(event: "signed-in" | "signed-out"): void {
    for (const listener of this.#listeners) listener(event);
  }

  #post(message: Message): void {
    this.#channel.postMessage(message);
  }

  #hear(message: Message): void {
    switch (message.type) {
      case "wanted":
        if (this.#access && this.#access.expiresAt - Date.now() > this.#access.lifeMs * 0.2) {
          this.#post({ type: "access", access: this.#access });
        }
        break;
      case "access":
        this.#access = message.access;
        break;
      case "claim":
        this.#claims.push(message.number);
        break;
      case "signed-in":
        // All that is shown belongs to another person, or to none.
        if (message.user !== this.userId) location.reload();
        break;
      case "signed-out":
        if (this.#access) this.#forget();
        break;
    }
  }
}

export const session = new Session();
export const control = createControl({
  url: serverUrl,
  token: (refused) => session.token(refused),
  fetch: loggedFetch,
});
