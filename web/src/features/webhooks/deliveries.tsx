import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { RotateCw } from "lucide-react";
import type { WebhookDelivery } from "manybase/admin";
import { EmptyState } from "../../components/states/empty-state";
import { ErrorState } from "../../components/states/problem";
import { Skeleton } from "../../components/states/skeleton";
import { Badge } from "../../components/ui/badge";
import { Button, IconButton } from "../../components/ui/button";
import { CheckboxField } from "../../components/ui/checkbox";
import { Time } from "../../components/ui/relative-time";
import { Table } from "../../components/ui/table";
import { webhookMessages } from "../../messages/webhooks";
import { adviceOf } from "./model";
import { deliveriesOf } from "./queries";
import styles from "./webhooks.module.css";

const words = webhookMessages.deliveries;

/** Why a delivery failed, and what helps. */
export function Failure({ delivery }: { delivery: WebhookDelivery }) {
  const advice = adviceOf(delivery);
  return (
    <span className={styles["long"]}>
      {delivery.error}
      {advice && <span className={styles["advice"]}>{webhookMessages.advice[advice]}</span>}
    </span>
  );
}

interface Props {
  projectId: string;
  name: string;
  /** Sends one again; absent where it would be refused. */
  redeliver?: (delivery: WebhookDelivery) => void;
  busy: boolean;
}

/** The log of a webhook. */
export function Deliveries({ projectId, name, redeliver, busy }: Props) {
  const query = useQuery(deliveriesOf(projectId, name));
  const { failed } = useSearch({ from: "/inside/p/$slug/webhooks/$name" });
  const navigate = useNavigate();
  if (query.isError) return <ErrorState error={query.error} onRetry={() => void query.refetch()} />;
  if (!query.data) return <Skeleton rows={1} height={200} />;
  const shown = failed ? query.data.filter(({ status }) => status === "failed") : query.data;
  const row = (one: WebhookDelivery) => ({
    key: one.id,
    cells: [
      <Badge tone={one.status === "delivered" ? "good" : "bad"}>{words[one.status]}</Badge>,
      one.event,
      one.documentId === null ? words.test : <code>{<bdi>{one.documentId}</bdi>}</code>,
      one.responseStatus ?? words.noResponse,
      one.attempts,
      `${one.durationMs} ms`,
      <Time at={one.at} />,
      one.status === "failed" && <Failure delivery={one} />,
      redeliver && (
        <Button
          small
          busy={busy}
          aria-label={words.againNamed(one.event, one.documentId ?? one.id)}
          onClick={() => redeliver(one)}
        >
          {words.again}
        </Button>
      ),
    ],
  });
  return (
    <>
      <div className={styles["bar"]}>
        <CheckboxField
          label={words.onlyFailed}
          name="failed"
          checked={failed === true}
          onChange={(only) =>
            void navigate({
              from: "/p/$slug/webhooks/$name",
              search: ({ failed: _, ...rest }) => (only ? { ...rest, failed: true as const } : rest),
              replace: true,
            })
          }
        />
        <IconButton label={words.refresh} onClick={() => void query.refetch()}>
          <RotateCw size={14} aria-hidden />
        </IconButton>
      </div>
      <div className={styles["frame"]}>
        {shown.length === 0 ? (
          <EmptyState title={failed ? words.noneFailed : words.none}>{failed ? words.caption : words.noneText}</EmptyState>
        ) : (
          <Table
            label={words.caption}
            columns={[
              words.status,
              words.event,
              words.document,
              words.response,
              words.attempts,
              words.ms,
              words.at,
              words.error,
              ...(redeliver ? [""] : []),
            ]}
            figures={[words.attempts, words.ms]}
            rows={shown.map(row).map(({ key, cells }) => ({ key, cells: redeliver ? cells : cells.slice(0, -1) }))}
          />
        )}
      </div>
    </>
  );
}
