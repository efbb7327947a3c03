import { expect, test } from "vitest";
import { partedWarnings } from "./warnings";

test("what was not copied is told apart from what its database lacks", () => {
  const variable = { code: "not-copied", message: "the variable STOCK_URL has no value" };
  const plain = { code: "plain-connection", message: "the connection to the database is not encrypted" };
  expect(partedWarnings([plain, variable])).toEqual([[variable], [plain]]);
  expect(partedWarnings([])).toEqual([[], []]);
});
