import { isError } from "manybase";
import { useEffect, useId, useRef, useState, type ComponentProps, type FocusEvent, type KeyboardEvent, type RefObject } from "react";
import { wordsOf } from "../../components/states/problem";
import type { Fields } from "../../lib/json";
import { documentMessages as words } from "../../messages/documents";
import styles from "./cell-editor.module.css";
import { controlText, controlValue, type Control } from "./cells";
import { misfit, own } from "./values";

/** The cell that is edited: a field of a document, which stays in its row until the end. */
export interface EditedCell {
  row: number;
  document: Fields;
  name: string;
  control: Control;
}

/** What the screen knows of an open editor. */
export interface OpenEditor {
  /** Whether something typed is not saved. */
  changed(): boolean;
  /** Saves what is typed: whether nothing is left to save. */
  commit(): Promise<boolean>;
}

interface CellEditorProps {
  cell: EditedCell;
  editor: RefObject<OpenEditor | undefined>;
  save(cell: EditedCell, value: unknown): Promise<void>;
  /** Nothing is left to save. With `step` the focus goes back to the grid, so many cells further. */
  onDone(step?: number): void;
}

type Input = HTMLInputElement & HTMLTextAreaElement & HTMLSelectElement;

function problemOf(error: unknown): string {
  return isError(error) && error.details.length > 0 ? error.details.map(({ message }) => message).join("\n") : wordsOf(error);
}

function valueOf(text: string, control: Control): unknown {
  try {
    return controlValue(text, control);
  } catch (error) {
    throw new Error(misfit(error, control.kind === "number" ? "number" : "json"));
  }
}

/** More lines of a text are reached by scrolling. */
const maxLines = 6;

type Shared = Pick<ComponentProps<"input">, "aria-label" | "aria-invalid" | "aria-describedby" | "aria-busy" | "className"> & {
  ref: RefObject<Input | null>;
  defaultValue: string;
  onKeyDown(event: KeyboardEvent): void;
  onBlur(event: FocusEvent): void;
};

function Field({ control, shared }: { control: Control; shared: Shared }) {
  if (control.kind === "choice") {
    return (
      <select {...shared}>
        {control.options.map(({ value, label }) => (
          <option key={value} value={value}>
            {label || words.panel.unset}
          </option>
        ))}
      </select>
    );
  }
  if (control.kind === "text") {
    return <textarea {...shared} rows={Math.min(maxLines, shared.defaultValue.split("\n").length)} dir="auto" spellCheck={false} autoCapitalize="none" />;
  }
  if (control.kind === "number") return <input {...shared} type="text" inputMode="decimal" autoComplete="off" />;
  return <input {...shared} type={control.kind === "date" ? "date" : "datetime-local"} step={control.kind === "date" ? undefined : "any"} />;
}

/** Edits a value in its cell: Enter and leaving it save, Escape restores. A refusal is shown at it, and what was typed stays. */
export function CellEditor({ cell, editor, save, onDone }: CellEditorProps) {
  const { document, name, control } = cell;
  const id = useId();
  const input = useRef<Input>(null);
  const alert = useRef<HTMLParagraphElement>(null);
  // As the control gives it back, which may write a value in another form.
  const saved = useRef("");
  const running = useRef<Promise<boolean>>(undefined);
  const done = useRef(false);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();

  const changed = () => !done.current && (input.current!.value !== saved.current || input.current!.validity.badInput);
  const run = async (): Promise<boolean> => {
    if (!changed()) return true;
    const text = input.current!.value;
    setProblem(undefined);
    setBusy(true);
    try {
      if (input.current!.validity.badInput) throw new Error(words.cell.notDate);
      await save(cell, valueOf(text, control));
      saved.current = text;
      // What was typed since is not saved yet.
      return !changed();
    } catch (error) {
      setProblem(problemOf(error));
      return false;
    } finally {
      setBusy(false);
    }
  };
  const commit = () => (running.current ??= run().finally(() => (running.current = undefined)));
  const end = (step?: number) => {
    if (done.current) return;
    done.current = true;
    onDone(step);
  };
  const finish = async (step?: number) => {
    if (await commit()) end(step);
  };

  useEffect(() => {
    const element = input.current!;
    saved.current = element.value;
    element.focus();
    if (control.kind === "number") element.select();
    else if (control.kind === "text") element.setSelectionRange(element.value.length, element.value.length);
    return () => void (editor.current = undefined);
  }, [control, editor]);
  useEffect(() => {
    editor.current = { changed, commit };
  });
  useEffect(() => {
    if (problem !== undefined) alert.current?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [problem]);

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Escape") end(0);
    else if (event.key === "Enter" && !event.shiftKey) void finish(0);
    else if (event.key === "Tab") void finish(event.shiftKey ? -1 : 1);
    else return;
    event.preventDefault();
  };
  const shared: Shared = {
    "aria-label": control.kind === "moment" ? words.cell.moment(name) : name,
    "aria-invalid": problem !== undefined || undefined,
    "aria-describedby": problem === undefined ? undefined : id,
    "aria-busy": busy || undefined,
    ref: input,
    defaultValue: controlText(own(document, name), control),
    className: styles["control"],
    onKeyDown,
    onBlur: (event: FocusEvent) => {
      // Another window is in front: the person comes back to it.
      if (event.relatedTarget !== null || window.document.hasFocus()) void finish();
    },
  };
  return (
    <div className={styles["editor"]}>
      <Field control={control} shared={shared} />
      {problem !== undefined && (
        <p ref={alert} id={id} role="alert" className={styles["problem"]}>
          {problem}
        </p>
      )}
    </div>
  );
}
