import { expect, test } from "vitest";
import { added, emptyLog, maxLines } from "./received";

const change = (documentId: string) => ({ at: 0, change: { type: "delete", collection: "books", documentId, position: "" } as const });

test("lines are numbered as they come, the newest first", () => {
  const log = added(added(emptyLog, [change("a"), { at: 1, note: "gap" }]), [change("b")]);
  expect(log.lines.map((line) => [line.number, "change" in line ? line.change.documentId : line.note])).toEqual([
    [3, "b"],
    [2, "gap"],
    [1, "a"],
  ]);
  expect(log.dropped).toBe(0);
});

test("the oldest are dropped and counted", () => {
  const many = Array.from({ length: maxLines - 1 }, (_, at) => change(String(at)));
  let log = added(emptyLog, many);
  log = added(log, [change("x"), change("y"), change("z")]);
  expect([log.lines.length, log.dropped, log.last]).toEqual([maxLines, 2, maxLines + 2]);
  expect(log.lines[0]).toMatchObject({ number: maxLines + 2 });
  expect(log.lines.at(-1)).toMatchObject({ number: 3 });
});
