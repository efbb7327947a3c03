import type { CallOptions, Transport } from "./http.js";

/** Options of a method of the planes; `H` are the headers that its operation takes. */
export interface OperationOptions<H = {}> extends CallOptions {
  /** Headers that the operation takes, by their names. */
  headers?: H;
  /** Called with the response, for its headers. */
  onResponse?: (response: Response) => void;
}

const verbs: Record<string, string> = { G: "GET", P: "POST", U: "PUT", A: "PATCH", D: "DELETE" };

/**
 * Makes the methods of a plane from its table. `watch` gets each result before the caller; `publicHeaders` are sent with the
 * operations that need no token.
 */
export function methods<M>(
  transport: Transport,
  prefix: string,
  table: string,
  watch?: (result: any) => Promise<void>,
  publicHeaders?: Record<string, string>,
): M {
  const made: Record<string, (...given: any[]) => Promise<unknown>> = {};
  for (const line of table.trim().split("\n")) {
    const [name, how, path, accept] = line.split(" ") as [string, string, string, string?];
    const method = verbs[how[0]!]!;
    made[name] = async (...given) => {
      const address = prefix + path.replace(/\*/g, () => encodeURIComponent(given.shift()));
      const json = how.includes("b") ? given.shift() : undefined;
      const query = how.includes("q") ? given.shift() : undefined;
      const { onResponse, headers, ...options } = (given.shift() ?? {}) as OperationOptions;
      const text = how.includes("t");
      const { response, data } = await transport.exchange({
        ...options,
        method,
        path: address,
        json,
        query,
        headers: { ...(how.includes("p") && publicHeaders), ...(accept && { accept }), ...headers },
        anonymous: how.includes("p"),
        repeatable: method === "PUT" || method === "DELETE",
        unread: text,
      });
      await watch?.(data);
      onResponse?.(response);
      return text ? response.text() : data;
    };
  }
  return made as M;
}
