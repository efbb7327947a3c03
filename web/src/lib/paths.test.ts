import { expect, test } from "vitest";
import { ownPath } from "./paths";

test.each(["/", "/p/notes?x=1#y", "/a/b"])("%s is a path of this application", (path) => {
  expect(ownPath(path)).toBe(path);
});

test.each(["", "p", "//evil.example", "/\\evil.example", "https://evil.example", "javascript:alert(1)", "/a\nb", 7, null])(
  "%s is not",
  (path) => expect(ownPath(path)).toBeUndefined(),
);
