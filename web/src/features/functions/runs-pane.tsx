import { ErrorState } from "../../components/states/problem";
import { Skeleton } from "../../components/states/skeleton";
import { Button } from "../../components/ui/button";
import { Panel } from "../../components/ui/panel";
import { Time } from "../../components/ui/relative-time";
import { Switch } from "../../components/ui/switch";
import { functionMessages } from "../../messages/functions";
import { RunDetail, RunStatus } from "./run-detail";
import { keepsEvents } from "./triggers";
import type { Running } from "./use-running";
import styles from "./functions.module.css";

const words = functionMessages.runs;

interface Props {
  running: Running;
  open: string | undefined;
  onOpen(id: string): void;
  follow: boolean;
  onFollow(follow: boolean): void;
  /** Whether runs are repeated here. */
  mayRepeat: boolean;
}

/** The log: the last runs, and the open one of them. */
export function RunsPane({ running, open, onOpen, follow, onFollow, mayRepeat }: Props) {
  const { log, runs, runner, run: start } = running;
  const shown = open === undefined ? runs[0] : runs.find(({ id }) => id === open);
  return (
    <Panel
      title={words.title}
      aside={
        <span className={styles["follow"]}>
          {words.follow}
          <Switch label={words.follow} checked={follow} onChange={onFollow} />
        </span>
      }
    >
      {log.isPending && <Skeleton rows={4} height={28} />}
      {log.isError && <ErrorState error={log.error} onRetry={() => void log.refetch()} />}
      {log.isSuccess && runs.length === 0 && (
        <div className={styles["norun"]}>
          <p>{words.none}</p>
          {start && (
            <Button busy={runner.busy} onClick={start}>
              {running.words}
            </Button>
          )}
        </div>
      )}
      {runs.length > 0 && (
        <div className={styles["runs"]}>
          <ul aria-label={words.list} className={styles["list"]}>
            {runs.map((run) => (
              <li key={run.id}>
                <button
                  type="button"
                  aria-current={run.id === shown?.id ? "true" : undefined}
                  className={styles["entry"]}
                  onClick={() => onOpen(run.id)}
                >
                  <RunStatus status={run.status} />
                  <span className={styles["what"]}>{words.triggers[run.trigger] ?? run.trigger}</span>
                  <span className={styles["when"]}>
                    {functionMessages.ms(run.durationMs)} · <Time at={run.startedAt} />
                  </span>
                </button>
              </li>
            ))}
          </ul>
          {shown ? (
            <RunDetail
              key={shown.id}
              run={shown}
              busy={runner.busy}
              onOpen={onOpen}
              onAgain={mayRepeat && keepsEvents(shown.trigger) ? () => void runner.again(shown.id) : undefined}
            />
          ) : (
            <p className={styles["gone"]}>{words.gone}</p>
          )}
        </div>
      )}
    </Panel>
  );
}
