import { expect, test } from "vitest";
import { fileName, readDocument } from "./document";

test("a document", () => expect(readDocument('{"formatVersion": 1}')).toEqual({ document: { formatVersion: 1 } }));

test.each([
  ['{\n  "a": 1,\n  b\n}', 3],
  ['{\n  "a": [\n', 3],
  ["", 1],
])("the line of a mistake in %j is %i", (text, line) => {
  const read = readDocument(text);
  expect("mistake" in read && read.mistake.line).toBe(line);
});

test.each(["[]", "null", "7", '"text"'])("%s is not a document", (text) => {
  expect(readDocument(text)).toEqual({ mistake: { line: 1, message: "A configuration is an object: { … }" } });
});

test("the name of a file", () => {
  expect(fileName("shop", new Date("2026-01-31T23:00:00Z"))).toBe("shop-configuration-2026-01-31.json");
});
