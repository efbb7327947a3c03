import { CodeEditor } from "../../components/editor/code-editor";
import { Alert } from "../../components/states/alert";
import { ProblemText } from "../../components/states/problem";
import { Button } from "../../components/ui/button";
import { PanelBody } from "../../components/ui/panel";
import { SelectField } from "../../components/ui/select-field";
import { functionMessages } from "../../messages/functions";
import { JsonProblem } from "../../lib/json-source";
import type { DatabaseEvent } from "./triggers";
import type { Running } from "./use-running";

const words = functionMessages.event;

interface Props {
  running: Running;
  /** Makes a stored test of the event. */
  onKeep?(): void;
}

/** The event that the function is run with. */
export function EventPane({ running, onKeep }: Props) {
  const { event, request, runner } = running;
  const { problem } = runner;
  const mistake = problem instanceof JsonProblem ? problem : undefined;
  const then = <T,>(change: (value: T) => void) => (value: T) => {
    change(value);
    // The problem was that of another event.
    runner.clear();
  };
  const hint = request ? words.sentAsRequest : words.sentAs;
  return (
    <PanelBody>
      <SelectField
        label={words.start}
        name="source"
        value={event.source}
        onChange={then(event.choose)}
        options={event.sources}
      />
      {event.kinds.length > 1 && event.run === undefined && (
        <SelectField
          label={words.kind}
          name="kind"
          value={event.kind}
          onChange={then((kind) => event.chooseKind(kind as DatabaseEvent))}
          options={event.kinds.map((kind) => ({ value: kind, label: kind }))}
        />
      )}
      {event.run === undefined && (
        <CodeEditor
          label={words.json}
          value={event.text}
          onChange={then(event.change)}
          language="json"
          rows={12}
          problems={mistake && [{ line: mistake.line, ...(mistake.column ? { column: mistake.column } : {}), message: mistake.message }]}
          onRun={running.run}
        />
      )}
      {problem !== undefined && (
        <Alert>{mistake ? <p>{words.notJson(mistake.message)}</p> : <ProblemText error={problem} />}</Alert>
      )}
      <p>{event.run === undefined ? hint : words.ofRun}</p>
      {onKeep && event.run === undefined && (
        <div>
          <Button onClick={onKeep}>{words.keep}</Button>
        </div>
      )}
    </PanelBody>
  );
}
