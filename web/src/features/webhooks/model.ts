// What a webhook's form holds, and what its log means.
import type { Webhook, WebhookDelivery, WebhookPatch } from "manybase/admin";

export const allEvents = ["insert", "update", "delete"] as const;
export type WebhookEvent = (typeof allEvents)[number];

/** The settings that a form holds. */
export interface Settings {
  collection: string;
  events: WebhookEvent[];
  url: string;
  fields: string[];
  headers: Record<string, string>;
}

/** What has to be sent so that `webhook` has these settings. */
export function changesOf(webhook: Webhook, wanted: Settings): WebhookPatch {
  const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);
  const patch: WebhookPatch = {};
  if (wanted.collection !== webhook.collection) patch.collection = wanted.collection;
  if (!same(allEvents.filter((one) => webhook.events.includes(one)), wanted.events)) patch.events = wanted.events;
  if (wanted.url !== webhook.url) patch.url = wanted.url;
  if (!same(webhook.fields ?? [], wanted.fields)) patch.fields = wanted.fields.length ? wanted.fields : null;
  if (!same(webhook.headers, wanted.headers)) patch.headers = Object.keys(wanted.headers).length ? wanted.headers : null;
  return patch;
}

export type Advice = "unreachable" | "slow" | "redirect" | "refused" | "missing" | "broken";

/** What helps against a failure, where its cause says so much. */
export function adviceOf({ status, responseStatus, error }: WebhookDelivery): Advice | undefined {
  if (status === "delivered") return undefined;
  if (responseStatus === undefined) {
    if (error === "request timed out") return "slow";
    return error === "request failed" ? "unreachable" : undefined;
  }
  if (responseStatus >= 500) return "broken";
  if (responseStatus === 404 || responseStatus === 410) return "missing";
  if (responseStatus >= 400) return "refused";
  return responseStatus >= 300 ? "redirect" : undefined;
}

export const matching = (list: readonly Webhook[], text: string): Webhook[] => {
  const wanted = text.trim().toLowerCase();
  return list.filter(({ name, collection, url }) => `${name}\n${collection}\n${url}`.toLowerCase().includes(wanted));
};
