// What the screens of webhooks read.
import { queryOptions } from "@tanstack/react-query";
import { adminOf, queryClient } from "../../app/queries";

export const webhooksOf = (projectId: string) =>
  queryOptions({
    queryKey: [projectId, "webhooks"],
    queryFn: async ({ signal }) => (await adminOf(projectId).listWebhooks({ signal })).webhooks,
  });

export const webhookOf = (projectId: string, name: string) =>
  queryOptions({
    queryKey: [projectId, "webhooks", name],
    queryFn: async ({ signal }) => (await adminOf(projectId).getWebhook(name, { signal })).webhook,
  });

/** Deliveries arrive without an action of this page. */
const followMs = 5_000;

export const deliveriesOf = (projectId: string, name: string) =>
  queryOptions({
    queryKey: [projectId, "webhooks", name, "deliveries"],
    queryFn: async ({ signal }) => (await adminOf(projectId).listDeliveries(name, { limit: 50 }, { signal })).deliveries,
    refetchInterval: followMs,
  });

export const webhooksChanged = (projectId: string): Promise<void> =>
  queryClient.invalidateQueries({ queryKey: [projectId, "webhooks"] });
