import { queryOptions } from "@tanstack/react-query";
import type { Project } from "manybase/control";
import { owns } from "../../app/project";
import { queryOf, type Accepted, type Planned } from "../../components/plan/plan";
import { control } from "../../session";

/** Who may promote: the Owners of active projects. */
export const promotable = (project: Project): boolean => owns(project) && project.status === "active";

export const labelOf = ({ environment }: Project, production: string): string => environment ?? production;

/** What a promotion would change. */
export const promotionOf = (fromProjectId: string, toProjectId: string, accepted: Accepted) =>
  queryOptions({
    queryKey: [toProjectId, "promotion", fromProjectId, accepted],
    queryFn: async ({ signal }): Promise<Planned> => {
      let digest = "";
      const onResponse = (response: Response) => void (digest = response.headers.get("plan-digest") ?? "");
      const query = { dryRun: "1" as const, ...queryOf(accepted) };
      const { plan } = await control.promote({ fromProjectId, toProjectId }, query, { signal, onResponse });
      return { plan, digest };
    },
    // A plan is of this moment.
    staleTime: 0,
    gcTime: 0,
    refetchOnWindowFocus: false,
    retry: false,
  });

/** How many parts of an environment differ from production; null where they cannot be compared. */
export const aheadOf = (environment: Project, root: Project) =>
  queryOptions({
    queryKey: [root.id, "ahead", environment.id],
    queryFn: async ({ signal }): Promise<number> => {
      const accepted = queryOf({ allowMissing: true, skipTests: true });
      const ids = { fromProjectId: environment.id, toProjectId: root.id };
      const { summary } = (await control.promote(ids, { dryRun: "1", ...accepted }, { signal })).plan;
      return summary.create + summary.update;
    },
    enabled: promotable(environment) && promotable(root),
    staleTime: 60_000,
    refetchOnWindowFocus: false,
    retry: false,
  });
