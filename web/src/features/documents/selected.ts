// The documents that are selected, read in parts.
import { adminOf } from "../../app/queries";
import { printCsv } from "../../lib/csv";
import { printJson, type Fields } from "../../lib/json";
import { bodyOf, type List } from "./queries";
import { own } from "./values";

/** Rows are read in parts of this size. */
const maxLimit = 1000;

/** The ids of a range of rows. */
export async function idsOf(list: List, first: number, last: number): Promise<string[]> {
  const { filter, sort } = bodyOf(list, 0);
  const ids: string[] = [];
  for (let skip = first; skip <= last; skip += maxLimit) {
    const limit = Math.min(maxLimit, last - skip + 1);
    const { documents } = await adminOf(list.projectId).adminQueryDocuments(list.collection, { filter, sort, fields: ["id"], skip, limit });
    ids.push(...documents.map((document) => String((document as { id: string }).id)));
  }
  return ids;
}

/** Documents by their ids, in their order; those that do not exist any more are left out. */
export async function documentsOf({ projectId, collection }: List, ids: readonly string[]): Promise<Fields[]> {
  const found = new Map<string, Fields>();
  for (let at = 0; at < ids.length; at += maxLimit) {
    const filter = { id: { $in: ids.slice(at, at + maxLimit) } };
    let after: string | undefined;
    do {
      // A page is shorter where its documents are large.
      const page = await adminOf(projectId).adminQueryDocuments(collection, { filter, limit: maxLimit, ...(after === undefined ? {} : { after }) });
      for (const document of page.documents as Fields[]) found.set(String(document["id"]), document);
      after = page.next;
    } while (after !== undefined);
  }
  return ids.map((id) => found.get(id)).filter((document) => document !== undefined);
}

export const copyForms = {
  json: (documents: readonly Fields[]) => printJson(documents),
  csv: (documents: readonly Fields[], columns: readonly string[]) =>
    printCsv(columns, documents.map((document) => columns.map((name) => own(document, name)))),
};
