import { queryOptions, useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { RotateCw } from "lucide-react";
import { useProject } from "../../app/project";
import { adminOf, queryClient } from "../../app/queries";
import { Page } from "../../components/shell/page";
import { ShowCall } from "../../components/shell/show-call";
import { Denied } from "../../components/states/denied";
import { IconButton } from "../../components/ui/button";
import { Tabs } from "../../components/ui/tabs";
import { can } from "../../lib/permissions";
import { usageMessages as words } from "../../messages/usage";
import { Allowances } from "./allowances";
import { Charts } from "./charts";
import { Jobs } from "./jobs";
import { usageKey } from "./keys";

const needed = "ops:read";
const windows = ["1h", "24h", "7d"] as const;
type Window = (typeof windows)[number];

const usageOf = (projectId: string) =>
  queryOptions({
    queryKey: [...usageKey(projectId), "plan"],
    queryFn: ({ signal }) => adminOf(projectId).getUsage({ signal }),
  });

const seriesOf = (projectId: string, window: Window) =>
  queryOptions({
    queryKey: [...usageKey(projectId), "series", window],
    queryFn: ({ signal }) => adminOf(projectId).getMetricSeries({ window }, { signal }),
  });

interface UsageProps {
  projectId: string;
  perms: readonly string[];
  window: Window;
  onWindow(window: Window): void;
}

function Usage({ projectId, perms, window, onWindow }: UsageProps) {
  const usage = useQuery(usageOf(projectId));
  const series = useQuery(seriesOf(projectId, window));
  return (
    <>
      <Allowances query={usage} />
      <Tabs
        label={words.window}
        value={window}
        onChange={onWindow}
        items={windows.map((value) => ({ value, label: words.windows[value] }))}
      >
        <Charts query={series} />
      </Tabs>
      <Jobs projectId={projectId} perms={perms} />
    </>
  );
}

export function UsagePage() {
  const { project, perms } = useProject();
  const { window = "1h" } = useSearch({ from: "/inside/p/$slug/usage" });
  const navigate = useNavigate();
  const allowed = can(perms, needed);
  return (
    <Page
      title={words.title}
      actions={
        <>
          <ShowCall
            calls={[
              { title: words.calls.usage, method: "GET", path: "/admin/usage", sdk: "const { plan, limits, usage } = await admin.getUsage();" },
              {
                title: words.calls.series,
                method: "GET",
                path: `/admin/metrics/series?window=${window}`,
                sdk: `const { from, stepSeconds, planes, sockets, functionRuns } = await admin.getMetricSeries({ window: "${window}" });`,
              },
              { title: words.calls.jobs, method: "GET", path: "/admin/jobs", sdk: "const { jobs } = await admin.listJobs();" },
            ]}
          />
          {allowed && (
            <IconButton label={words.refresh} onClick={() => void queryClient.invalidateQueries({ queryKey: usageKey(project.id) })}>
              <RotateCw size={16} strokeWidth={1.75} aria-hidden />
            </IconButton>
          )}
        </>
      }
    >
      {allowed ? (
        <Usage
          projectId={project.id}
          perms={perms}
          window={window}
          onWindow={(next) =>
            void navigate({
              to: "/p/$slug/usage",
              params: { slug: project.slug },
              search: next === "1h" ? {} : { window: next },
              replace: true,
            })
          }
        />
      ) : (
        <Denied permission={needed} />
      )}
    </Page>
  );
}
