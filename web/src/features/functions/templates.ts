// Functions to start with. Each runs as it is, on its trigger and by hand.
import type { NewFunction } from "manybase/admin";

export type TemplateKey = "insert" | "update" | "delete" | "check" | "get" | "post" | "cron" | "signUp" | "upload";
/** What a template needs to know. */
export type TemplateField = "collection" | "path" | "schedule";

interface Template {
  key: TemplateKey;
  field?: TemplateField;
  make(value: string): Pick<NewFunction, "trigger" | "timing" | "code">;
}

const module = (head: string, ...lines: string[]): string =>
  `${head}export default async function handler(event, ctx) {\n${lines.map((line) => `  ${line}\n`).join("")}}\n`;

const byHand = "// A run by hand has its event in event.payload.\n";
const stored = (collection: string, ...events: string[]) => ({ type: "database", collection, events });

export const templates: readonly Template[] = [
  {
    key: "insert",
    field: "collection",
    make: (collection) => ({
      trigger: stored(collection, "insert"),
      code: module(
        byHand,
        "const { document } = event.payload ?? event;",
        'console.info("created", document.id);',
      ),
    }),
  },
  {
    key: "update",
    field: "collection",
    make: (collection) => ({
      trigger: stored(collection, "update"),
      code: module(
        byHand,
        "const { document, previous } = event.payload ?? event;",
        "if (document.status === previous.status) return;",
        'console.info("status", previous.status, "→", document.status);',
      ),
    }),
  },
  {
    key: "delete",
    field: "collection",
    make: (collection) => ({
      trigger: stored(collection, "delete"),
      code: module(
        byHand,
        "const { documentId, previous } = event.payload ?? event;",
        "// Remove what belongs to it, such as:",
        '// await ctx.db.deleteMany("comments", { post: documentId });',
        'console.info("deleted", documentId, previous);',
      ),
    }),
  },
  {
    key: "check",
    field: "collection",
    make: (collection) => ({
      trigger: stored(collection, "insert", "update"),
      timing: "pre",
      code: module(
        byHand,
        "const { document } = event.payload ?? event;",
        'if (document.title === "") return { abort: true, reason: "title must not be empty" };',
        "// return { document: { ...document, title: document.title.trim() } }; writes this one instead.",
      ),
    }),
  },
  {
    key: "get",
    field: "path",
    make: (path) => ({
      trigger: { type: "http", method: "GET", path },
      code: module(
        "",
        'const name = ctx.request?.query.name ?? "world";',
        "return { status: 200, body: { message: `Hello, ${name}` } };",
      ),
    }),
  },
  {
    key: "post",
    field: "path",
    make: (path) => ({
      trigger: { type: "http", method: "POST", path },
      code: module(
        "",
        "const body = ctx.request?.body ?? null;",
        'console.info("received", body);',
        "return { status: 202, body: { received: body !== null } };",
      ),
    }),
  },
  {
    key: "cron",
    field: "schedule",
    make: (schedule) => ({
      trigger: { type: "cron", schedule },
      code: module(byHand, "const { scheduledAt } = event.payload ?? event;", 'console.info("scheduled at", scheduledAt);'),
    }),
  },
  {
    key: "signUp",
    make: () => ({
      trigger: { type: "auth", event: "userCreated" },
      code: module(byHand, "const { user } = event.payload ?? event;", 'console.info("welcome", user.id);'),
    }),
  },
  {
    key: "upload",
    make: () => ({
      trigger: { type: "storage", event: "fileUploaded" },
      code: module(byHand, "const { file } = event.payload ?? event;", 'console.info("uploaded", file.bucket, file.path, file.size);'),
    }),
  },
];

const responses: Partial<Record<TemplateKey, Record<string, unknown>>> = {
  get: { status: 200, body: { message: "Hello, world" } },
  post: { status: 202, body: { received: true } },
};

/** A flow with the trigger of a template; undefined where it would run within the write, which flows do not. */
export function flowFor(template: Template, value: string): Pick<NewFunction, "trigger" | "flow"> | undefined {
  const { trigger, timing } = template.make(value);
  if (timing === "pre") return undefined;
  const response = responses[template.key];
  const last = response
    ? { id: "respond", type: "respond", data: response }
    : { id: "log", type: "log", data: { message: "{{ event }}" } };
  return {
    trigger,
    flow: { nodes: [{ id: "start", type: "trigger", data: {} }, last], edges: [{ id: "first", source: "start", target: last.id }] },
  };
}
