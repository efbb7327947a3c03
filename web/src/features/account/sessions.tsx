import { queryOptions, useQuery } from "@tanstack/react-query";
import type { Session } from "manybase/control";
import { useState } from "react";
import { queryClient } from "../../app/queries";
import { ErrorState, wordsOf } from "../../components/states/problem";
import { Skeleton } from "../../components/states/skeleton";
import { Badge } from "../../components/ui/badge";
import { Button } from "../../components/ui/button";
import { Panel, PanelBody } from "../../components/ui/panel";
import { Time } from "../../components/ui/relative-time";
import { Table } from "../../components/ui/table";
import { toast } from "../../components/ui/toast";
import { describeAgent } from "../../lib/format";
import { messages } from "../../messages";
import { control } from "../../session";

const words = messages.account.sessions;

export const sessions = queryOptions({
  queryKey: ["sessions"],
  queryFn: async ({ signal }) => (await control.platformListSessions({ signal })).sessions,
});

/** Where the person is signed in, and how to end it. */
export function Sessions() {
  const query = useQuery(sessions);
  const [busy, setBusy] = useState(false);
  const run = async (action: () => Promise<void>, done: string) => {
    setBusy(true);
    try {
      await action();
      await queryClient.invalidateQueries(sessions);
      toast(done);
    } catch (error) {
      toast(wordsOf(error));
    } finally {
      setBusy(false);
    }
  };
  const list = [...(query.data ?? [])].sort(
    (a, b) => Number(b.current) - Number(a.current) || b.lastUsedAt.localeCompare(a.lastUsedAt),
  );
  const row = (session: Session) => ({
    key: session.id,
    cells: [
      <span title={session.userAgent}>
        <bdi>{describeAgent(session.userAgent)}</bdi> {session.current && <Badge tone="good">{words.current}</Badge>}
      </span>,
      session.ip,
      <Time at={session.lastUsedAt} />,
      <Time at={session.createdAt} />,
      session.current ? null : (
        <Button
          small
          look="danger"
          busy={busy}
          aria-label={words.endNamed(describeAgent(session.userAgent))}
          onClick={() => void run(() => control.platformRevokeSession(session.id), words.ended)}
        >
          {words.end}
        </Button>
      ),
    ],
  });
  return (
    <Panel
      title={words.title}
      aside={
        list.length > 1 && (
          <Button small look="danger" busy={busy} onClick={() => void run(() => control.platformRevokeOtherSessions(), words.othersEnded)}>
            {words.endOthers}
          </Button>
        )
      }
    >
      {query.data ? (
        <Table label={words.text} columns={[words.client, words.address, words.used, words.opened, ""]} rows={list.map(row)} />
      ) : (
        <PanelBody>
          {query.isError ? (
            <ErrorState error={query.error} onRetry={() => void query.refetch()} />
          ) : (
            <Skeleton rows={2} height={32} />
          )}
        </PanelBody>
      )}
    </Panel>
  );
}
