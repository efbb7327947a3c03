// The session of a platform user. Loaded by the first call that needs one, with a cookie at once.
import { isError, ManybaseError } from "./errors.js";
import { exclusive } from "./exclusive.js";
import type { CallOptions, TokenSource, Transport } from "./http.js";
import { isFresh, keep, type Kept } from "./kept.js";

/** `login` and `logout` in this tab or another one; `revoked` where the server has ended the session. */
export type ControlEvent = "login" | "logout" | "revoked";

/** A sign-in that came back from a provider: complete, or its second factor is next. */
export type ControlSignIn = { mfa?: undefined } | { mfa: ControlSecondFactor };

/** The second step of a sign-in with a provider. */
export interface ControlSecondFactor {
  /** Takes a code of the authenticator app, or a recovery code. */
  verify(code: string, options?: CallOptions): Promise<void>;
}

interface Tokens {
  accessToken: string;
  refreshToken?: string;
  expiresIn: number;
}

interface Access extends Kept {
  /** The account that the token is of, where it tells. */
  account: string | undefined;
}

/** The subject of a token, which is not verified here: the server does that. */
function subjectOf(token: string): string | undefined {
  try {
    return JSON.parse(atob(token.split(".")[1]!.replace(/-/g, "+").replace(/_/g, "/"))).sub;
  } catch {
    return undefined;
  }
}

const accessOf = ({ accessToken, expiresIn }: Tokens): Access => ({
  ...keep(accessToken, expiresIn),
  account: subjectOf(accessToken),
});

/**
 * Tells this browser's tabs whether it has a session in a cookie, which no script can see. It holds no secret. Where it is
 * lost or was never set the cookie is not taken up, so that the pages of a visitor without a session request nothing.
 */
class Marker {
  readonly #key: string;

  constructor(key: string) {
    this.#key = key;
  }

