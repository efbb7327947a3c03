// GraphQL operations. Loaded by the first of them.
import { ManybaseError } from "./errors.js";
import type { CallOptions, Transport } from "./http.js";

/** What a GraphQL operation gave. */
export interface GraphqlResult<R> {
  /** The fields that the operation requests. */
  data: R;
  /** Errors of parts of the result. */
  errors?: readonly { message: string; path?: readonly (string | number)[]; extensions?: { code?: string } }[];
}

/** Options of a GraphQL operation. */
export interface GraphqlOptions extends CallOptions {
  /** Which of several operations of the text runs. */
  operationName?: string;
}

/** Runs an operation; throws where it has no data. */
export async function graphql<R>(
  transport: Transport,
  query: string,
  variables: Record<string, unknown> | undefined,
  options: GraphqlOptions,
): Promise<GraphqlResult<R>> {
  const { operationName, ...call } = options;
  const result = await transport.json<GraphqlResult<R>>({
    ...call,
    method: "POST",
    path: "/graphql",
    json: { query, variables, operationName },
    repeatable: /^[\s,]*(query\b|\{)/.test(query) && !/\bmutation\b/.test(query),
  });
  if (result?.data) return result;
  const first = result?.errors?.[0];
  const code = first?.extensions?.code ?? "INVALID_RESPONSE";
  throw new ManybaseError(200, code, first?.message ?? "no data", { cause: result?.errors });
}
