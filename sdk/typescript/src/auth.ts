import { ManybaseError } from "./errors.js";
import type { Call, CallOptions, Transport } from "./http.js";
import { newId } from "./id.js";
import type { AuthEvent, Session, Tokens, User } from "./session.js";

export interface AuthSession {
  id: string;
  createdAt: string;
  lastUsedAt: string;
  expiresAt: string;
  userAgent: string | null;
  ip: string | null;
  /** True for the session of this client. */
  current: boolean;
}

export interface Identity {
  id: string;
  provider: string;
  email: string | null;
  createdAt: string;
}

/** The second step of a sign-in: a code of the authenticator app, or a recovery code. */
export interface SecondFactor<U> {
  verify(code: string, options?: CallOptions): Promise<U>;
}

/** A sign-in is complete with `user`, or needs its second factor. */
export type SignIn<U> = { user: U; mfa?: undefined } | { user?: undefined; mfa: SecondFactor<U> };

type Answer = Tokens | { mfaRequired: true; mfaToken: string };
interface PopupResult {
  refresh?: string | undefined;
  mfa?: string | undefined;
  error?: string | undefined;
}

const startedKey = "manybase:oauth";
const popupParameter = "mb_popup";
const popupWaitMs = 600_000;

/** Sign-up, sign-in and the sessions of end users. */
export class Auth<Metadata = Record<string, unknown>> {
  constructor(
    private readonly transport: Transport,
    private readonly session: Session,
  ) {}

  /** The signed-in user, null for none. Of a storage that is read asynchronously only after `ready`. */
  get user(): User<Metadata> | null {
    return (this.session.state?.user as User<Metadata> | undefined) ?? null;
  }

  /** Ends once the stored session was read. */
  get ready(): Promise<User<Metadata> | null> {
    return this.session.ready.then(() => this.user);
  }

  /** Calls `listener` whenever the user changes, also by another tab. Gives a function that stops it. */
  onChange(listener: (user: User<Metadata> | null, event: AuthEvent) => void): () => void {
    return this.session.listen((event) => event !== "token" && listener(this.user, event));
  }

  /** Registers a user; they are not signed in by it. */
  async register(
    account: { email: string; password: string; name?: string },
    options?: CallOptions,
  ): Promise<User<Metadata>> {
    return (await this.post<{ user: User<Metadata> }>("register", account, options)).user;
  }

  async login(
    account: { email: string; password: string },
    options?: CallOptions,
  ): Promise<SignIn<User<Metadata>>> {
    return this.complete(await this.post<Answer>("login", account, options));
  }

  /** Signs out in all tabs of this browser, with `everywhere` on all devices. */
  async logout(options: CallOptions & { everywhere?: boolean } = {}): Promise<void> {
    const { everywhere, ...call } = options;
    await this.session.ready;
    if (everywhere) await this.call("DELETE", "sessions", call);
    const refreshToken = this.session.state?.refreshToken;
    await this.session.end();
    if (!refreshToken) return;
    // Without the server the session ends by itself; here it has ended.
    await this.post("logout", { refreshToken }, { ...call, repeatable: true }).catch(() => {});
  }

  readonly sessions = {
    list: async (options?: CallOptions): Promise<AuthSession[]> =>
      (await this.call<{ sessions: AuthSession[] }>("GET", "sessions", options)).sessions,
    revoke: (id: string, options?: CallOptions): Promise<void> =>
      this.call("DELETE", `sessions/${encodeURIComponent(id)}`, options),
    /** All but the session of this client. */
    revokeOthers: (options?: CallOptions): Promise<void> => this.call("DELETE", "sessions", options),
  };

  /** Sign-ins with providers. */
  readonly identities = {
    list: async (options?: CallOptions): Promise<Identity[]> =>
      (await this.call<{ identities: Identity[] }>("GET", "identities", options)).identities,
    remove: (id: string, options?: CallOptions): Promise<void> =>
      this.call("DELETE", `identities/${encodeURIComponent(id)}`, options),
  };

  /** The second factor by an authenticator app. */
  readonly totp = {
    enroll: (options?: CallOptions): Promise<{ secret: string; otpauthUrl: string }> =>
      this.call("POST", "mfa/totp/enroll", options),
    /** Gives the recovery codes, which are shown only here. */
    activate: async (code: string, options?: CallOptions): Promise<string[]> => {
      const json = { code };
      const made = await this.call<{ recoveryCodes: string[] }>("POST", "mfa/totp/activate", { ...options, json });
      await this.session.updateUser({ mfaEnabled: true });
      return made.recoveryCodes;
    },
    disable: async (code: string, options?: CallOptions): Promise<void> => {
      await this.call("POST", "mfa/totp/disable", { ...options, json: { code } });
      await this.session.updateUser({ mfaEnabled: false });
    },
  };

  /** Mails a link that verifies the address. Succeeds for every address. */
  requestVerification(email: string, options?: CallOptions): Promise<void> {
    return this.post("verify-email/request", { email }, options);
  }

  async verifyEmail(token: string, options?: CallOptions): Promise<void> {
    await this.post("verify-email", { token }, options);
    await this.session.updateUser({ emailVerified: true });
  }

  /** Mails a link to the page where a new password is set. Succeeds for every address. */
  requestPasswordReset(email: string, options?: CallOptions): Promise<void> {
    return this.post("password-reset/request", { email }, options);
  }

