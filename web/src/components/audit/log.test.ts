import type { AuditEntry } from "manybase/admin";
import { expect, test } from "vitest";
import { actorOf, auditOf, entriesOf } from "./log";

const entry = (id: string, actor: Partial<AuditEntry["actor"]> = {}) => ({ id, actor }) as AuditEntry;

test("entries of pages that overlap are each once", () => {
  const ids = entriesOf([[entry("3"), entry("2")], [entry("2"), entry("1")], null]).map(({ id }) => id);
  expect(ids).toEqual(["3", "2", "1"]);
});

test("a full page has another after it", () => {
  const { getNextPageParam } = auditOf({ key: [], list: () => Promise.reject(new Error()), path: "", sdk: "" }, {});
  const page = (n: number) => Array.from({ length: n }, (_, at) => entry(String(at)));
  const next = (last: AuditEntry[] | null, pages: (AuditEntry[] | null)[]) => getNextPageParam(last, pages, 0, []);
  expect(next(page(50), [page(50), page(50)])).toBe(100);
  expect(next(page(49), [page(49)])).toBeUndefined();
  expect(next(null, [null])).toBeUndefined();
});

test("who did it", () => {
  expect(actorOf(entry("1", { kind: "user", id: "user_1", email: "ada@example.com" }), "the server")).toBe("ada@example.com");
  expect(actorOf(entry("1", { kind: "key", id: "key_1" }), "the server")).toBe("key_1");
  expect(actorOf(entry("1", { kind: "", id: "" }), "the server")).toBe("the server");
});
