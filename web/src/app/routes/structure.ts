// The addresses of what is set for a collection: its schema, its indexes, its vectors.
import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { collection } from "./data";
import { positive, text, yes, type Search } from "../search";

export const schema = createRoute({
  getParentRoute: () => collection,
  path: "schema",
  component: lazyRouteComponent(() => import("../../features/schema/schema"), "SchemaPage"),
});

export const indexes = createRoute({
  getParentRoute: () => collection,
  path: "indexes",
  validateSearch: (search: Search): { new?: true } => ({ new: yes(search["new"]) }),
  component: lazyRouteComponent(() => import("../../features/indexes/indexes"), "IndexesPage"),
});

interface SearchOfVectors {
  field?: string | undefined;
  text?: string | undefined;
  filter?: string | undefined;
  limit?: number | undefined;
}

export const vectors = createRoute({
  getParentRoute: () => collection,
  path: "vectors",
  validateSearch: (search: Search): SearchOfVectors => ({
    field: text(search["field"]),
    text: text(search["text"]),
    filter: text(search["filter"]),
    limit: positive(search["limit"]),
  }),
  component: lazyRouteComponent(() => import("../../features/vectors/vectors"), "VectorsPage"),
});
