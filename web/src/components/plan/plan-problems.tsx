import { isError } from "manybase";
import { planMessages as words } from "../../messages/plan";
import { CheckboxField } from "../ui/checkbox";
import { Panel, PanelBody } from "../ui/panel";
import { Table } from "../ui/table";
import { ErrorState } from "../states/problem";
import type { Accepted } from "./plan";
import styles from "./plan.module.css";

/** Why there is no plan: all problems of the document, or the error. */
export function PlanProblems({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  if (!isError(error) || error.details.length === 0) return <ErrorState error={error} onRetry={onRetry} />;
  return (
    <Panel title={words.problems(error.details.length)}>
      <PanelBody>
        <p className={styles["secondary"]} role="alert">
          {words.problemsText} {error.code === "TESTS_FAILED" && error.message}
        </p>
      </PanelBody>
      <Table
        label={words.problems(error.details.length)}
        columns={[words.where, words.what]}
        rows={error.details.map(({ path, message }, at) => ({
          key: String(at),
          cells: [<code>{path}</code>, <bdi className={styles["message"]}>{message}</bdi>],
        }))}
      />
    </Panel>
  );
}

/** What a plan may accept, before it is made. */
export function PlanOptions({ accepted, onChange }: { accepted: Accepted; onChange(accepted: Accepted): void }) {
  return (
    <fieldset className={styles["options"]}>
      <legend>{words.options}</legend>
      <CheckboxField
        label={words.allowMissing}
        hint={words.allowMissingHint}
        name="allowMissing"
        checked={accepted.allowMissing}
        onChange={(allowMissing) => onChange({ ...accepted, allowMissing })}
      />
      <CheckboxField
        label={words.skipTests}
        hint={words.skipTestsHint}
        name="skipTests"
        checked={accepted.skipTests}
        onChange={(skipTests) => onChange({ ...accepted, skipTests })}
      />
    </fieldset>
  );
}
