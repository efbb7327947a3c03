// The screens of a collection, in the order in which they are shown.
import type { LinkProps } from "@tanstack/react-router";

export interface CollectionTab {
  label: string;
  to: NonNullable<LinkProps["to"]> & `/p/$slug/data/$collection${string}`;
  /** What a person must hold, of a collection. */
  needs(collection: string): string;
}

export const collectionTabs: readonly CollectionTab[] = [
  { label: "Documents", to: "/p/$slug/data/$collection", needs: (name) => `data:${name}:list` },
  { label: "Schema", to: "/p/$slug/data/$collection/schema", needs: () => "collections:read" },
  { label: "Indexes", to: "/p/$slug/data/$collection/indexes", needs: () => "collections:read" },
  { label: "Vectors", to: "/p/$slug/data/$collection/vectors", needs: () => "collections:read" },
  { label: "Policy", to: "/p/$slug/data/$collection/policy", needs: () => "policies:read" },
];
