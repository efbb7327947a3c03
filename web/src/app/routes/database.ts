// The addresses of what is in a project's own database.
import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { project } from "../roots";
import { positive, text, type Search } from "../search";

const contents = createRoute({
  getParentRoute: () => project,
  path: "database",
  validateSearch: (search: Search): { find?: string } => ({ find: text(search["find"]) }),
  component: lazyRouteComponent(() => import("../../features/database/contents"), "DatabasePage"),
});
const report = createRoute({
  getParentRoute: () => project,
  path: "database/$source",
  // How many documents are read for the report.
  validateSearch: (search: Search): { sample?: number } => ({ sample: positive(search["sample"]) }),
  component: lazyRouteComponent(() => import("../../features/database/report-page"), "ReportPage"),
});

export const database = [contents, report] as const;
