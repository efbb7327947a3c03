// Calls the authentication API of the plane that this page belongs to.
import { page } from "./page.js";

const timeoutMs = 30_000;

export class Failure extends Error {
  // code: that of the API, or UNREACHABLE. details: [{path, message}]. retryAfter: seconds, or 0.
  constructor(code, { details = [], retryAfter = 0, requestId = "" } = {}) {
    super(code);
    this.code = code;
    this.details = details;
    this.retryAfter = retryAfter;
    this.requestId = requestId;
  }
}

// Posts `body`. Returns the parsed response, null if it is empty. Throws a Failure.
export async function post(path, body, project = page.project) {
  const headers = { "content-type": "application/json" };
  if (page.plane !== "control" && project) headers["x-service-project"] = project;
  const base = page.root + (page.plane === "control" ? "/api/v1/control/auth" : "/api/v1/auth");
  let response, text;
  try {
    response = await fetch(base + path, {
      method: "POST",
      headers,
      body: JSON.stringify(body),
      credentials: "omit",
      cache: "no-store",
      signal: AbortSignal.timeout(timeoutMs),
    });
    text = await response.text();
  } catch {
    throw new Failure("UNREACHABLE");
  }
  let parsed = null;
  try {
    if (text) parsed = JSON.parse(text);
  } catch {
    throw new Failure("UNREACHABLE");
  }
  if (response.ok) return parsed;
  throw new Failure(parsed?.error?.code ?? "INTERNAL", {
    details: parsed?.error?.details,
    retryAfter: Number(response.headers.get("retry-after")) || 0,
    requestId: response.headers.get("x-request-id") ?? "",
  });
}
