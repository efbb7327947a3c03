import { useEffect, useId, useRef, useState } from "react";
import { cx } from "../../lib/class-names";
import { messages } from "../../messages";
import { ErrorState } from "../states/problem";
import { Skeleton } from "../states/skeleton";
import type { Editor } from "./code-mirror";
import styles from "./editor.module.css";
import { loadEditor } from "./load";
import type { CodeLanguage, CodeProblem, Suggestion } from "./types";

export type { CodeLanguage, CodeProblem, Suggestion };

interface CodeEditorProps {
  /** The name for readers of the screen; it is not shown. */
  label: string;
  value: string;
  onChange?(text: string): void;
  language: CodeLanguage;
  readOnly?: boolean;
  /** Its height in lines; without them it takes the height of its parent. */
  rows?: number;
  /** Marked in the text, and listed below it. */
  problems?: readonly CodeProblem[];
  /** Ctrl S, or Command S. */
  onSave?(): void;
  /** Ctrl Enter, or Command Enter. */
  onRun?(): void;
  /** Words that it offers while someone types. */
  complete?: readonly Suggestion[];
}

const lineHeight = 20;
const none: readonly never[] = [];

/** An editor of code. It loads on first use; the text is that of `value`, and each change is reported. */
export function CodeEditor(props: CodeEditorProps) {
  const { label, value, language, readOnly = false, rows, problems = none } = props;
  const id = useId();
  const parent = useRef<HTMLDivElement>(null);
  const editor = useRef<Editor>(undefined);
  // What the editor holds: comparing with this keeps the cursor while the owner passes back what was typed.
  const text = useRef(value);
  const latest = useRef(props);
  latest.current = props;
  const [state, setState] = useState<"loading" | "ready" | { error: unknown }>("loading");
  const [attempt, setAttempt] = useState(0);

  useEffect(() => {
    let left = false;
    const start = async () => {
      const { createEditor } = await loadEditor();
      if (left) return;
      text.current = latest.current.value;
      const call = (name: "onSave" | "onRun") => () => {
        latest.current[name]?.();
        return latest.current[name] !== undefined;
      };
      const made = await createEditor(parent.current!, {
        label,
        describedBy: id,
        text: text.current,
        language,
        readOnly: latest.current.readOnly ?? false,
        onChange(next) {
          text.current = next;
          latest.current.onChange?.(next);
          // Forms around learn of every change, also of those that the editor makes by itself.
          parent.current?.dispatchEvent(new Event("input", { bubbles: true }));
        },
        onSave: call("onSave"),
        onRun: call("onRun"),
        suggestions: () => latest.current.complete ?? none,
      });
      if (left) return made.destroy();
      editor.current = made;
      setState("ready");
    };
    start().catch((error: unknown) => !left && setState({ error }));
    return () => {
      left = true;
      editor.current?.destroy();
      editor.current = undefined;
    };
  }, [label, id, language, attempt]);

  const ready = state === "ready";
  useEffect(() => {
    if (!ready || value === text.current) return;
    text.current = value;
    editor.current?.setText(value);
  }, [ready, value]);
  useEffect(() => editor.current?.setReadOnly(readOnly), [ready, readOnly]);
  useEffect(() => editor.current?.setProblems(problems), [ready, problems]);

  const completing = props.complete !== undefined;
  useEffect(() => editor.current?.setCompleting(completing), [ready, completing]);

  const failed = typeof state === "object";
  const retry = () => {
    setState("loading");
    setAttempt((n) => n + 1);
  };
  return (
    <div className={cx(styles["editor"], rows === undefined && styles["fill"])}>
      {failed && <ErrorState error={state.error} onRetry={retry} />}
      {state === "loading" && <Skeleton rows={1} height={(rows ?? 8) * lineHeight} />}
      <div
        ref={(element) => {
          parent.current = element;
          if (rows !== undefined) element?.style.setProperty("height", `${rows * lineHeight + 10}px`);
        }}
        hidden={!ready}
        className={styles["frame"]}
      />
      <ul id={id} className={styles["problems"]}>
        {problems.map((problem, at) => (
          <li key={at}>
            <button type="button" onClick={() => editor.current?.goTo(problem)}>
              {messages.editor.problem(problem)}
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
