import type { Webhook, WebhookDelivery } from "manybase/admin";
import { expect, test } from "vitest";
import { adviceOf, changesOf, matching, type Settings } from "./model";

const webhook: Webhook = {
  name: "orders",
  collection: "orders",
  events: ["update", "insert"],
  url: "https://example.com/a:b",
  headers: { "x-team": "red: 1" },
  enabled: true,
  secret: { configured: true },
  fields: ["total"],
  createdAt: "2026-01-01T00:00:00.000Z",
  updatedAt: "2026-01-01T00:00:00.000Z",
};
const settings: Settings = {
  collection: "orders",
  events: ["insert", "update"],
  url: "https://example.com/a:b",
  fields: ["total"],
  headers: { "x-team": "red: 1" },
};

test("only what differs is sent", () => {
  expect(changesOf(webhook, settings)).toEqual({});
  expect(changesOf(webhook, { ...settings, events: ["delete"], url: "https://example.com/" })).toEqual({
    events: ["delete"],
    url: "https://example.com/",
  });
  expect(changesOf(webhook, { ...settings, fields: [], headers: {} })).toEqual({ fields: null, headers: null });
  const { fields: _, ...whole } = webhook;
  expect(changesOf(whole, { ...settings, fields: [] })).toEqual({});
});

test.each<[number | undefined, string | undefined, string | undefined]>([
  [undefined, "request failed", "unreachable"],
  [undefined, "request timed out", "slow"],
  [undefined, "the variable TEAM has no value", undefined],
  [302, "request failed", "redirect"],
  [401, "request failed", "refused"],
  [410, "request failed", "missing"],
  [503, "request failed", "broken"],
])("a failure with %s and %s: %s", (responseStatus, error, advice) => {
  const failed = { status: "failed", responseStatus, error } as WebhookDelivery;
  expect(adviceOf(failed)).toBe(advice);
  expect(adviceOf({ ...failed, status: "delivered" })).toBeUndefined();
});

test("a filter looks at name, collection and address", () => {
  expect(matching([webhook], " EXAMPLE.com ")).toEqual([webhook]);
  expect(matching([webhook], "billing")).toEqual([]);
});
