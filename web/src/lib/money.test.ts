import { expect, test } from "vitest";
import { amountText, formatMoney, parseAmount, roundMoney } from "./money";

test("amounts are shown to a millionth", () => {
  expect(formatMoney(25, "USD")).toBe("$25.00");
  expect(formatMoney(1234.5, "EUR")).toBe("€1,234.50");
  expect(formatMoney(0.000123, "USD")).toBe("$0.000123");
  expect(formatMoney(roundMoney(0.1 + 0.2), "USD")).toBe("$0.30");
  expect(roundMoney(1e-7)).toBe(0);
});

test("what is an amount", () => {
  expect(["0", " 12.5 ", "1,000,000", "0.000001"].map(parseAmount)).toEqual([0, 12.5, 1_000_000, 0.000001]);
  expect(["", "-1", "1e3", "1.", "ten", "1 000"].map(parseAmount)).toEqual(Array(6).fill(undefined));
});

test("what is written is read as the same", () => {
  for (const amount of [0, 25, 0.1, 1e-7, 123_456_789.123456, 1e9]) expect(parseAmount(amountText(amount))).toBe(amount);
});
