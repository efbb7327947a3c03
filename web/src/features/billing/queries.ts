import { queryOptions } from "@tanstack/react-query";
import type { Billing } from "manybase/control";
import { billingMessages as words } from "../../messages/billing";
import { control } from "../../session";

/** How often the plan is read again after a payment, and how long the provider's report is waited for. */
const pollMs = 2_000;
const maxPolls = 30;

/** The plan of the person, and what their projects use. After a payment it is read until that plan is in force. */
export const billingOf = (paid: boolean) =>
  queryOptions({
    queryKey: ["billing"],
    queryFn: ({ signal }) => control.getBilling({ signal }),
    refetchInterval: ({ state }) =>
      paid && state.data?.source !== "subscription" && state.dataUpdateCount < maxPolls ? pollMs : false,
  });

/** Leaves for a page of the payment provider. */
export async function openPage(page: Promise<{ url: string }>): Promise<void> {
  const { url } = await page;
  if (!/^https?:$/.test(new URL(url).protocol)) throw new Error(words.badPage);
  location.assign(url);
}

const counts = ["active", "trialing"];

/** Whether the subscription at the payment provider counts: only without one a checkout is open. */
export const isSubscribed = ({ subscription }: Billing): boolean => counts.includes(subscription?.status ?? "");
