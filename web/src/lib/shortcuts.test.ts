import { expect, test } from "vitest";
import { ShortcutReader, type KeyPress } from "./shortcuts";

const plain: KeyPress = { key: "", command: false, other: false, busy: false, at: 0 };

/** What a new reader finds in these keys, one after the other. */
function read(keys: Partial<KeyPress>[], letters = true) {
  const reader = new ShortcutReader();
  return keys.map((one) => reader.press({ ...plain, ...one }, letters));
}

test("a letter after g leads to a screen, for a short time and once", () => {
  const go = { kind: "go", letter: "d" };
  expect(read([{ key: "g" }, { key: "d", at: 500 }, { key: "d", at: 600 }])).toEqual([undefined, go, undefined]);
  expect(read([{ key: "g" }, { key: "D", at: 500 }])).toEqual([undefined, go]);
  expect(read([{ key: "g" }, { key: "d", at: 2_000 }])).toEqual([undefined, undefined]);
  expect(read([{ key: "g" }, { key: "g", at: 500 }])).toEqual([undefined, { kind: "go", letter: "g" }]);
  expect(read([{ key: "g" }, { key: "Shift", at: 100 }, { key: "d", at: 500 }])[2]).toBeUndefined();
});

test("single keys", () => {
  expect(read([{ key: "/" }, { key: "?" }, { key: "x" }])).toEqual([{ kind: "filter" }, { kind: "keys" }, undefined]);
});

test("single keys are not read while text is typed, with another key, or when they are switched off", () => {
  for (const key of ["/", "?"]) {
    expect(read([{ key, busy: true }, { key, other: true }, { key, command: true }])).toEqual([undefined, undefined, undefined]);
    expect(read([{ key }], false)).toEqual([undefined]);
  }
  expect(read([{ key: "g" }, { key: "d", busy: true }])).toEqual([undefined, undefined]);
  expect(read([{ key: "g", busy: true }, { key: "d" }])).toEqual([undefined, undefined]);
});

test("the palette opens always", () => {
  const palette = { kind: "palette" };
  expect(read([{ key: "k", command: true }, { key: "K", command: true, busy: true }], false)).toEqual([palette, palette]);
  expect(read([{ key: "k", command: true, other: true }, { key: "k" }])).toEqual([undefined, undefined]);
});
