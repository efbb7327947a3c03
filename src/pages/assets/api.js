// Calls of the authentication API of the plane that this page serves.
import { page } from "./page.js";

const patience = 30_000; // milliseconds

export class Failure extends Error {
  // code: the API's, or UNREACHABLE. details: [{path, message}]. retryAfter: seconds, or 0.
  constructor(code, { details = [], retryAfter = 0, requestId = "" } = {}) {
    super(code);
    this.code = code;
    this.details = details;
    this.retryAfter = retryAfter;
    this.requestId = requestId;
  }
}

// The parsed answer, null where it is empty. Throws a Failure.
export async function post(path, body, project = page.project) {
  const headers = { "content-type": "application/json" };
  if (page.plane !== "control" && project) headers["x-service-project"] = project;
  const base = page.root + (page.plane === "control" ? "/api/v1/control/auth" : "/api/v1/auth");
  let answer, text;
  try {
    answer = await fetch(base + path, {
      method: "POST",
      headers,
      body: JSON.stringify(body),
      credentials: "omit",
      cache: "no-store",
      signal: AbortSignal.timeout(patience),
    });
    text = await answer.text();
  } catch {
    throw new Failure("UNREACHABLE");
  }
  let parsed = null;
  try {
    if (text) parsed = JSON.parse(text);
  } catch {
    throw new Failure("UNREACHABLE");
  }
  if (answer.ok) return parsed;
  throw new Failure(parsed?.error?.code ?? "INTERNAL", {
    details: parsed?.error?.details,
    retryAfter: Number(answer.headers.get("retry-after")) || 0,
    requestId: answer.headers.get("x-request-id") ?? "",
  });
}
