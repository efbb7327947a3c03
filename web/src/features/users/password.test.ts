import { expect, test } from "vitest";
import { makePassword } from "./password";

test("passwords", () => {
  const made = new Set(Array.from({ length: 50 }, () => makePassword()));
  expect(made.size).toBe(50);
  for (const one of made) expect(one).toMatch(/^([a-km-np-zA-HJ-NP-Z2-9]{4}-){4}[a-km-np-zA-HJ-NP-Z2-9]{4}$/);
});

test("each letter is as frequent as another", () => {
  const counts = new Map<string, number>();
  for (let byte = 0; byte < 256; ++byte) {
    let calls = 0;
    // What is left of a byte that is not used is filled with the last letter.
    const made = makePassword((bytes) => bytes.fill(calls++ === 0 ? byte : 223));
    if (byte < 224) counts.set(made[0]!, (counts.get(made[0]!) ?? 0) + 1);
    else expect(made[0]).toBe("9");
  }
  expect([...counts.values()]).toEqual(Array(56).fill(4));
});
