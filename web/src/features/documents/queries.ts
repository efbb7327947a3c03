// What the screen of documents reads, and where it keeps the columns.
import { queryOptions } from "@tanstack/react-query";
import type { AdminMethods } from "manybase/admin";
import { adminOf, queryClient } from "../../app/queries";
import type { Fields } from "../../lib/json";

/** The rows of a page of the grid. */
export const pageSize = 100;

/** A list of documents. */
export interface List {
  projectId: string;
  collection: string;
  filter: Fields;
  /** A field, after - for descending. */
  sort?: string | undefined;
}

/** The body of the request for a page. */
export function bodyOf({ filter, sort }: Pick<List, "filter" | "sort">, page: number) {
  return {
    ...(Object.keys(filter).length ? { filter } : {}),
    ...(sort ? { sort: [sort.startsWith("-") ? { [sort.slice(1)]: -1 } : { [sort]: 1 }] } : {}),
    limit: pageSize,
    ...(page > 0 ? { skip: page * pageSize } : { total: true }),
  };
}

export const documentsKey = (projectId: string, collection: string) => [projectId, "documents", collection] as const;

/** A page of documents; the first has their number, too. */
export const pageOf = (list: List, page: number) =>
  queryOptions({
    queryKey: [...documentsKey(list.projectId, list.collection), "page", list.filter, list.sort ?? "", page],
    queryFn: ({ signal }) => adminOf(list.projectId).adminQueryDocuments(list.collection, bodyOf(list, page), { signal }),
    gcTime: 60_000,
    staleTime: 30_000,
  });

export const documentOf = (projectId: string, collection: string, id: string) =>
  queryOptions({
    queryKey: [...documentsKey(projectId, collection), "one", id],
    queryFn: async ({ signal }) =>
      (await adminOf(projectId).adminGetDocument(collection, id, {}, { signal })).document as Fields,
    staleTime: 0,
  });

/** After a change of documents: the pages, the open document, the counts of the collections. */
export const documentsChanged = (projectId: string, collection: string) =>
  Promise.all([
    queryClient.invalidateQueries({ queryKey: documentsKey(projectId, collection) }),
    queryClient.invalidateQueries({ queryKey: [projectId, "collections"] }),
  ]);

type Page = Awaited<ReturnType<AdminMethods["adminQueryDocuments"]>>;

/** Shows a document as it was saved, until its pages are read again. */
export function replaceInPages(projectId: string, collection: string, saved: Fields): void {
  queryClient.setQueriesData<Page>({ queryKey: [...documentsKey(projectId, collection), "page"] }, (page) =>
    page && { ...page, documents: page.documents.map((one) => ((one as Fields)["id"] === saved["id"] ? saved : one)) },
  );
}

const columnsKey = (projectId: string, collection: string) => `manybase.columns.${projectId}.${collection}`;

/** The columns that were chosen in this browser; undefined where none were. */
export function storedColumns(projectId: string, collection: string): string[] | undefined {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(columnsKey(projectId, collection)) ?? "null");
    return Array.isArray(stored) && stored.every((one) => typeof one === "string") ? stored : undefined;
  } catch {
    return undefined;
  }
}

export function storeColumns(projectId: string, collection: string, columns: string[] | undefined): void {
  try {
    if (columns) localStorage.setItem(columnsKey(projectId, collection), JSON.stringify(columns));
    else localStorage.removeItem(columnsKey(projectId, collection));
  } catch {
    // Storage is switched off: the choice lasts as long as the screen.
  }
}
