import { expect, test } from "vitest";
import { inviteToken } from "./invite";

test.each([
  [" http://localhost:8090/auth/login?plane=control&invite=inv_1.ab-C_d ", "inv_1.ab-C_d"],
  ["inv_1.abc", "inv_1.abc"],
  ["http://localhost:8090/auth/login?plane=control", undefined],
  ["http://localhost:8090/auth/login?invite=", undefined],
  ["no link at all", undefined],
  ["", undefined],
])("the token of %j is %s", (text, token) => expect(inviteToken(text)).toBe(token));
