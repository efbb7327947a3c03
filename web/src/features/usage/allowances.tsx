import type { UseQueryResult } from "@tanstack/react-query";
import { LimitBars } from "../../components/limits/limit-bars";
import { allowancesOf } from "../../components/limits/limits";
import { EmptyState } from "../../components/states/empty-state";
import { ErrorState } from "../../components/states/problem";
import { Skeleton } from "../../components/states/skeleton";
import { Panel, PanelBody } from "../../components/ui/panel";
import { usageMessages } from "../../messages/usage";
import type { Usage } from "./figures";
import styles from "./usage.module.css";

const words = usageMessages.plan;

/** The plan in force, and how much of each limit is used. */
export function Allowances({ query }: { query: UseQueryResult<Usage> }) {
  const { data } = query;
  return (
    <Panel title={words.title}>
      {data?.plan === null ? (
        <EmptyState title={words.off}>{words.offText}</EmptyState>
      ) : (
        <PanelBody>
          {query.isError && <ErrorState error={query.error} onRetry={() => void query.refetch()} />}
          {query.isPending && <Skeleton rows={6} height={32} />}
          {data && (
            <>
              <p className={styles["secondary"]}>
                {words.name(data.plan!)} {words.whose}
              </p>
              <LimitBars allowances={allowancesOf(data.limits, data.usage)} />
            </>
          )}
        </PanelBody>
      )}
    </Panel>
  );
}
