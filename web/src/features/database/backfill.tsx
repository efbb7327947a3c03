import { Form, FormProblem, type Values } from "../../components/form/form";
import { Alert } from "../../components/states/alert";
import { ErrorState } from "../../components/states/problem";
import { Button } from "../../components/ui/button";
import { TextField } from "../../components/ui/field";
import { Panel, PanelBody } from "../../components/ui/panel";
import { ownDatabaseMessages } from "../../messages/own-database";
import { progressOf } from "./backfill-state";
import styles from "./database.module.css";
import { useBackfill } from "./use-backfill";

const words = ownDatabaseMessages.backfill;
const usualLimit = 1000;
const maxLimit = 10_000;

function limitOf(text: string): number {
  const limit = Number(text.replaceAll(",", ""));
  if (!Number.isSafeInteger(limit) || limit < 1 || limit > maxLimit) throw new FormProblem("limit", words.limitWrong);
  return limit;
}

/** Gives documents of an imported collection an id: begun, stopped and continued here. `manages`: whether the person may. */
export function BackfillPanel({ projectId, source, manages }: { projectId: string; source: string; manages: boolean }) {
  const { state, run, stop } = useBackfill(projectId, source);
  const { phase, remaining, modified } = state;
  const busy = phase === "running" || phase === "stopping";
  const submit = async ({ limit = "" }: Values) => {
    // The form is free again at once, so that it can be stopped.
    void run(limitOf(limit));
  };
  return (
    <Panel title={words.title}>
      <PanelBody>
        <p>{words.text}</p>
        {!manages && <p className={styles["secondary"]}>{words.readOnly}</p>}
        {phase !== "new" && (
          <div className={styles["backfill"]}>
            <progress aria-label={words.progress} {...progressOf(state)} />
            <p role="status">{remaining === undefined ? busy && words.running : words.state(modified, remaining)}</p>
          </div>
        )}
        {phase === "stuck" && <Alert tone="warn">{words.stuck}</Alert>}
        {state.problem !== undefined && <ErrorState error={state.problem} />}
        {manages && phase !== "done" && (
          <Form label={words.title} onSubmit={submit} passing>
            {() => (
              <>
                <div className={styles["limit"]}>
                  <TextField label={words.limit} name="limit" hint={words.limitHint} defaultValue={usualLimit} inputMode="numeric" autoComplete="off" disabled={busy} />
                </div>
                <div className={styles["actions"]}>
                  {busy ? (
                    <Button busy={phase === "stopping"} onClick={stop}>
                      {phase === "stopping" ? words.stopping : words.stop}
                    </Button>
                  ) : (
                    <Button type="submit">{phase === "new" ? words.start : words.resume}</Button>
                  )}
                </div>
              </>
            )}
          </Form>
        )}
      </PanelBody>
    </Panel>
  );
}
