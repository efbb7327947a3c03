/** One problem of a request, such as a field that is not valid. */
export interface ErrorDetail {
  /** Where it is, as a JSON pointer such as `/title`. */
  path: string;
  /** What is wrong, for people. */
  message: string;
}

/** Codes of the server's errors, and those that this package adds. */
export type ErrorCode =
  | "NETWORK"
  | "TIMEOUT"
  | "ABORTED"
  | "INVALID_RESPONSE"
  | "OAUTH_FAILED"
  | "NO_WEBSOCKET"
  | "NO_EXACT_NUMBERS"
  | "VALIDATION"
  | "INVALID_JSON"
  | "INVALID_PARAM"
  | "INVALID_FILTER"
  | "INVALID_BODY"
  | "INVALID_UPDATE"
  | "INVALID_CURSOR"
  | "INVALID_CREDENTIALS"
  | "UNAUTHENTICATED"
  | "FORBIDDEN"
  | "NOT_FOUND"
  | "CONFLICT"
  | "EMAIL_TAKEN"
  | "PRECONDITION_FAILED"
  | "PAYLOAD_TOO_LARGE"
  | "PLAN_LIMIT"
  | "RATE_LIMITED"
  | "UNAVAILABLE"
  | "FUNCTIONS_BUSY"
  | (string & {});

/** What every method of this package throws. `status` is 0 where no response of the server was received. */
export class ManybaseError extends Error {
  /** Always `ManybaseError`. */
  override readonly name = "ManybaseError";
  /** The single problems of the request, empty where there is one. */
  readonly details: readonly ErrorDetail[];
  /** The id under which the server logs the request. */
  readonly requestId: string | undefined;
  /** Seconds after which the server accepts the request again. */
  readonly retryAfter: number | undefined;

  constructor(
    /** Of the response; 0 where none was received. */
    readonly status: number,
    /** What is wrong, for programs. */
    readonly code: ErrorCode,
    message: string,
    more: { details?: readonly ErrorDetail[]; requestId?: string; retryAfter?: number; cause?: unknown } = {},
  ) {
    super(message, { cause: more.cause });
    this.details = more.details ?? [];
    this.requestId = more.requestId;
    this.retryAfter = more.retryAfter;
  }
}

/** True for an error of this package, and with a code only for errors of that code. */
export function isError<C extends ErrorCode>(error: unknown, code?: C): error is ManybaseError & { code: C } {
  return error instanceof ManybaseError && (code === undefined || error.code === code);
}

/** @internal A part of this package that is loaded on first use. */
export const loaded = <M>(part: Promise<M>): Promise<M> =>
  part.catch((cause) => {
    throw new ManybaseError(0, "NETWORK", "a part of this package cannot be loaded", { cause });
  });

/** What `safe` gives: `data`, or the `error`. */
export type Safe<T> = { data: T; error?: undefined } | { data?: undefined; error: ManybaseError };

/** Gives an error as a value instead of throwing it. Errors of other kinds are still thrown. */
export async function safe<T>(promise: PromiseLike<T>): Promise<Safe<T>> {
  try {
    return { data: await promise };
  } catch (error) {
    if (isError(error)) return { error };
    throw error;
  }
}
