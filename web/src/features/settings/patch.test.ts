import type { Project } from "manybase/control";
import { expect, test } from "vitest";
import { linesOf, patchOf } from "./patch";

const project = {
  name: "Shop",
  icon: "🌱",
  color: "teal",
  maxFileSize: 1024,
  settings: { allowedOrigins: ["https://a.example"], hideRegistered: true, rotateRefreshTokens: false, tokenClaims: ["plan"] },
} as Project;
const unchanged = {
  name: "Shop",
  icon: "🌱",
  color: "teal",
  maxFileSize: "1 KiB",
  allowedOrigins: "https://a.example\n",
  tokenClaims: "plan",
  profileFields: "",
  hideRegistered: "on",
};

test("what is as it was is not sent", () => expect(patchOf(project, unchanged)).toEqual({}));

test("only what changed is sent", () => {
  expect(patchOf(project, { ...unchanged, icon: "  ", color: "" })).toEqual({ icon: null, color: null });
  expect(patchOf(project, { ...unchanged, name: "Store", maxFileSize: "1.5 MiB" })).toEqual({ name: "Store", maxFileSize: 1_572_864 });
  const { hideRegistered: _, ...off } = unchanged;
  expect(patchOf(project, { ...off, tokenClaims: "", profileFields: "name\nteam", requireTests: "on" })).toEqual({
    settings: { hideRegistered: false, tokenClaims: [], profileFields: ["name", "team"], requireTests: true },
  });
});

test("the order of a list has no meaning", () => {
  const sorted = { ...project, settings: { ...project.settings, profileFields: ["metadata.team", "name"] } };
  expect(patchOf(sorted, { ...unchanged, profileFields: "name\nmetadata.team" })).toEqual({});
});

test("lines", () => {
  expect(linesOf(" a \r\n\n b")).toEqual(["a", "b"]);
  expect(linesOf(undefined)).toEqual([]);
});
