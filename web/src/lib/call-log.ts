// The calls that this page made, for the list of activity: never bodies or tokens.
import { serverUrl } from "./server";

export interface LoggedCall {
  number: number;
  at: number;
  method: string;
  path: string;
  /** 0 where there was no response. */
  status: number;
  ms: number;
  requestId: string | undefined;
  /** Seconds, of a response that refuses for a time. */
  retryAfter: number | undefined;
}

const maxCalls = 200;
const listeners = new Set<() => void>();
let calls: readonly LoggedCall[] = [];
let count = 0;

export const callLog = {
  get: () => calls,
  subscribe(listener: () => void): () => void {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  },
  clear(): void {
    calls = [];
    for (const listener of listeners) listener();
  },
};

function add(call: Omit<LoggedCall, "number">): void {
  calls = [{ ...call, number: ++count }, ...calls].slice(0, maxCalls);
  for (const listener of listeners) listener();
}

/** fetch() that writes to the log. */
export const loggedFetch: typeof fetch = async (input, init) => {
  const at = Date.now();
  const started = performance.now();
  const url = new URL(String(input instanceof Request ? input.url : input));
  const call = { at, method: init?.method ?? "GET", path: decodeURI(url.href.slice(serverUrl.length)) };
  const ms = () => Math.round(performance.now() - started);
  try {
    const response = await fetch(input, init);
    const seconds = response.headers.get("retry-after");
    add({
      ...call,
      status: response.status,
      ms: ms(),
      requestId: response.headers.get("x-request-id") ?? undefined,
      retryAfter: seconds === null ? undefined : Number(seconds) || 0,
    });
    return response;
  } catch (error) {
    if (!init?.signal?.aborted) add({ ...call, status: 0, ms: ms(), requestId: undefined, retryAfter: undefined });
    throw error;
  }
};
