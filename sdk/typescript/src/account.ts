import { ManybaseError } from "./errors.js";
import type { Call, CallOptions, Transport } from "./http.js";
import { newId } from "./id.js";
import type { AuthSession, Identity, SignIn } from "./auth.js";
import type { Session, Tokens, User } from "./session.js";

interface PopupResult {
  refresh?: string | undefined;
  mfa?: string | undefined;
  error?: string | undefined;
}

const popupParameter = "mb_popup";
const popupWaitMs = 600_000;

/** Claims of a token, which is not verified here: the server does that. */
function claimsOf(token: string): Record<string, any> {
  try {
    const text = atob(token.split(".")[1]!.replace(/-/g, "+").replace(/_/g, "/"));
    return JSON.parse(new TextDecoder().decode(Uint8Array.from(text, (one) => one.charCodeAt(0))));
  } catch {
    return {};
  }
}

/** The calls of `Auth`. Loaded by the first of them. */
export class Account<Metadata = Record<string, unknown>> {
  readonly #transport: Transport;
  readonly #session: Session;

  readonly #startedKey: string;

  constructor(transport: Transport, session: Session, startedKey: string) {
    this.#transport = transport;
    this.#session = session;
    this.#startedKey = startedKey;
  }

  /** Registers a user; they are not signed in by it. */
  async register(
    account: { email: string; password: string; name?: string },
    options?: CallOptions,
  ): Promise<User<Metadata>> {
    return (await this.#post<{ user: User<Metadata> }>("register", account, { ...options, has: "user" })).user;
  }

  async login(account: { email: string; password: string }, options?: CallOptions): Promise<SignIn<User<Metadata>>> {
    return this.#complete(await this.#post("login", account, options));
  }

  /** Signs out in all tabs of this browser, with `everywhere` on all devices. */
  async logout(options: CallOptions & { everywhere?: boolean } = {}): Promise<void> {
    const { everywhere, ...call } = options;
    await this.#session.ready;
    if (everywhere) await this.#call("DELETE", "sessions", call);
    const refreshToken = this.#session.state?.refreshToken;
    await this.#session.end();
    if (!refreshToken) return;
    // Without the server the session ends by itself; here it has ended.
    await this.#post("logout", { refreshToken }, { ...call, repeatable: true }).catch(() => {});
  }

  readonly sessions = {
    list: async (options?: CallOptions): Promise<AuthSession[]> =>
      (await this.#call<{ sessions: AuthSession[] }>("GET", "sessions", { ...options, has: "sessions" })).sessions,
    revoke: (id: string, options?: CallOptions): Promise<void> =>
      this.#call("DELETE", `sessions/${encodeURIComponent(id)}`, options),
    /** All but the session of this client. */
    revokeOthers: (options?: CallOptions): Promise<void> => this.#call("DELETE", "sessions", options),
  };

  /** Sign-ins with providers. */
  readonly identities = {
    list: async (options?: CallOptions): Promise<Identity[]> =>
      (await this.#call<{ identities: Identity[] }>("GET", "identities", { ...options, has: "identities" })).identities,
    remove: (id: string, options?: CallOptions): Promise<void> =>
      this.#call("DELETE", `identities/${encodeURIComponent(id)}`, options),
  };

  /** The second factor by an authenticator app. */
  readonly totp = {
    enroll: (options?: CallOptions): Promise<{ secret: string; otpauthUrl: string }> =>
      this.#call("POST", "mfa/totp/enroll", { ...options, has: "secret" }),
    /** Gives the recovery codes, which are shown only here. */
    activate: async (code: string, options?: CallOptions): Promise<string[]> => {
      const json = { code };
      const made = await this.#call<{ recoveryCodes: string[] }>("POST", "mfa/totp/activate", {
        ...options,
        json,
        has: "recoveryCodes",
      });
      await this.#session.updateUser({ mfaEnabled: true });
      return made.recoveryCodes;
    },
    disable: async (code: string, options?: CallOptions): Promise<void> => {
      await this.#call("POST", "mfa/totp/disable", { ...options, json: { code } });
      await this.#session.updateUser({ mfaEnabled: false });
    },
  };

  /** Mails a link that verifies the address. Succeeds for every address. */
  requestVerification(email: string, options?: CallOptions): Promise<void> {
    return this.#post("verify-email/request", { email }, options);
  }

  async verifyEmail(token: string, options?: CallOptions): Promise<void> {
    await this.#post("verify-email", { token }, options);
    await this.#session.updateUser({ emailVerified: true });
  }

  /** Mails a link to the page where a new password is set. Succeeds for every address. */
  requestPasswordReset(email: string, options?: CallOptions): Promise<void> {
    return this.#post("password-reset/request", { email }, options);
  }

  /** Sets a new password and ends all sessions of the user. */
  resetPassword(token: string, password: string, options?: CallOptions): Promise<void> {
    return this.#post("password-reset", { token, password }, options);
  }

  /** Sets a new password of the signed-in user and ends their other sessions. */
  changePassword(passwords: { current: string; password: string }, options?: CallOptions): Promise<void> {
    return this.#post("password", passwords, { ...options, anonymous: false });
  }

  /** Shows the provider in `window`, and ends once `completeOauth` ran on the page `redirect` in it. */
  async popup(
    window: Window,
    provider: string,
    options: { redirect: string; signal?: AbortSignal },
  ): Promise<SignIn<User<Metadata>>> {
    const id = newId();
    const redirect = new URL(options.redirect);
    redirect.searchParams.set(popupParameter, id);
    const address = this.#transport.address(`/auth/oauth/${encodeURIComponent(provider)}/start`, {
      project: this.#transport.project,
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
      window.location.replace(address);
      return await this.#finish(await result);
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
    if (!this.#takeStarted() && !options.unsolicited) {
      throw new ManybaseError(0, "OAUTH_FAILED", "this tab did not begin the sign-in");
    }
    return this.#finish(result);
  }

  #finish(result: PopupResult): Promise<SignIn<User<Metadata>>> {
    if (result.mfa) return this.#complete({ mfaToken: result.mfa });
    if (!result.refresh) throw new ManybaseError(0, "OAUTH_FAILED", result.error ?? "there is no result");
    const refreshToken = result.refresh;
    return this.#post<Tokens>("refresh", { refreshToken }, { has: "accessToken" }).then((tokens) =>
      this.#complete({ refreshToken, ...tokens }),
    );
  }

  #takeStarted(): boolean {
    try {
      const started = sessionStorage.getItem(this.#startedKey);
      sessionStorage.removeItem(this.#startedKey);
      return started !== null;
    } catch {
      return false;
    }
  }

  async #complete(answer: Partial<Tokens & { mfaToken: string }> | null | undefined): Promise<SignIn<User<Metadata>>> {
    if (answer?.accessToken) return { user: await this.#adopt(answer as Tokens) };
    const mfaToken = answer?.mfaToken;
    if (!mfaToken) throw new ManybaseError(200, "INVALID_RESPONSE", "the response is no sign-in");
    return {
      mfa: {
        verify: async (code, options) => {
          const json = { mfaToken, code };
          return this.#adopt(await this.#post<Tokens>("mfa/verify", json, { ...options, has: "accessToken" }));
        },
      },
    };
  }

  /** After a provider's sign-in the user is not sent: what is known of them is in the token. */
  async #adopt(tokens: Tokens): Promise<User<Metadata>> {
    const claims = claimsOf(tokens.accessToken);
    const user = { role: claims["role"], ...(tokens.user ?? { id: claims["sub"] }) };
    await this.#session.adopt(tokens, user);
    return user as User<Metadata>;
  }

  #post<T = void>(path: string, json: unknown, options?: Partial<Call>): Promise<T> {
    // A limit on attempts is for the user to see, not for waiting.
    const call = { method: "POST", path: `/auth/${path}`, json, anonymous: true, once: !options?.repeatable };
    return this.#transport.json<T>({ ...call, ...options });
  }

  #call<T = void>(method: string, path: string, options?: Partial<Call>): Promise<T> {
    return this.#transport.json<T>({ repeatable: method === "DELETE", ...options, method, path: `/auth/${path}` });
  }
}
