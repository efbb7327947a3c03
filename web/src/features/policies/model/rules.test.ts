import { ManybaseError } from "manybase";
import { describe, expect, test } from "vitest";
import { JsonProblem, parseJson } from "../../../lib/json-source";
import { parseObject, printRule, sameJson } from "./json";
import { problemsOf } from "./problems";
import { splitRoles, withRoles } from "./roles";
import { changedRules, isRuleName, ruleOf, withKey, withRule } from "./rules";
import { formOfWhere, whereOf } from "./sets";
import { policyOf } from "./templates";

describe("rules of a policy", () => {
  const policy = { read: {}, update: { filter: { a: 1 } }, public: { list: {} } };

  test("are found by name", () => {
    expect(ruleOf(policy, "update")).toEqual({ filter: { a: 1 } });
    expect([ruleOf(policy, "public.list"), ruleOf(policy, "public.read"), ruleOf({ read: 5 }, "read")]).toEqual([{}, undefined, undefined]);
    expect(["admin", "public.create", "public.delete", "__proto__"].map(isRuleName)).toEqual([true, true, false, false]);
  });

  test("take their places", () => {
    expect(Object.keys(withRule(policy, "list", {}))).toEqual(["read", "list", "update", "public"]);
    expect(Object.keys(withRule(policy, "update", undefined))).toEqual(["read", "public"]);
    expect(withRule(policy, "public.list", undefined)).toEqual({ read: {}, update: { filter: { a: 1 } } });
    expect(withRule({}, "public.read", {})).toEqual({ public: { read: {} } });
    expect(Object.keys(withKey({ validate: "true", immutableFields: [] }, "filter", {}))).toEqual(["filter", "validate", "immutableFields"]);
  });

  test("that differ", () => {
    expect(changedRules(policy, { ...policy, read: { filter: {} }, public: { list: {}, read: {} } })).toEqual(["read", "public.read"]);
  });
});

describe("JSON", () => {
  test("keeps long integers and breaks long lines", () => {
    expect(printRule({ n: 9223372036854775807n, list: [1, "a"] })).toBe('{"n": 9223372036854775807, "list": [1, "a"]}');
    expect(printRule({ a: "x".repeat(80), b: [] })).toBe(`{\n  "a": "${"x".repeat(80)}",\n  "b": []\n}`);
    expect(sameJson({ a: 1 }, { a: 1 })).toBe(true);
    expect(sameJson({ a: 1 }, undefined)).toBe(false);
  });
  test("that is none has a place", () => {
    expect(() => parseObject("[]", "not an object")).toThrow("not an object");
    try {
      parseJson("{\n  x}");
      expect.unreachable();
    } catch (error) {
      expect(error).toBeInstanceOf(JsonProblem);
    }
  });
});

describe("roles of an expression", () => {
  test.each([
    ["auth.role == 'a'", ["a"], ""],
    ["auth.role in ['a', 'b'] && document.n > 1", ["a", "b"], "document.n > 1"],
    ["auth.role == 'a' && (x || y)", ["a"], "(x || y)"],
    ["auth.role == 'a' && x || y", [], "auth.role == 'a' && x || y"],
    ["auth.role == 'a' && has(document.x) ? y : z", [], "auth.role == 'a' && has(document.x) ? y : z"],
    ["auth.role == 'a' && document.t == '||?'", ["a"], "document.t == '||?'"],
    ["document.n > 1", [], "document.n > 1"],
    ["", [], ""],
  ])("%s", (expression, roles, rest) => expect(splitRoles(expression)).toEqual({ roles, rest }));

  test("are put before the rest", () => {
    expect(withRoles("", ["a"])).toBe("auth.role == 'a'");
    expect(withRoles("x || y", ["a", "b"])).toBe("auth.role in ['a', 'b'] && (x || y)");
    expect(withRoles("auth.role == 'a' && x", ["b"])).toBe("auth.role == 'b' && x");
    expect(withRoles("auth.role == 'a' && x", [])).toBe("x");
  });
});

describe("problems that the server names", () => {
  const error = (path: string, message: string) => new ManybaseError(400, "VALIDATION", "no", { details: [{ path, message }] });

  test("are those of a rule, with the place in an expression", () => {
    expect(problemsOf(error("/policy/update/validate", "line 2, column 3: undeclared reference"), "/policy")).toEqual({
      rules: { update: [{ key: "validate", path: "", message: "undeclared reference", line: 2, column: 3 }] },
      all: true,
    });
    expect(problemsOf(error("/public/read/filter/a~1b/$in", "must be a list")).rules).toEqual({
      "public.read": [{ key: "filter", path: "a/b.$in", message: "must be a list" }],
    });
  });
  test("elsewhere are not", () => {
    expect(problemsOf(error("/fly", "must be read"))).toEqual({ rules: {}, all: false });
    expect(problemsOf(error("/read", "x"), "/policy")).toEqual({ rules: {}, all: false });
    expect(problemsOf(new Error("x"))).toEqual({ rules: {}, all: false });
  });
});

test("a set's conditions as a form", () => {
  const where = { userId: "$auth.uid", role: { $in: ["owner", "editor"] }, active: true };
  const form = formOfWhere(where)!;
  expect(form.userField).toBe("userId");
  expect(whereOf(form)).toEqual(where);
  expect(formOfWhere({ role: "owner" })).toBeUndefined();
  expect(formOfWhere({ userId: "$auth.uid", n: { $gt: 1 } })).toBeUndefined();
});

test("the policy of a team names its sets", () => {
  const team = { field: "teamId", readers: "teams", writers: "editedTeams" };
  const policy = policyOf("team", { published: "", team });
  expect(policy["read"]).toEqual({ filter: { teamId: { $in: "$auth.sets.teams" } } });
  expect(policy["update"]).toEqual({ filter: { teamId: { $in: "$auth.sets.editedTeams" } }, immutableFields: ["teamId"] });
  expect(policy["create"]).toEqual({ filter: { teamId: { $in: "$auth.sets.editedTeams" } } });
});
