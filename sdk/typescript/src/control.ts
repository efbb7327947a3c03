import type { TokenFunction } from "./admin.js";
import type { ControlEvent, ControlSession, ControlSignIn } from "./control_session.js";
import { isError, loaded } from "./errors.js";
import { table, type ControlMethods } from "./generated/control.js";
import { Transport, type TransportOptions } from "./http.js";
import { isFresh, keep } from "./kept.js";
import { methods } from "./operations.js";
import { notify } from "./realtime.js";

export type * from "./generated/schemas.js";
export type { ControlEvent, ControlSecondFactor, ControlSignIn } from "./control_session.js";
export type { ControlMethods } from "./generated/control.js";
export type { OperationOptions } from "./operations.js";
export type { TokenFunction } from "./admin.js";

/** Options of `createControl`. */
export interface ControlOptions extends TransportOptions {
  /** Who calls: a control token, or a function that gives one. Without it the methods `platformLogin` and so on sign in. */
  token?: string | TokenFunction;
  /**
   * Where a sign-in keeps its refresh token: `memory` by default, so that it ends with the page. `cookie`, for pages of the
   * server's own origin: in a cookie that no script can read, for all tabs of the browser. The access token is in memory.
   */
  session?: "memory" | "cookie";
  /** The session began or has ended; `elsewhere` is true where another tab began or ended it. */
  onSession?: (event: ControlEvent, elsewhere: boolean) => void;
}

/** The client of the control plane. */
export interface Control extends ControlMethods {
  /** True where there is a session: at the start of a page that of the cookie is taken up. */
  restore(): Promise<boolean>;
  /** A token of a project for `createAdmin`, exchanged when it is needed and renewed by itself. */
  projectTokens(projectId: string): TokenFunction;
  /** The address to open for a sign-in with a provider. It returns to `redirect`; call `completeOauth` there. */
  oauthUrl(provider: string, options: { redirect: string }): string;
  /** The address of the server's own sign-in page. It returns to `redirect`; call `completeOauth` there. */
  loginUrl(options: { redirect: string }): string;
  /**
   * Completes a sign-in that `oauthUrl` or `loginUrl` began, from the page's address, and removes the token from it. Null
   * where the address holds no result. A result that this tab did not request is refused: `unsolicited: true` accepts it.
   */
  completeOauth(options?: { unsolicited?: boolean }): Promise<ControlSignIn | null>;
  /** Ends this session on the server, and with it in all tabs. */
  signOut(): Promise<void>;
  /** Lets go of the page's events and of other tabs' messages. The session goes on. */
  close(): void;
}

/** Under it the tab remembers that it began a sign-in with a provider. */
const startedKey = "manybase:control-oauth";

/** The control plane: projects, members, billing; a method for each operation; path parameters first, then body, query. */
export function createControl(options: ControlOptions): Control {
  const { token, onSession } = options;
  const transport = new Transport(options);
  // By it the server keeps the refresh token in a cookie.
  const headers = options.session === "cookie" ? { "x-service-session": "cookie" } : undefined;
  // Counts sign-ins and their ends: what was exchanged before is of another caller.
  let generation = 0;
  let loading: Promise<ControlSession> | undefined;
  const session = (): Promise<ControlSession> =>
    (loading ??= loaded(import("./control_session.js"))
      .then(
        (part) =>
          new part.ControlSession(transport, headers, (...event) => (++generation, notify(() => onSession?.(...event)))),
      )
      .catch((error) => {
        loading = undefined;
        throw error;
      }));
  if (token === undefined) {
    transport.tokens = {
      get: async () => (await session()).get(),
      renew: async (refused) => (await session()).renew(refused),
    };
    // Other tabs may sign out before the first call.
    if (headers) session().catch(() => {});
  } else {
    transport.tokens = {
      get: async () => (typeof token === "string" ? token : token()),
      renew: async (refused) => (typeof token === "string" ? undefined : token(refused)),
    };
  }
  const adopt = async (result: any): Promise<void> => {
    if (token === undefined && typeof result?.accessToken === "string") (await session()).adopt(result);
  };
  const control = methods<Control>(transport, "/control", table, adopt, headers);

  control.restore = async () => (await transport.tokens!.get()) !== undefined;
  control.projectTokens = (projectId) => {
    let one = keep("", 0);
    let of = -1;
    let making: Promise<string> | undefined;
    return (refused) => {
      if (of === generation && isFresh(one) && one.token !== refused) return one.token;
      if (of === generation && making) return making;
      const now = (of = generation);
      const exchanged = control.createProjectToken(projectId).then(({ token: made, expiresIn }) => {
        if (now === of) one = keep(made, expiresIn);
        return made;
      });
      const made = exchanged.finally(() => making === made && (making = undefined));
      return (making = made);
    };
  };
  const begin = (path: string, query: Record<string, string>): string => {
    try {
      sessionStorage.setItem(startedKey, "1");
    } catch {
      // Not in a page, or its storage is switched off: completeOauth then needs `unsolicited`.
    }
    return transport.address(path, query);
  };
  control.oauthUrl = (provider, { redirect }) =>
    begin(`/control/auth/oauth/${encodeURIComponent(provider)}/start`, { redirect });
  control.loginUrl = ({ redirect }) =>
    begin(transport.base.replace(/api\/v1$/, "auth/login"), { plane: "control", redirect });
  control.completeOauth = async ({ unsolicited } = {}) => (await session()).complete(startedKey, unsolicited);
  control.signOut = async () => {
    try {
      const { sessions } = await control.platformListSessions();
      const current = sessions.find((each) => each.current);
      if (current) await control.platformRevokeSession(current.id);
    } catch (error) {
      // The server had ended it.
      if (!isError(error) || error.status !== 401) throw error;
    }
    (await session()).end("logout");
  };
  control.close = () => void loading?.then((one) => one.close());
  return control;
}
