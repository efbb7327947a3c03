import { ShowCall, type Call } from "../../components/shell/show-call";
import type { UserSearch } from "../../app/routes/access";
import { serverUrl } from "../../lib/server";
import { usersMessages } from "../../messages/users";
import { queryOf } from "./filters";

const words = usersMessages.calls;

/** The calls of the screen, with its filters; those that change something for who may make them. */
export function UserCalls({ search, manages }: { search: UserSearch; manages: boolean }) {
  const query = queryOf(search);
  const calls: Call[] = [
    {
      title: words.query,
      method: "POST",
      path: "/admin/users/query",
      body: query,
      sdk: `import { createAdmin } from "manybase/admin";\n\nconst admin = createAdmin({ url: ${JSON.stringify(serverUrl)}, token: process.env.MANYBASE_KEY });\nconst { users, total, next } = await admin.queryUsers(${JSON.stringify(query)});`,
    },
    { title: words.get, method: "GET", path: "/admin/users/$ID", sdk: "const { user } = await admin.getUser(id);" },
  ];
  const changes: Call[] = [
    {
      title: words.change,
      method: "PATCH",
      path: "/admin/users/$ID",
      body: { metadata: { role: "writer" } },
      sdk: 'await admin.updateUser(id, { metadata: { role: "writer" } });',
    },
    { title: words.block, method: "POST", path: "/admin/users/$ID/block", sdk: "await admin.blockUser(id);" },
  ];
  return <ShowCall calls={manages ? [...calls, ...changes] : calls} />;
}
