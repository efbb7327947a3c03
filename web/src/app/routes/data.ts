// The addresses of collections: the list, and the parts of one.
import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { project } from "../roots";
import { oneOf, text, yes, type Search } from "../search";

const layout = () => import("../../features/collections/layout");

export const data = createRoute({
  getParentRoute: () => project,
  path: "data",
  component: lazyRouteComponent(layout, "DataLayout"),
});

export const dataHome = createRoute({
  getParentRoute: () => data,
  path: "/",
  component: lazyRouteComponent(layout, "DataHome"),
});

/** A collection with its tabs; the screens of the tabs are below it. */
export const collection = createRoute({
  getParentRoute: () => data,
  path: "$collection",
  component: lazyRouteComponent(layout, "CollectionLayout"),
});

const documentTabs = ["json", "links"] as const;
/** The part of a document that is shown in place of its form. */
export type DocumentTab = (typeof documentTabs)[number];
export interface DocumentsSearch {
  /** A filter, as JSON. */
  filter?: string;
  /** A field, after - for descending. */
  sort?: string;
  /** The document of the side panel. */
  open?: string;
  /** The part of it. */
  tab?: DocumentTab;
  /** A new document is in the side panel. */
  new?: true;
  /** The list follows changes. */
  live?: true;
}

export const documents = createRoute({
  getParentRoute: () => collection,
  path: "/",
  validateSearch: (search: Search): DocumentsSearch => ({
    filter: text(search["filter"]),
    sort: text(search["sort"]),
    open: text(search["open"]),
    tab: oneOf(search["tab"], ...documentTabs),
    new: yes(search["new"]),
    live: yes(search["live"]),
  }),
  component: lazyRouteComponent(() => import("../../features/documents/documents"), "DocumentsPage"),
});

/** A document as a page of its own. */
export const document = createRoute({
  getParentRoute: () => collection,
  path: "documents/$id",
  validateSearch: (search: Search): { tab?: DocumentTab } => ({ tab: oneOf(search["tab"], ...documentTabs) }),
  component: lazyRouteComponent(() => import("../../features/documents/document-page"), "DocumentPage"),
});
