import { adminSetup, type Call } from "../../components/shell/show-call";
import { exactJson } from "../../lib/json";
import { documentMessages } from "../../messages/documents";
import { bodyOf, type List } from "./queries";

const words = documentMessages.calls;
const text = (value: unknown): string => exactJson.stringify(value)!;

/** The call of a list. */
export function callsOfList(list: List): Call[] {
  const body = bodyOf(list, 0);
  return [
    {
      title: words.query,
      method: "POST",
      path: `/admin/collections/${encodeURIComponent(list.collection)}/query`,
      body,
      sdk: `${adminSetup()}\nconst { documents, total } = await admin.adminQueryDocuments(${text(list.collection)}, ${text(body)});`,
    },
  ];
}

/** The calls of a document. */
export function callsOfDocument(collection: string, id: string): Call[] {
  const path = `/admin/collections/${encodeURIComponent(collection)}/documents/${encodeURIComponent(id)}`;
  const named = `${text(collection)}, ${text(id)}`;
  return [
    { title: words.read, method: "GET", path, sdk: `${adminSetup()}\nconst { document } = await admin.adminGetDocument(${named});` },
    {
      title: words.update,
      method: "PATCH",
      path,
      body: { $set: { title: "Fjords" } },
      sdk: `await admin.adminUpdateDocument(${named}, { $set: { title: "Fjords" } });`,
    },
    { title: words.remove, method: "DELETE", path, sdk: `await admin.adminDeleteDocument(${named});` },
  ];
}
