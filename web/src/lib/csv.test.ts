import { expect, test } from "vitest";
import { printCsv } from "./csv";

test("values of all kinds", () => {
  expect(printCsv(["a", "b"], [[1, "x"], [true, null], [undefined, [1, "y"]], [-5, { a: 1 }]])).toBe(
    'a,b\r\n1,x\r\ntrue,\r\n,"[1,""y""]"\r\n-5,"{""a"":1}"\r\n',
  );
});

test("quotes, commas, breaks and spaces at the ends stay", () => {
  expect(printCsv(["say, what"], [['"no"'], ["two\nlines"], [" x"], [""]])).toBe('"say, what"\r\n"""no"""\r\n"two\nlines"\r\n" x"\r\n\r\n');
});

test.each(["=cmd()", "+1", "-1", "@a", "\tx"])("%j is not a formula", (text) => {
  expect(printCsv(["a"], [[text]])).toContain(`'${text}`);
});
