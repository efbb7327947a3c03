import { Play } from "lucide-react";
import type { KeyboardEvent } from "react";
import { CodeEditor } from "../../components/editor/code-editor";
import { Alert } from "../../components/states/alert";
import { ErrorState } from "../../components/states/problem";
import { Badge } from "../../components/ui/badge";
import { Button } from "../../components/ui/button";
import { Panel, PanelBody } from "../../components/ui/panel";
import { SelectField } from "../../components/ui/select-field";
import { Snippet } from "../../components/ui/snippet";
import { printJson } from "../../lib/json";
import { integrationMessages } from "../../messages/integrations";
import type { Operation, Provider } from "./catalogue";
import styles from "./integrations.module.css";
import { functionCode } from "./calls";
import { isKnown, type Mode, type Outcome } from "./outcome";
import type { Attempt } from "./use-try";

const words = integrationMessages.attempt;
const modes: readonly Mode[] = ["dry", "live"];
const maxRows = 24;

function Arguments({ operation }: { operation: Operation }) {
  if (operation.args.length === 0) return <p className={styles["hint"]}>{words.noArgs}</p>;
  return (
    <ul aria-label={words.argsOf(operation.name)} className={styles["args"]}>
      {operation.args.map(({ name, types, required, description }) => (
        <li key={name}>
          <code>{name}</code> <span className={styles["hint"]}>{words.arg(types, required, description)}</span>
        </li>
      ))}
    </ul>
  );
}

function Result({ outcome, onKeep }: { outcome: Outcome; onKeep(): void }) {
  const { op, mode, result, error } = outcome;
  const text = printJson(result ?? null);
  return (
    <Panel
      title={words.resultOf(op)}
      aside={<Badge tone={error === undefined ? "good" : "bad"}>{error === undefined ? words.done[mode] : words.failed}</Badge>}
    >
      <PanelBody>
        {error !== undefined ? (
          <ErrorState error={error} />
        ) : (
          <CodeEditor
            label={words.result}
            value={text}
            language="json"
            readOnly
            rows={Math.min(maxRows, text.split("\n").length)}
          />
        )}
        {isKnown(outcome) && (
          <div>
            <Button onClick={onKeep}>{words.keep}</Button>
          </div>
        )}
      </PanelBody>
    </Panel>
  );
}

interface Props {
  name: string;
  provider: Provider;
  operation: Operation;
  mode: Mode;
  /** Where a live call goes. */
  destination: string | undefined;
  attempt: Attempt;
  onOperation(name: string): void;
  onMode(mode: Mode): void;
  /** Makes a stored test of the last call. */
  onKeep(outcome: Outcome): void;
}

/** A call by hand: checked alone, or sent. */
export function TryTab({ name, provider, operation, mode, destination, attempt, onOperation, onMode, onKeep }: Props) {
  const { outcome } = attempt;
  const run = () => void attempt.run();
  const onKeyDown = (pressed: KeyboardEvent) => {
    // The editors have taken their own.
    if (pressed.key !== "Enter" || !(pressed.ctrlKey || pressed.metaKey) || pressed.defaultPrevented) return;
    pressed.preventDefault();
    run();
  };
  return (
    <div className={styles["try"]} onKeyDown={onKeyDown}>
      <Panel title={words.title}>
        <PanelBody>
          <div className={styles["pair"]}>
            <SelectField
              label={words.op}
              name="op"
              value={operation.name}
              options={provider.ops.map((one) => ({ value: one.name, label: one.name }))}
              onChange={onOperation}
            />
            <SelectField
              label={words.mode}
              name="mode"
              value={mode}
              options={modes.map((value) => ({ value, label: words.modes[value] }))}
              onChange={(value) => onMode(value as Mode)}
            />
          </div>
          {mode === "live" && <Alert tone="warn">{words.liveWarning(destination)}</Alert>}
          <CodeEditor
            label={words.args}
            value={attempt.text}
            onChange={attempt.change}
            language="json"
            rows={10}
            problems={attempt.problems.args}
            onRun={run}
            complete={operation.args.map(({ name: label, types }) => ({ label, detail: types.join(", ") }))}
          />
          <Arguments operation={operation} />
          {mode === "dry" && (
            <details className={styles["stub"]}>
              <summary>{words.stub}</summary>
              <p className={styles["hint"]}>{words.stubHint}</p>
              <CodeEditor
                label={words.stub}
                value={attempt.stub}
                onChange={attempt.changeStub}
                language="json"
                rows={5}
                problems={attempt.problems.stub}
                onRun={run}
              />
            </details>
          )}
          <div>
            <Button look="primary" busy={attempt.busy} onClick={run}>
              <Play size={14} strokeWidth={1.75} aria-hidden />
              {words.run[mode]}
              <kbd className={styles["keys"]}>{words.keys}</kbd>
            </Button>
          </div>
        </PanelBody>
      </Panel>
      <div className={styles["side"]} aria-live="polite">
        {outcome && <Result outcome={outcome} onKeep={() => onKeep(outcome)} />}
        <Panel title={words.code}>
          <PanelBody>
            <Snippet title={words.code} forms={[{ label: words.javascript, text: functionCode(name, operation.name, attempt.args ?? {}) }]} />
          </PanelBody>
        </Panel>
      </div>
    </div>
  );
}
