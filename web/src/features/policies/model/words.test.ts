import { describe, expect, test } from "vitest";
import { stepView } from "./steps";
import { emptyTrial, expectationOf, formOfTest, testOf, TrialProblem, trialRequest } from "./trial";
import { ruleWords, shortWords, type Part } from "./words";

const plain = (parts: Part[][]) => parts.map((one) => one.map((part) => (typeof part === "string" ? part : part.code)).join("")).join(" ");

describe("rules in words", () => {
  test.each([
    ["read", { filter: { teamId: { $in: "$auth.sets.teams" } } }, "A signed-in user may read a document if teamId is one of the caller's teams."],
    [
      "update",
      { filter: { ownerId: "$auth.uid" }, validate: "auth.role == 'author' && document.n > 1", immutableFields: ["kind"] },
      "A signed-in user with the role author may change a document if ownerId is the caller's id. It must also hold that document.n > 1. These never change: kind.",
    ],
    ["list", { filter: { $or: [{ published: true }, { ownerId: "$auth.uid" }] } }, "A signed-in user may list documents if published is true or ownerId is the caller's id."],
    ["public.read", {}, "Anyone, also without signing in, may read a document."],
    ["delete", undefined, "Nobody may delete a document."],
    ["create", { allowedWriteFields: [] }, "A signed-in user may create a document. They may write no field."],
    ["read", { filter: { a: { $regex: "x" } } }, 'A signed-in user may read a document if this matches: {"a": {"$regex": "x"}}.'],
  ] as const)("%s %j", (name, rule, words) => expect(plain(ruleWords(rule as never, name, false))).toBe(words));

  test("in short", () => {
    expect([
      shortWords(undefined, "read"),
      shortWords(undefined, "admin"),
      shortWords({}, "read"),
      shortWords({}, "public.read"),
      shortWords({ filter: { ownerId: "$auth.uid" } }, "read"),
      shortWords({ filter: { t: { $in: "$auth.sets.teams" } } }, "read"),
      shortWords({ filter: { a: 1 } }, "read"),
      shortWords({ validate: "true" }, "create"),
    ]).toEqual(["nobody", "as the other rules", "signed-in users", "everyone", "the owner", "members: teams", "signed-in users, under conditions", "signed-in users, under conditions"]);
  });
});

describe("steps in words", () => {
  test("of a document", () => {
    const view = stepView({
      step: "document",
      passed: false,
      found: true,
      conditions: [
        { path: "ownerId", condition: "ann", value: "ben", passed: false },
        { path: "n", condition: { $gt: 1 }, value: 2, passed: true },
      ],
    });
    expect(view).toMatchObject({ title: "Document", passed: false });
    expect(plain(view.lines)).toBe("ownerId is ben, but must match ann n is as it must be: 2");
  });
  test("that this page does not know are shown by their name", () => {
    expect(stepView({ step: "moon", passed: true })).toEqual({ title: "moon", passed: true, lines: [] });
  });
});

describe("requests that are tried", () => {
  const form = { ...emptyTrial, uid: " ada ", id: "n1" };

  test("hold what their operation takes", () => {
    expect(trialRequest(form, "notes")).toEqual({ collection: "notes", caller: { role: "user", uid: "ada" }, operation: "read", id: "n1" });
    expect(trialRequest({ ...form, operation: "create", body: '{"a": 1}' }, "notes", {})).toEqual({
      collection: "notes",
      caller: { role: "user", uid: "ada" },
      operation: "create",
      body: { a: 1 },
      policy: {},
    });
    expect(trialRequest({ ...form, caller: "anonymous", operation: "list", about: "any", filter: '{"a": 1}' }, "notes")).toEqual({
      collection: "notes",
      caller: { anonymous: true },
      operation: "list",
      filter: { a: 1 },
    });
    expect(trialRequest({ ...form, operation: "read", about: "any" }, "notes")).toMatchObject({ id: "n1" });
  });
  test("name the text that is no JSON", () => {
    expect(() => trialRequest({ ...form, operation: "update", body: "{" }, "notes")).toThrow(TrialProblem);
    try {
      trialRequest({ ...form, claims: "[1]" }, "notes");
      expect.unreachable();
    } catch (error) {
      expect((error as TrialProblem).field).toBe("claims");
    }
  });
  test("become tests and come back", () => {
    const test = testOf({ ...form, name: " mine ", expect: "hidden", about: "typed", document: '{"id": "n1"}', given: '{"notes": []}' });
    expect(test).toEqual({
      name: "mine",
      caller: { role: "user", uid: "ada" },
      operation: "read",
      document: { id: "n1" },
      given: { notes: [] },
      expect: "hidden",
    });
    expect(testOf(formOfTest(test as never))).toEqual(test);
  });
  test("have the outcome of a test", () => {
    expect([expectationOf({ allowed: true, status: 200 }), expectationOf({ allowed: false, status: 200 }), expectationOf({ allowed: false, status: 404 }), expectationOf({ allowed: false, status: 403 })]).toEqual(["allowed", "hidden", "hidden", "denied"]);
  });
});
