// The calls behind the screens of webhooks.
import type { Call } from "../../components/shell/show-call";
import { serverUrl } from "../../lib/server";
import { webhookMessages } from "../../messages/webhooks";

const words = webhookMessages.calls;
const client = `import { createAdmin } from "manybase/admin";\n\nconst admin = createAdmin({ url: ${JSON.stringify(serverUrl)}, token: process.env.MANYBASE_KEY });\n`;

export const listCalls = (): Call[] => [
  {
    title: words.list,
    method: "GET",
    path: "/admin/webhooks",
    sdk: `${client}const { webhooks } = await admin.listWebhooks();`,
  },
];

export function webhookCalls(name: string, mayManage: boolean): Call[] {
  const path = `/admin/webhooks/${encodeURIComponent(name)}`;
  const named = JSON.stringify(name);
  const reading: Call[] = [
    {
      title: webhookMessages.title,
      method: "GET",
      path,
      sdk: `${client}const { webhook } = await admin.getWebhook(${named});`,
    },
    {
      title: words.deliveries,
      method: "GET",
      path: `${path}/deliveries?limit=50`,
      sdk: `const { deliveries } = await admin.listDeliveries(${named}, { limit: 50 });`,
    },
  ];
  if (!mayManage) return reading;
  return [
    ...reading,
    {
      title: words.test,
      method: "POST",
      path: `${path}/test`,
      sdk: `const { delivery } = await admin.testWebhook(${named});`,
    },
    {
      title: words.redeliver,
      method: "POST",
      path: `${path}/deliveries/dlv_id/redeliver`,
      sdk: `await admin.redeliver(${named}, deliveries[0].id);`,
    },
  ];
}
