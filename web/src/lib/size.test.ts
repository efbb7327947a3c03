import { expect, test } from "vitest";
import { exactSize, parseSize, roundSize } from "./size";

test.each([
  [0, "0 bytes"],
  [1, "1 byte"],
  [1025, "1025 bytes"],
  [52_428_800, "50 MiB"],
  [1536 * 1024 ** 2, "1536 MiB"],
  [10 * 1024 ** 3, "10 GiB"],
])("%s is exactly %s, and read back", (bytes, text) => {
  expect(exactSize(bytes)).toBe(text);
  expect(parseSize(text)).toBe(bytes);
});

test.each([
  ["1000", 1000],
  [" 1.5 gib ", 1_610_612_736],
  ["2KiB", 2048],
  ["7 B", 7],
  ["1 byte", 1],
  ["", undefined],
  ["-1", undefined],
  ["0.3 KiB", undefined],
  ["5 parsecs", undefined],
  ["1e9", undefined],
  ["99999999999 TiB", undefined],
])("%s is %s bytes", (text, bytes) => expect(parseSize(text)).toBe(bytes));

test.each([
  [0, "0 bytes"],
  [1500, "1.5 KiB"],
  [53_687_091_200, "50 GiB"],
  [1024 ** 5 * 3, "3,072 TiB"],
])("%s is about %s", (bytes, text) => expect(roundSize(bytes)).toBe(text));
