import { ShowCall, type Call } from "../../components/shell/show-call";
import { serverUrl } from "../../lib/server";
import { keysMessages } from "../../messages/keys";

const words = keysMessages.calls;

const list: Call = {
  title: words.list,
  method: "GET",
  path: "/admin/api-keys",
  sdk: `import { createAdmin } from "manybase/admin";\n\nconst admin = createAdmin({ url: ${JSON.stringify(serverUrl)}, token: process.env.MANYBASE_KEY });\nconst { apiKeys } = await admin.listApiKeys();`,
};
const changes: Call[] = [
  {
    title: words.create,
    method: "POST",
    path: "/admin/api-keys",
    body: { name: "build server", scopes: ["read"] },
    sdk: 'const { apiKey, key } = await admin.createApiKey({ name: "build server", scopes: ["read"] });',
  },
  {
    title: words.rotate,
    method: "POST",
    path: "/admin/api-keys/$ID/rotate",
    sdk: "const { key } = await admin.rotateApiKey(id);",
  },
  { title: words.revoke, method: "DELETE", path: "/admin/api-keys/$ID", sdk: "await admin.revokeApiKey(id);" },
];

/** The calls of the screen; those that change something for who may make them. */
export function KeyCalls({ manages }: { manages: boolean }) {
  return <ShowCall calls={manages ? [list, ...changes] : [list]} />;
}
