import { useState } from "react";
import { readJson } from "../../lib/json-source";
import { CodeEditor } from "../editor/code-editor";
import { Notes, useDescribed, type Words } from "../ui/field";
import styles from "./form.module.css";

interface JsonFieldProps extends Words {
  initial: string;
  /** Its height in lines. */
  rows?: number;
  readOnly?: boolean;
}

/** JSON as a field of a form, with its label. Once the form has an error for `name`, a mistake is marked at its line. */
export function JsonField({ initial, rows = 8, readOnly, ...words }: JsonFieldProps) {
  const [text, setText] = useState(initial);
  const { error, id, input } = useDescribed(words);
  const read = error === undefined ? undefined : readJson(text);
  return (
    <div role="group" aria-labelledby={id} aria-describedby={input["aria-describedby"]} className={styles["json"]}>
      <span id={id} className={styles["label"]}>
        {words.label}
      </span>
      <CodeEditor
        label={words.label}
        value={text}
        onChange={setText}
        language="json"
        rows={rows}
        readOnly={readOnly}
        problems={read?.problem && [read.problem]}
      />
      <input type="hidden" name={words.name} value={text} />
      <Notes id={id} hint={words.hint} error={error} />
    </div>
  );
}
