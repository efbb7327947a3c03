import { useState } from "react";
import { isObject, printJson } from "../../lib/json";
import { JsonProblem, parseJson } from "../../lib/json-source";
import { testMessages as words } from "../../messages/tests";
import { CodeEditor } from "../editor/code-editor";
import { DialogForm } from "../form/dialog-form";
import { FormProblem } from "../form/form";
import { Dialog } from "../ui/dialog";
import { toast } from "../ui/toast";
import { saveTests, type TestStore } from "./stored";

interface Props {
  from: TestStore;
  /** The place of the test that is edited; a new one without it. */
  at?: number | undefined;
  /** What the text is at first. */
  initial: object;
  /** What a test is made of. */
  hint: string;
  onClose(): void;
}

/** Edits a stored test as JSON. */
export function TestDialog({ from, at, initial, hint, onClose }: Props) {
  const [text, setText] = useState(() => printJson(initial));
  const [mistake, setMistake] = useState<JsonProblem>();
  const title = at === undefined ? words.newTitle : words.editTitle;

  const save = async () => {
    setMistake(undefined);
    let test: unknown;
    try {
      test = parseJson(text);
    } catch (error) {
      if (error instanceof JsonProblem) setMistake(error);
      throw new FormProblem("", words.notJson((error as Error).message));
    }
    if (!isObject(test)) throw new FormProblem("", words.noObject);
    const tests = [...from.tests];
    tests[at ?? tests.length] = test;
    await saveTests(from, tests);
    toast(words.saved);
    onClose();
  };
  return (
    <Dialog open onClose={onClose} title={title} description={hint} wide>
      <DialogForm label={title} action={words.action} onSubmit={save} onClose={onClose}>
        <CodeEditor
          label={words.case}
          value={text}
          onChange={(next) => {
            setText(next);
            setMistake(undefined);
          }}
          language="json"
          rows={16}
          problems={mistake && [{ line: mistake.line, ...(mistake.column ? { column: mistake.column } : {}), message: mistake.message }]}
        />
      </DialogForm>
    </Dialog>
  );
}
