import type { Account } from "./account.js";
import { loaded, ManybaseError } from "./errors.js";
import type { CallOptions, Transport } from "./http.js";
import type { AuthEvent, Session, User } from "./session.js";

/** A session of the signed-in user, on this device or another one. */
export interface AuthSession {
  /** Its id. */
  id: string;
  /** When it was made. */
  createdAt: string;
  /** When it last renewed a token. */
  lastUsedAt: string;
  /** When it ends if it is not used. */
  expiresAt: string;
  /** The program that signed in, as it calls itself. */
  userAgent: string | null;
  /** The network address of the sign-in. */
  ip: string | null;
  /** True for the session of this client. */
  current: boolean;
}

/** An account with a provider by which the user can sign in. */
export interface Identity {
  /** Its id. */
  id: string;
  /** The provider, such as `github`. */
  provider: string;
  /** The address that the provider gave. */
  email: string | null;
  /** When it was made. */
  createdAt: string;
}

/** The second step of a sign-in: a code of the authenticator app, or a recovery code. */
export interface SecondFactor<U> {
  /** Completes the sign-in; gives the user. */
  verify(code: string, options?: CallOptions): Promise<U>;
}

/** A sign-in is complete with `user`, or needs its second factor. */
export type SignIn<U> = { user: U; mfa?: undefined } | { user?: undefined; mfa: SecondFactor<U> };

/** Under it the tab remembers that it began a sign-in with a provider. */
const startedKey = "manybase:oauth";

type Call = (...given: any[]) => Promise<any>;

/** A method, or an object of methods, whose code is loaded when one is called. */
function later(load: () => Promise<any>, path: readonly string[]): any {
  return new Proxy((() => {}) as unknown as Call, {
    get: (_, name) => (typeof name === "string" && name !== "then" ? later(load, [...path, name]) : undefined),
    apply: async (_, __, given) => {
      let at = await load();
      for (const name of path.slice(0, -1)) at = at[name];
      return at[path[path.length - 1]!](...given);
    },
  });
}

/** Sign-up, sign-in and the sessions of end users. */
export class Auth<Metadata = Record<string, unknown>> {
  readonly #transport: Transport;
  readonly #session: Session;
  #account: Promise<Account<Metadata>> | undefined;

  constructor(transport: Transport, session: Session) {
    this.#transport = transport;
    this.#session = session;
  }

  /** The signed-in user, null for none. Of a storage that is read asynchronously only after `ready`. */
  get user(): User<Metadata> | null {
    return (this.#session.state?.user as User<Metadata> | undefined) ?? null;
  }

  /** Ends once the stored session was read. */
  get ready(): Promise<User<Metadata> | null> {
    return this.#session.ready.then(() => this.user);
  }

  /** Calls `listener` whenever the user changes, also by another tab. Gives a function that stops it. */
  onChange(listener: (user: User<Metadata> | null, event: AuthEvent) => void): () => void {
    return this.#session.listen((event) => event !== "token" && listener(this.user, event));
  }

  /** Registers a user; they are not signed in by it. */
  readonly register = this.#later("register");
  /** Signs in. The result has `user`, or `mfa` where the second factor is next. */
  readonly login = this.#later("login");
  /** Signs out in all tabs of this browser, with `everywhere` on all devices. */
  readonly logout = this.#later("logout");
  /** The sessions of the user on all devices: `list`, `revoke` one, `revokeOthers` but this one. */
  readonly sessions = this.#later("sessions");
  /** Sign-ins with providers. */
  readonly identities = this.#later("identities");
  /** The second factor by an authenticator app. */
  readonly totp = this.#later("totp");
  /** Mails a link that verifies the address. Succeeds for every address. */
  readonly requestVerification = this.#later("requestVerification");
  /** Takes the token of the link in the mail, and thereby verifies the address. */
  readonly verifyEmail = this.#later("verifyEmail");
  /** Mails a link to the page where a new password is set. Succeeds for every address. */
  readonly requestPasswordReset = this.#later("requestPasswordReset");
  /** Sets a new password and ends all sessions of the user. */
  readonly resetPassword = this.#later("resetPassword");
  /** Sets a new password of the signed-in user and ends their other sessions. */
  readonly changePassword = this.#later("changePassword");
  /**
   * Completes a sign-in that `oauthUrl`, `oauthPopup` or `loginUrl` began, from the page's address, and removes the token
   * from it. Null where the address holds no result. A result that this tab did not request is refused, since any site
   * could send a visitor to it: `unsolicited: true` accepts it.
   */
  readonly completeOauth = this.#later("completeOauth");

  /** The address to open for a sign-in with a provider. It returns to `redirect`; call `completeOauth` there. */
  oauthUrl(provider: string, options: { redirect: string }): string {
    return this.#begin(`/auth/oauth/${encodeURIComponent(provider)}/start`, options.redirect);
  }

  /** The address of the server's own sign-in page. It returns to `redirect`; call `completeOauth` there. */
  loginUrl(options: { redirect: string }): string {
    return this.#begin(this.#transport.base.replace(/api\/v1$/, "auth/login"), options.redirect);
  }

  /**
   * Opens the provider in a window, and ends once `completeOauth` ran on the page `redirect` in it. Call it from a click,
   * else browsers block the window.
   */
  async oauthPopup(
    provider: string,
    options: { redirect: string; features?: string; signal?: AbortSignal },
  ): Promise<SignIn<User<Metadata>>> {
    const window = open("", "_blank", options.features ?? "popup,width=480,height=720");
    if (!window) throw new ManybaseError(0, "OAUTH_FAILED", "the browser blocked the window");
    return (await this.#load()).popup(window, provider, options);
  }

  #load(): Promise<Account<Metadata>> {
    this.#account ??= loaded(import("./account.js"))
      .then(({ Account }) => new Account<Metadata>(this.#transport, this.#session, startedKey))
      .catch((error) => {
        this.#account = undefined;
        throw error;
      });
    return this.#account;
  }

  #later<K extends keyof Account<Metadata>>(name: K): Account<Metadata>[K] {
    return later(() => this.#load(), [name]);
  }

  #begin(path: string, redirect: string): string {
    try {
      sessionStorage.setItem(startedKey, "1");
    } catch {
      // Not in a page, or its storage is switched off: completeOauth then needs `unsolicited`.
    }
    return this.#transport.address(path, { project: this.#transport.project, redirect });
  }
}