  /** True too where there is no storage: then the cookie is tried. */
  get isSet(): boolean {
    try {
      return typeof document === "undefined" || localStorage.getItem(this.#key) !== null;
    } catch {
      return true;
    }
  }

  set(signedIn: boolean): void {
    if (typeof document === "undefined" || signedIn === this.isSet) return;
    try {
      if (signedIn) localStorage.setItem(this.#key, "1");
      else localStorage.removeItem(this.#key);
    } catch {
      // The page's storage is switched off or full.
    }
  }
}

/** What a tab sends to the others: its event and the token that follows from it. */
type Message = { event: ControlEvent | "token"; access?: Access | undefined };

/**
 * The session of a platform user: its access token is in memory. Its refresh token is too, or it is in a cookie that no
 * script can read: then all tabs of the browser have one session, and one of them renews the token for all.
 */
export class ControlSession implements TokenSource {
  /** Counts sign-ins and their ends. */
  #generation = 0;
  readonly #transport: Transport;
  readonly #byCookie: boolean;
  /** Of the calls by which the server keeps the refresh token in a cookie. */
  readonly #headers: Record<string, string> | undefined;
  readonly #notify: (event: ControlEvent, elsewhere: boolean) => void;
  readonly #channel: BroadcastChannel | undefined;
  readonly #name: string;
  readonly #marker: Marker | undefined;
  #access: Access | undefined;
  /** Whose session it is. */
  #account: string | undefined;
  #refreshToken: string | undefined;
  /** What this tab knows: of a cookie nothing before the first refresh. */
  #state: "unknown" | "in" | "out";
  #refreshing: Promise<string | undefined> | undefined;
  readonly #stop = new AbortController();

  constructor(
    transport: Transport,
    headers: Record<string, string> | undefined,
    notify: (event: ControlEvent, elsewhere: boolean) => void,
  ) {
    const byCookie = headers !== undefined;
    this.#transport = transport;
    this.#headers = headers;
    this.#byCookie = byCookie;
    this.#state = byCookie ? "unknown" : "out";
    this.#notify = notify;
    this.#name = `manybase:control:${transport.base}`;
    if (byCookie) this.#marker = new Marker(this.#name);
    if (!byCookie || typeof BroadcastChannel === "undefined") return;
    this.#channel = new BroadcastChannel(this.#name);
    this.#channel.addEventListener("message", ({ data }: MessageEvent<Message>) => this.#hear(data));
    (this.#channel as { unref?: () => void }).unref?.();
    if (typeof document === "undefined") return;
    // A page that was frozen has missed messages: another tab may have signed in.
    const seen = () => this.#state === "out" && (this.#state = "unknown");
    document.addEventListener("visibilitychange", seen, { signal: this.#stop.signal });
  }

  async get(): Promise<string | undefined> {
    const before = this.#access;
    if (isFresh(before)) return before!.token;
    if (this.#state === "unknown" && !this.#marker!.isSet) return undefined;
    try {
      return await this.#refresh();
    } catch (error) {
      if (before && Date.now() < before.end) return before.token;
      throw error;
    }
  }

  renew(refused: string): Promise<string | undefined> {
    if (this.#access?.token === refused) this.#access = undefined;
    return this.get();
  }

  /** Takes over the tokens of a sign-in. */
  adopt(tokens: Tokens): void {
    this.#refreshToken = tokens.refreshToken ?? this.#refreshToken;
    this.#change("login", accessOf(tokens));
  }

  /** The session has ended on the server. */
  end(event: "logout" | "revoked"): void {
    this.#change(event, undefined);
  }

  /** Lets go of the page's events and of other tabs' messages. */
  close(): void {
    this.#stop.abort();
    this.#channel?.close();
  }

  /** Takes the result of a provider's sign-in from the page's address. */
  async complete(startedKey: string, unsolicited: boolean | undefined): Promise<ControlSignIn | null> {
    const page = new URL(location.href);
    const given = new URLSearchParams(page.hash.slice(1));
    const [refreshToken, mfaToken, reason] = ["refresh", "mfa", "error"].map((name) => given.get(`mb_${name}`));
    if (!refreshToken && !mfaToken && !reason) return null;
    page.hash = "";
    history.replaceState(history.state, "", page);
    let began = unsolicited;
    try {
      began ||= sessionStorage.getItem(startedKey) !== null;
      sessionStorage.removeItem(startedKey);
    } catch {
      // The page has no storage: only `unsolicited` completes it.
    }
    const failed = (message: string) => new ManybaseError(0, "OAUTH_FAILED", message);
    if (!began) throw failed("this tab did not begin the sign-in");
    if (refreshToken) {
      this.adopt({ refreshToken, ...(await this.#post("refresh", { refreshToken })) });
      return {};
    }
    if (!mfaToken) throw failed(reason!);
    const verify = async (code: string, options?: CallOptions) =>
      this.adopt(await this.#post("mfa/verify", { mfaToken, code }, options));
    return { mfa: { verify } };
  }

  #post(path: string, json: object, options?: CallOptions): Promise<Tokens> {
    return this.#transport.json({
      ...options,
      method: "POST",
      path: `/control/auth/${path}`,
      json,
      headers: this.#headers,
      anonymous: true,
      repeatable: path === "refresh",
      has: path === "refresh" ? "accessToken" : undefined,
    });
  }

  #refresh(): Promise<string | undefined> {
    this.#refreshing ??= exclusive(this.#name, this.#channel, () => this.#refreshOnce()).finally(
      () => (this.#refreshing = undefined),
    );
    return this.#refreshing;
  }

  async #refreshOnce(): Promise<string | undefined> {
    // The token of another tab that had the lock may still be on its way.
    if (this.#channel) await new Promise((resolve) => setTimeout(resolve, 10));
    if (isFresh(this.#access)) return this.#access!.token;
    if (this.#state === "out") return undefined;
    const generation = this.#generation;
    const refreshToken = this.#refreshToken;
    try {
      const tokens = await this.#post("refresh", this.#byCookie ? {} : { refreshToken });
      if (generation === this.#generation) {
        const access = accessOf(tokens);
        this.#channel?.postMessage({ event: "token", access } satisfies Message);
        this.#refreshToken = tokens.refreshToken ?? refreshToken;
        this.#marker?.set(true);
        this.#take(access);
      }
    } catch (error) {
      if (!isError(error) || error.status !== 401) throw error;
      // Else a sign-in in the meantime has another session.
      if (generation === this.#generation) this.end("revoked");
    }
    return this.#access?.token;
  }

  /** A sign-in or an end in this tab, of which the others learn. */
  #change(event: ControlEvent, access: Access | undefined): void {
    this.#marker?.set(access !== undefined);
    this.#channel?.postMessage({ event, access } satisfies Message);
    this.#set(event, access, false);
  }

  #hear({ event, access }: Partial<Message>): void {
    // Another sign-in of the same account changes nothing for this tab but its token.
    if (event === "login" && this.#state === "in") ++this.#generation;
    if (event === "token" || (event === "login" && this.#state === "in")) this.#take(access!);
    else if (event) this.#set(event, access, true);
  }

  /** A new token of the session. It is another session where another account has signed in while this page was frozen. */
  #take(access: Access): void {
    const isOther = this.#state === "in" && access.account !== this.#account;
    if (isOther) return this.#set("login", access, true);
    this.#access = access;
    this.#account = access.account;
    this.#state = "in";
  }

  #set(event: ControlEvent, access: Access | undefined, elsewhere: boolean): void {
    const had = this.#state === "in";
    this.#access = access;
    this.#account = access?.account;
    this.#state = access ? "in" : "out";
    if (!access) this.#refreshToken = undefined;
    ++this.#generation;
    // Without a session none could end.
    if (access || had) this.#notify(event, elsewhere);
  }
}
