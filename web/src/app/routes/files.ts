// The addresses of files.
import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { project } from "../roots";
import { text, type Search } from "../search";

const buckets = createRoute({
  getParentRoute: () => project,
  path: "files",
  component: lazyRouteComponent(() => import("../../features/files/buckets"), "BucketsPage"),
});
const bucket = createRoute({
  getParentRoute: () => project,
  path: "files/$bucket",
  validateSearch: (search: Search): { folder?: string; file?: string } => ({
    folder: text(search["folder"]),
    // The path of the file that is open.
    file: text(search["file"]),
  }),
  component: lazyRouteComponent(() => import("../../features/files/bucket"), "BucketPage"),
});

export const files = [buckets, bucket] as const;
