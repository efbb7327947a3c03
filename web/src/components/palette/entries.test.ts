import { Circle } from "lucide-react";
import { expect, test } from "vitest";
import { entriesFor, rankOf, type Entry, type Group } from "./entries";

const entry = (group: Group, label: string, more: Partial<Entry> = {}): Entry => ({ key: label, group, label, icon: Circle, run() {}, ...more });
const labels = (found: [Group, Entry[]][]) => found.map(([group, list]) => [group, list.map(({ label }) => label)]);

test.each([
  ["us", { label: "Users" }, 0],
  ["key", { label: "API keys" }, 1],
  ["eys", { label: "API keys" }, 2],
  ["  New   k", { label: "New API key" }, 1],
  ["new key", { label: "New API key" }, 1],
  ["ada", { label: "a@example.com", detail: "Ada" }, 2],
  ["exa", { label: "a@example.com" }, 1],
  ["x", { label: "Users" }, undefined],
  ["zz", { label: "ada@example.com", found: true }, 2],
  ["ｕｓ", { label: "Users" }, 0],
] as const)("%j finds %o with rank %o", (text, one, rank) => expect(rankOf(text, one)).toBe(rank));

test("groups and entries that fit best come first", () => {
  const all = [entry("screen", "Functions"), entry("screen", "Refunds"), entry("action", "New function"), entry("function", "fun")];
  expect(labels(entriesFor("fun", all))).toEqual([
    ["screen", ["Functions", "Refunds"]],
    ["function", ["fun"]],
    ["action", ["New function"]],
  ]);
});

test("without a text the screens, actions and first projects are listed", () => {
  const projects = Array.from({ length: 9 }, (_, n) => entry("project", `p${n}`));
  const found = entriesFor(" ", [...projects, entry("collection", "books"), entry("screen", "Home")]);
  expect(labels(found)).toEqual([
    ["screen", ["Home"]],
    ["project", ["p0", "p1", "p2", "p3", "p4", "p5"]],
  ]);
});

test("of a group with many entries the best are listed", () => {
  const all = Array.from({ length: 9 }, (_, n) => entry("collection", `c${n}`));
  expect(labels(entriesFor("c8", all))).toEqual([["collection", ["c8"]]]);
  expect(entriesFor("c", all)[0]![1].length).toBe(6);
});