  /** Sets a new password and ends all sessions of the user. */
  resetPassword(token: string, password: string, options?: CallOptions): Promise<void> {
    return this.post("password-reset", { token, password }, options);
  }

  /** The address to open for a sign-in with a provider. It returns to `redirect`; call `completeOauth` there. */
  oauthUrl(provider: string, options: { redirect: string }): string {
    return this.begin(`/auth/oauth/${encodeURIComponent(provider)}/start`, options.redirect);
  }

  /** The address of the server's own sign-in page. It returns to `redirect`; call `completeOauth` there. */
  loginUrl(options: { redirect: string }): string {
    return this.begin(this.transport.base.replace(/api\/v1$/, "auth/login"), options.redirect);
  }

  /**
   * Opens the provider in a window, and ends once `completeOauth` ran on the page `redirect` in it. Call it from a click,
   * else browsers block the window.
   */
  async oauthPopup(
    provider: string,
    options: { redirect: string; features?: string; signal?: AbortSignal },
  ): Promise<SignIn<User<Metadata>>> {
    const id = newId();
    const redirect = new URL(options.redirect);
    redirect.searchParams.set(popupParameter, id);
    const address = this.transport.address(`/auth/oauth/${encodeURIComponent(provider)}/start`, {
      project: this.transport.project,
      redirect: String(redirect),
    });
    const channel = new BroadcastChannel(`manybase:popup:${id}`);
    const { signal } = options;
    let timer: ReturnType<typeof setTimeout> | undefined;
    try {
      const result = new Promise<PopupResult>((resolve, reject) => {
        const end = (reason: string) => reject(new ManybaseError(0, "OAUTH_FAILED", reason));
        channel.onmessage = ({ data }) => resolve(data);
        timer = setTimeout(end, popupWaitMs, "the sign-in in the window was not completed");
        if (signal?.aborted) end("the sign-in was aborted");
        signal?.addEventListener("abort", () => end("the sign-in was aborted"), { once: true });
      });
      if (!signal?.aborted && !open(address, "_blank", options.features ?? "popup,width=480,height=720")) {
        throw new ManybaseError(0, "OAUTH_FAILED", "the browser blocked the window: open it from a click");
      }
      return await this.finish(await result);
    } finally {
      clearTimeout(timer);
      channel.close();
    }
  }

  /**
   * Completes a sign-in that `oauthUrl`, `oauthPopup` or `loginUrl` began, from the page's address, and removes the token
   * from it. Null where the address holds no result. A result that this tab did not request is refused, since any site
   * could send a visitor to it: `unsolicited: true` accepts it.
   */
  async completeOauth(options: { unsolicited?: boolean } = {}): Promise<SignIn<User<Metadata>> | null> {
    const page = new URL(location.href);
    const given = new URLSearchParams(page.hash.slice(1));
    const result: PopupResult = {};
    for (const name of ["refresh", "mfa", "error"] as const) result[name] = given.get(`mb_${name}`) ?? undefined;
    if (!result.refresh && !result.mfa && !result.error) return null;
    page.hash = "";
    const popup = page.searchParams.get(popupParameter);
    page.searchParams.delete(popupParameter);
    history.replaceState(history.state, "", page);
    if (popup) {
      const channel = new BroadcastChannel(`manybase:popup:${popup}`);
      channel.postMessage(result);
      channel.close();
      close();
      return null;
    }
    if (!this.takeStarted() && !options.unsolicited) {
      throw new ManybaseError(0, "OAUTH_FAILED", "this tab did not begin the sign-in");
    }
    return this.finish(result);
  }

  private finish(result: PopupResult): Promise<SignIn<User<Metadata>>> {
    if (result.mfa) return this.complete({ mfaRequired: true, mfaToken: result.mfa });
    if (!result.refresh) throw new ManybaseError(0, "OAUTH_FAILED", result.error ?? "there is no result");
    const refreshToken = result.refresh;
    return this.post<Tokens>("refresh", { refreshToken }).then((tokens) => this.complete({ refreshToken, ...tokens }));
  }

  private begin(path: string, redirect: string): string {
    try {
      sessionStorage.setItem(startedKey, String(Date.now()));
    } catch {
      // Not in a page, or its storage is switched off: completeOauth then needs `unsolicited`.
    }
    return this.transport.address(path, { project: this.transport.project, redirect });
  }

  private takeStarted(): boolean {
    try {
      const started = sessionStorage.getItem(startedKey);
      sessionStorage.removeItem(startedKey);
      return started !== null;
    } catch {
      return false;
    }
  }

  private async complete(answer: Answer): Promise<SignIn<User<Metadata>>> {
    if ("accessToken" in answer) return { user: (await this.session.adopt(answer)) as User<Metadata> };
    const { mfaToken } = answer;
    return {
      mfa: {
        verify: async (code, options) =>
          (await this.session.adopt(await this.post<Tokens>("mfa/verify", { mfaToken, code }, options))) as User<Metadata>,
      },
    };
  }

  private post<T = void>(path: string, json: unknown, options?: Partial<Call>): Promise<T> {
    // A limit on attempts is for the user to see, not for waiting.
    const call = { method: "POST", path: `/auth/${path}`, json, anonymous: true, once: !options?.repeatable };
    return this.transport.json<T>({ ...call, ...options });
  }

  private call<T = void>(method: string, path: string, options?: Partial<Call>): Promise<T> {
    return this.transport.json<T>({ repeatable: method === "DELETE", ...options, method, path: `/auth/${path}` });
  }
}
