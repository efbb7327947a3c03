import { useId } from "react";
import { CodeEditor } from "../../../components/editor/code-editor";
import type { CodeLanguage, CodeProblem, Suggestion } from "../../../components/editor/types";
import { Notes, TextField } from "../../../components/ui/field";
import { SelectField } from "../../../components/ui/select-field";
import { flowMessages as words } from "../../../messages/flow";
import { jsonProblem, textOf } from "./fields";
import type { NodeProblem } from "./problems";
import { levels, type DraftNode, type FieldKind, type NodeField } from "./types";
import styles from "./flow.module.css";

const editors: Partial<Record<FieldKind, { language: CodeLanguage; rows: number }>> = {
  text: { language: "text", rows: 3 },
  expression: { language: "cel", rows: 3 },
  json: { language: "json", rows: 7 },
  code: { language: "javascript", rows: 14 },
};

interface Props {
  node: DraftNode;
  field: NodeField;
  /** Those of this field. */
  problems: readonly NodeProblem[];
  /** The id of the list of names that are offered. */
  list: string | undefined;
  complete: readonly Suggestion[];
  /** Absent where it may not be changed. */
  onChange: ((text: string) => void) | undefined;
  onSave(): void;
  onRun?: (() => void) | undefined;
}

/** A field in an editor, with its label. */
function EditorField({ node, field, problems, complete, onChange, onSave, onRun }: Props) {
  const id = useId();
  const label = words.fields[field.name]!;
  const invalid = jsonProblem(node, field);
  const placed = problems.flatMap(({ line, column, message }): CodeProblem[] => (line === undefined ? [] : [{ line, column, message }]));
  const { language, rows } = editors[field.kind]!;
  const hint = words.hints[field.name];
  const general = invalid ? [] : problems.filter(({ line }) => line === undefined);
  return (
    <div className={styles["field"]}>
      <p className={styles["label"]}>{label}</p>
      <CodeEditor
        label={words.fieldOf(label, node.id)}
        language={language}
        rows={rows}
        value={textOf(node, field)}
        readOnly={!onChange}
        onChange={onChange}
        problems={invalid ? [invalid] : placed}
        complete={field.kind === "json" ? undefined : complete}
        onSave={onSave}
        onRun={onRun}
      />
      <Notes id={id} hint={hint} error={general.length > 0 ? general.map(({ message }) => message).join("\n") : undefined} />
    </div>
  );
}

/** A field of a node. */
export function NodeFieldInput(props: Props) {
  const { node, field, list, onChange } = props;
  if (editors[field.kind]) return <EditorField {...props} />;
  const label = words.fields[field.name]!;
  const value = textOf(node, field);
  if (field.kind === "level") {
    return (
      <SelectField
        label={label}
        name={field.name}
        value={value || words.levelStart}
        disabled={!onChange}
        onChange={onChange}
        options={levels.map((level) => ({ value: level, label: level }))}
      />
    );
  }
  return (
    <TextField
      label={label}
      name={field.name}
      hint={words.hints[field.name]}
      value={value}
      readOnly={!onChange}
      onChange={(event) => onChange?.(event.target.value)}
      list={list}
      autoComplete="off"
      autoCapitalize="none"
      spellCheck={false}
      mono
    />
  );
}
