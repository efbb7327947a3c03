// Words that the editor of functions offers, by docs/functions.md.
import type { Suggestion } from "../../components/editor/types";

const names: readonly (readonly [string, string])[] = [
  ["event.type", "database, auth, storage, http, cron or manual"],
  ["event.event", "insert, update, replace, delete"],
  ["event.collection", "of a change"],
  ["event.documentId", "of a change"],
  ["event.document", "after the write"],
  ["event.previous", "before the write"],
  ["event.payload", "of a run by hand"],
  ["event.params", "of a path"],
  ["event.user", "of a sign-up"],
  ["event.file", "of an upload"],
  ["event.scheduledAt", "of a schedule"],
  ["ctx.db.find", "(collection, filter?, { limit, skip, sort }?)"],
  ["ctx.db.findOne", "(collection, filter?)"],
  ["ctx.db.count", "(collection, filter?)"],
  ["ctx.db.insertOne", "(collection, document)"],
  ["ctx.db.updateMany", "(collection, filter, update)"],
  ["ctx.db.deleteMany", "(collection, filter)"],
  ["ctx.lookup.get", "(collection, id), before a write"],
  ["ctx.lookup.findOne", "(collection, filter?), before a write"],
  ["ctx.storage.list", "(bucket, { prefix, limit }?)"],
  ["ctx.storage.read", "(bucket, path)"],
  ["ctx.storage.write", "(bucket, path, bytes)"],
  ["ctx.storage.delete", "(bucket, path)"],
  ["ctx.storage.sign", "(bucket, path, seconds)"],
  ["ctx.integrations.call", "(name, operation, arguments)"],
  ["ctx.variables", "plain variables by name"],
  ["ctx.auth", "the caller, or null"],
  ["ctx.request.query", "of a request"],
  ["ctx.request.headers", "of a request"],
  ["ctx.request.body", "of a request"],
  ["ctx.project", "its id"],
  ["console.info", "(…)"],
  ["console.warn", "(…)"],
  ["console.error", "(…)"],
];

/** The interfaces of handlers, and the project's collections. */
export const suggestionsOf = (collections: readonly string[]): Suggestion[] => [
  ...names.map(([label, detail]) => ({ label, detail })),
  ...collections.map((label) => ({ label, detail: "collection" })),
];
