import { table, type AdminMethods } from "./generated/admin.js";
import { Transport, type TokenSource, type TransportOptions } from "./http.js";
import { methods } from "./operations.js";

export type * from "./generated/schemas.js";
export type { AdminMethods } from "./generated/admin.js";
export type { OperationOptions } from "./operations.js";

/** Gives a token; `refused` is one that the server does not accept any more. */
export type TokenFunction = (refused?: string) => string | Promise<string>;

/** Options of `createAdmin`. */
export interface AdminOptions extends TransportOptions {
  /** An API key of the scope `admin`, a project token, or a function that gives one, such as `control.projectTokens(id)`. */
  token: string | TokenFunction;
}

/** The administration of a project: a method for each operation under `/admin`; path parameters first, then body, query. */
export function createAdmin(options: AdminOptions): AdminMethods {
  const { token } = options;
  const transport = new Transport(options);
  const tokens: TokenSource = {
    get: async () => (typeof token === "string" ? token : token()),
    renew: async (refused) => (typeof token === "string" ? undefined : token(refused)),
  };
  transport.tokens = tokens;
  return methods<AdminMethods>(transport, "/admin", table);
}
