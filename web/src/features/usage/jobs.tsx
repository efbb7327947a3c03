import { queryOptions, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { adminOf, queryClient } from "../../app/queries";
import { ErrorState } from "../../components/states/problem";
import { Badge } from "../../components/ui/badge";
import { Button } from "../../components/ui/button";
import { Panel } from "../../components/ui/panel";
import { Time } from "../../components/ui/relative-time";
import { Table } from "../../components/ui/table";
import { toast } from "../../components/ui/toast";
import { can } from "../../lib/permissions";
import { usageMessages } from "../../messages/usage";
import { usageKey } from "./keys";

const words = usageMessages.jobs;
const limit = 50;

const jobsOf = (projectId: string) =>
  queryOptions({
    queryKey: [...usageKey(projectId), "jobs"],
    queryFn: async ({ signal }) => (await adminOf(projectId).listJobs({ limit }, { signal })).jobs,
  });

/** What still follows from deletions of documents, with what failed; absent where nothing does. */
export function Jobs({ projectId, perms }: { projectId: string; perms: readonly string[] }) {
  const { data = [] } = useQuery(jobsOf(projectId));
  const [busy, setBusy] = useState<string>();
  const [problem, setProblem] = useState<unknown>();
  const retry = async (id: string) => {
    setBusy(id);
    setProblem(undefined);
    try {
      await adminOf(projectId).retryJob(id);
      toast(words.retried);
    } catch (error) {
      setProblem(error);
    }
    setBusy(undefined);
    await queryClient.invalidateQueries(jobsOf(projectId));
  };
  if (data.length === 0) return null;
  const { columns } = words;
  const manages = can(perms, "collections:manage");
  return (
    <Panel title={words.title}>
      {problem !== undefined && <ErrorState error={problem} />}
      <Table
        label={words.title}
        columns={[columns.document, columns.kind, columns.state, columns.done, columns.since, ...(manages ? [""] : [])]}
        figures={[columns.done]}
        rows={data.map(({ id, collection, documentId, kind, state, done, error, createdAt }) => ({
          key: id,
          cells: [
            <bdi>{`${collection}/${documentId}`}</bdi>,
            words.kinds[kind],
            <>
              <Badge tone={state === "failed" ? "bad" : "plain"}>{words.states[state]}</Badge> {error && <bdi>{error}</bdi>}
            </>,
            done.toLocaleString("en"),
            <Time at={createdAt} />,
            ...(manages
              ? [
                  state === "failed" && (
                    <Button small busy={busy === id} aria-label={words.retryNamed(documentId)} onClick={() => void retry(id)}>
                      {words.retry}
                    </Button>
                  ),
                ]
              : []),
          ],
        }))}
      />
    </Panel>
  );
}
