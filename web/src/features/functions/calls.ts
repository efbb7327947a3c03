// The calls behind the screens of functions, to be copied.
import type { Function as ServerFunction } from "manybase/admin";
import type { Call } from "../../components/shell/show-call";
import { inlineJson } from "../../lib/json";
import { serverUrl } from "../../lib/server";
import { functionMessages } from "../../messages/functions";
import { exampleEvent, requestOf } from "./events";
import type { Flow } from "./flow/types";
import { triggerOf } from "./triggers";

const words = functionMessages.calls;
const begin = `import { createAdmin } from "manybase/admin";\n\nconst admin = createAdmin({ url: ${JSON.stringify(serverUrl)}, token: process.env.MANYBASE_KEY });\n`;

export const listCalls = (): Call[] => [
  { title: words.list, method: "GET", path: "/admin/functions", sdk: `${begin}const { functions } = await admin.listFunctions();` },
  { title: words.stats, method: "GET", path: "/admin/functions/stats", sdk: "const { functions } = await admin.functionStats();" },
];

/** What the screen of one function does. */
export function functionCalls(one: ServerFunction, slug: string): Call[] {
  const route = `/admin/functions/${one.name}`;
  const name = JSON.stringify(one.name);
  const trigger = triggerOf(one);
  const request = trigger.type === "http" ? requestOf(exampleEvent(trigger, "insert", new Date(0))) : undefined;
  const run: Call =
    trigger.type === "http" && request
      ? {
          title: words.request,
          method: trigger.method,
          path: `/run/${slug}${request.path}`,
          body: request.body,
          sdk: `import { createClient } from "manybase";\n\nconst mb = createClient({ url: ${JSON.stringify(serverUrl)}, project: ${JSON.stringify(slug)} });\nconst response = await mb.run(${JSON.stringify(trigger.method)}, ${JSON.stringify(request.path)}${request.body === undefined ? "" : `, { body: ${JSON.stringify(request.body)} }`});`,
        }
      : {
          title: words.invoke,
          method: "POST",
          path: `${route}/invoke`,
          body: { payload: {} },
          sdk: `const { run } = await admin.invokeFunction(${name}, { payload: {} });`,
        };
  return [
    { title: words.read, method: "GET", path: route, sdk: `${begin}const { function: one } = await admin.getFunction(${name});` },
    run,
    { title: words.runs, method: "GET", path: `${route}/logs`, sdk: `const { runs } = await admin.listRuns(${name});` },
    { title: words.save, method: "PATCH", path: route, body: { code: "…" }, sdk: `await admin.updateFunction(${name}, { code });` },
    { title: words.tests, method: "POST", path: `${route}/tests/run`, sdk: `const report = await admin.runFunctionTests(${name});` },
  ];
}

/** What the screen of a flow does. */
export function flowCalls(one: ServerFunction, flow: Flow): Call[] {
  const path = `/admin/functions/${one.name}`;
  const name = JSON.stringify(one.name);
  return [
    {
      title: words.saveFlow,
      method: "PATCH",
      path,
      body: { flow },
      sdk: `${begin}await admin.updateFunction(${name}, { flow: ${inlineJson(flow)} });`,
    },
    { title: words.toCode, method: "PATCH", path, body: { flow: null }, sdk: `await admin.updateFunction(${name}, { flow: null });` },
    {
      title: words.invoke,
      method: "POST",
      path: `${path}/invoke`,
      body: { payload: {} },
      sdk: `const { run } = await admin.invokeFunction(${name}, { payload: {} });`,
    },
  ];
}
