// The calls behind the screens of integrations, and how a function makes one.
import { adminSetup, type Call } from "../../components/shell/show-call";
import { exactJson, printJson, type Fields } from "../../lib/json";
import { integrationMessages } from "../../messages/integrations";

const words = integrationMessages.calls;
const text = (value: unknown): string => exactJson.stringify(value)!;

const example = { name: "billing", provider: "http", config: { baseUrl: "https://api.example.com/v1" }, secrets: { authorization: "Bearer …" } };

export function listCalls(mayManage: boolean): Call[] {
  const reading: Call[] = [
    {
      title: words.list,
      method: "GET",
      path: "/admin/integrations",
      sdk: `${adminSetup()}\nconst { integrations } = await admin.listIntegrations();`,
    },
    {
      title: words.providers,
      method: "GET",
      path: "/admin/integrations/providers",
      sdk: "const { providers } = await admin.listProviders();",
    },
  ];
  if (!mayManage) return reading;
  return [
    ...reading,
    {
      title: words.create,
      method: "POST",
      path: "/admin/integrations",
      body: example,
      sdk: `const { integration } = await admin.createIntegration(${text(example)});`,
    },
  ];
}

/** The calls of one; `call` is what is tried at the moment. */
export function integrationCalls(name: string, mayManage: boolean, call: { op: string; args: Fields; mode: string }): Call[] {
  const path = `/admin/integrations/${encodeURIComponent(name)}`;
  const named = JSON.stringify(name);
  const reading: Call[] = [
    {
      title: words.read,
      method: "GET",
      path,
      sdk: `${adminSetup()}\nconst { integration } = await admin.getIntegration(${named});`,
    },
  ];
  if (!mayManage) return reading;
  return [
    ...reading,
    { title: words.attempt, method: "POST", path: `${path}/test`, body: call, sdk: `const { result } = await admin.tryIntegration(${named}, ${text(call)});` },
    { title: words.runTests, method: "POST", path: `${path}/tests/run`, sdk: `const report = await admin.runIntegrationTests(${named});` },
    {
      title: words.change,
      method: "PATCH",
      path,
      body: { enabled: false },
      sdk: `await admin.updateIntegration(${named}, { enabled: false });`,
    },
  ];
}

/** The code of a function that makes a call. */
export const functionCode = (name: string, op: string, args: Fields): string =>
  `export default async (event, ctx) => {
  const result = await ctx.integrations.call(${JSON.stringify(name)}, ${JSON.stringify(op)}, ${printJson(args).replaceAll("\n", "\n  ")});
  return result;
};`;
