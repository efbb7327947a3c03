import { expect, test } from "vitest";
import { describeAgent, formatAge, formatUtc, formatWait, initialOf, providerLabel } from "./format";

const now = Date.parse("2026-01-10T12:00:00Z");

test.each([
  ["2026-01-10T11:59:30Z", "just now"],
  ["2026-01-10T11:57:00Z", "3 minutes ago"],
  ["2026-01-10T09:00:00Z", "3 hours ago"],
  ["2026-01-09T11:00:00Z", "yesterday"],
  ["2026-01-12T12:00:00Z", "in 2 days"],
])("age of %s", (iso, text) => expect(formatAge(iso, now)).toBe(text));

test("exact moments", () => expect(formatUtc("2026-01-10T13:00:07.123+01:00")).toBe("2026-01-10 12:00:07 UTC"));

test.each([
  [0.5, "a second"],
  [40, "40 seconds"],
  [100, "2 minutes"],
])("wait of %s", (seconds, text) => expect(formatWait(seconds)).toBe(text));

test.each([
  ["bookshop", "B"],
  ["  <b>", "B"],
  ["\u202Eevil", "E"],
  ["école", "É"],
  ["🌱", "?"],
  ["𝒜b", "𝒜"],
])("initial of %s", (name, letter) => expect(initialOf(name)).toBe(letter));

test("providers", () => {
  expect([providerLabel("google"), providerLabel("oidc-acme")]).toEqual(["Google", "acme"]);
});

test.each([
  ["Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0.0.0 Safari/537.36", "Chrome on Linux"],
  ["curl/8.5.0", "curl"],
  ["", "unknown client"],
])("client %s", (agent, text) => expect(describeAgent(agent)).toBe(text));
