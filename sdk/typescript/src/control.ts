import { isError } from "./errors.js";
import type { TokenFunction } from "./admin.js";
import { table, type ControlMethods } from "./generated/control.js";
import { Transport } from "./http.js";
import { methods } from "./operations.js";

export type * from "./generated/schemas.js";
export type { ControlMethods } from "./generated/control.js";
export type { OperationOptions } from "./operations.js";

export interface ControlOptions {
  url: string;
  /**
   * Who calls. A control token or a function that gives one; without it the methods `platformLogin` and so on sign in, and
   * their session is kept in memory.
   */
  token?: string | TokenFunction;
  /** The server has ended the session. */
  onSignedOut?: () => void;
  fetch?: typeof fetch;
  timeoutMs?: number;
  headers?: Record<string, string>;
}

export interface Control extends ControlMethods {
  /** A token of a project for `createAdmin`, exchanged and renewed when it is needed. */
  projectTokens(projectId: string): TokenFunction;
  /** Ends this session on the server. */
  signOut(): Promise<void>;
}

interface Kept {
  token: string;
  until: number;
}

const renewBefore = 0.2;
const kept = (token: string, seconds: number): Kept => ({
  token,
  until: Date.now() + seconds * 1000 * (1 - renewBefore),
});
const isFresh = (one: Kept | undefined): one is Kept => one !== undefined && Date.now() < one.until;

/** The control plane: projects, members, billing; a method for each operation; path parameters first, then body, query. */
export function createControl(options: ControlOptions): Control {
  const { token, onSignedOut } = options;
  const transport = new Transport(options);
  let access: Kept | undefined;
  let refreshToken: string | undefined;
  let refreshing: Promise<string | undefined> | undefined;

  const watch = (result: any): void => {
    if (token !== undefined || typeof result?.accessToken !== "string") return;
    access = kept(result.accessToken, result.expiresIn);
    refreshToken = result.refreshToken ?? refreshToken;
  };
  const refresh = (): Promise<string | undefined> => {
    if (!refreshToken) return Promise.resolve(undefined);
    const call = {
      method: "POST",
      path: "/control/auth/refresh",
      json: { refreshToken },
      anonymous: true,
      repeatable: true,
    };
    refreshing ??= transport
      .json(call)
      .then(
        (result) => (watch(result), access?.token),
        (error) => {
          if (!isError(error) || error.status !== 401) throw error;
          access = refreshToken = undefined;
          onSignedOut?.();
          return undefined;
        },
      )
      .finally(() => (refreshing = undefined));
    return refreshing;
  };
  transport.tokens =
    token === undefined
      ? { get: async () => (isFresh(access) ? access.token : refresh()), renew: refresh }
      : {
          get: async () => (typeof token === "string" ? token : token()),
          renew: async (refused) => (typeof token === "string" ? undefined : token(refused)),
        };
  const control = methods<Control>(transport, "/control", table, watch);

  control.projectTokens = (projectId) => {
    let one: Kept | undefined;
    return async (refused) => {
      if (isFresh(one) && one.token !== refused) return one.token;
      const made = await control.createProjectToken(projectId);
      one = kept(made.token, made.expiresIn);
      return made.token;
    };
  };
  control.signOut = async () => {
    const { sessions } = await control.platformListSessions();
    const current = sessions.find((each) => each.current);
    if (current) await control.platformRevokeSession(current.id);
    access = refreshToken = undefined;
  };
  return control;
}
