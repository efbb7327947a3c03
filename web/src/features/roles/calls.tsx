import { ShowCall, type Call } from "../../components/shell/show-call";
import { serverUrl } from "../../lib/server";
import { rolesMessages } from "../../messages/roles";
import type { Kind } from "./grants";

const words = rolesMessages.calls;
const example = { name: "Writer", permissions: ["data:posts:*"] };

/** The calls about the roles of a kind; those that change something for who may make them. */
export function RoleCalls({ kind, manages }: { kind: Kind; manages: boolean }) {
  const path = kind === "members" ? "/admin/roles" : "/admin/enduser-roles";
  const infix = kind === "members" ? "" : "EndUser";
  const list: Call = {
    title: words.list,
    method: "GET",
    path,
    sdk: `import { createAdmin } from "manybase/admin";\n\nconst admin = createAdmin({ url: ${JSON.stringify(serverUrl)}, token: process.env.MANYBASE_KEY });\nconst { roles } = await admin.list${infix}Roles();`,
  };
  const body = { permissions: example.permissions };
  const changes: Call[] = [
    {
      title: words.create,
      method: "POST",
      path,
      body: example,
      sdk: `const { role } = await admin.create${infix}Role(${JSON.stringify(example)});`,
    },
    {
      title: words.replace,
      method: "PUT",
      path: `${path}/Writer`,
      body,
      sdk: `await admin.replace${infix}Role("Writer", ${JSON.stringify(body)});`,
    },
    { title: words.remove, method: "DELETE", path: `${path}/Writer`, sdk: `await admin.delete${infix}Role("Writer");` },
  ];
  return <ShowCall calls={manages ? [list, ...changes] : [list]} />;
}
