// The calls behind the two lists of connections.
import type { Call } from "../../components/shell/show-call";
import { connectionMessages } from "../../messages/connections";

const words = connectionMessages.calls;
const body = { kind: "github", name: "Our host", config: { owner: "acme" }, secrets: { installationId: "…" } };
const patch = { config: { owner: "acme-labs" } };

/** Those of a project, or without one those of the person's own organization. */
export function callsOf(projectId: string | undefined, mayChange: boolean): Call[] {
  const own = "/control/connections";
  const path = projectId === undefined ? own : `/control/projects/${projectId}/connections`;
  const id = projectId === undefined ? "" : JSON.stringify(projectId);
  const created = [id, JSON.stringify(body)].filter(Boolean).join(", ");
  const of = projectId === undefined ? "" : "Project";
  const list: Call = { title: words.list, method: "GET", path, sdk: `const { connections } = await control.list${of}Connections(${id});` };
  if (!mayChange) return [list];
  return [
    list,
    { title: words.kinds, method: "GET", path: `${own}/kinds`, sdk: "const { kinds } = await control.listConnectionKinds();" },
    { title: words.create, method: "POST", path, body, sdk: `const { connection } = await control.create${of}Connection(${created});` },
    { title: words.change, method: "PATCH", path: `${own}/conn_…`, body: patch, sdk: `await control.updateConnection("conn_…", ${JSON.stringify(patch)});` },
    { title: words.delete, method: "DELETE", path: `${own}/conn_…`, sdk: 'await control.deleteConnection("conn_…");' },
  ];
}
