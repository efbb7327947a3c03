// Events for running a function by hand, and for its tests: made of examples, documents and users.
import type { DatabaseEvent, Trigger } from "./triggers";

type Body = Record<string, unknown>;

/** What happened in a collection, with a document as it is now. */
export function documentEvent(collection: string, event: DatabaseEvent, document: Body): Body {
  return {
    type: "database",
    event,
    collection,
    documentId: document["id"],
    document: event === "delete" ? null : document,
    ...(event === "insert" ? {} : { previous: document }),
  };
}

export const userEvent = (user: Body): Body => ({ type: "auth", event: "userCreated", user });

const exampleUser = {
  id: "user_1",
  email: "ann@example.com",
  name: "Ann",
  emailVerified: false,
  metadata: {},
  status: "active",
};
const exampleFile = {
  bucket: "photos",
  path: "2026/holiday.jpg",
  size: 20480,
  contentType: "image/jpeg",
  ownerId: "user_1",
  metadata: {},
};

/** Parameters of a path with a value each, and the path with them. */
function exampleRequest(pattern: string) {
  const params: Record<string, string> = {};
  const segments = pattern.split("/").map((segment) => {
    if (!segment.startsWith(":")) return segment;
    params[segment.slice(1)] = "1";
    return "1";
  });
  return { path: segments.join("/"), params };
}

/** An event as the trigger would give it. */
export function exampleEvent(trigger: Trigger, event: DatabaseEvent, now: Date): Body {
  switch (trigger.type) {
    case "database":
      return documentEvent(trigger.collection, event, { id: "1", title: "An example" });
    case "auth":
      return userEvent(exampleUser);
    case "storage":
      return { type: "storage", event: "fileUploaded", file: exampleFile };
    case "cron":
      return { type: "cron", schedule: trigger.schedule, scheduledAt: now.toISOString() };
    case "http": {
      const withBody = trigger.method !== "GET" && trigger.method !== "DELETE";
      return {
        type: "http",
        method: trigger.method,
        ...exampleRequest(trigger.path),
        query: {},
        headers: {},
        ...(withBody ? { body: { hello: "world" } } : {}),
      };
    }
  }
}

/** What `invoke` sends for an event: the handler gets it as `event.payload`. */
export const payloadOf = (event: unknown): unknown => {
  const one = event as Body | null;
  return typeof one === "object" && one?.["type"] === "manual" ? one["payload"] : event;
};

export interface Request {
  path: string;
  query?: Record<string, unknown>;
  headers?: Record<string, string>;
  body?: unknown;
}

const isObject = (value: unknown): value is Body => typeof value === "object" && value !== null && !Array.isArray(value);

/** The request of an event of an http function; undefined for other events. */
export function requestOf(event: unknown): Request | undefined {
  if (!isObject(event) || event["type"] !== "http") return undefined;
  const { path, query, headers, body } = event;
  if (typeof path !== "string" || !path.startsWith("/")) return undefined;
  return {
    path,
    ...(isObject(query) ? { query } : {}),
    ...(isObject(headers) ? { headers: Object.fromEntries(Object.entries(headers).map(([k, v]) => [k, String(v)])) } : {}),
    ...(body === undefined ? {} : { body }),
  };
}
