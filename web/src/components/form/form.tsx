import { ManybaseError, isError } from "manybase";
import { createContext, useContext, useEffect, useRef, useState, type ReactNode } from "react";
import { callLog } from "../../lib/call-log";
import { messages } from "../../messages";
import { Alert } from "../states/alert";
import { ProblemText } from "../states/problem";
import { FormProblem } from "./form-problem";
import styles from "./form.module.css";

export { FormProblem };

/** The errors of fields by their names, for fields that are outside of a `Form`. */
export const FormErrors = createContext<Readonly<Record<string, string>>>({});
export const useFieldError = (name: string): string | undefined => useContext(FormErrors)[name];

export type Values = Record<string, string>;

interface Problem {
  fields: Record<string, string>;
  /** What no field of the form shows. */
  general?: unknown;
}

/**
 * The field that a pointer leads to, or the nearest one around it with the names below it. The fields of an object are
 * named by their pointers, as `config/host`.
 */
function fieldAt(pointer: string, form: HTMLFormElement): { name: string; below: string } | undefined {
  const parts = pointer.split("/").slice(1);
  for (let length = parts.length; length > 0; length--) {
    const name = parts.slice(0, length).join("/");
    if (form.elements.namedItem(name)) return { name, below: parts.slice(length).join("/") };
  }
  return undefined;
}

function problemOf(error: unknown, form: HTMLFormElement): Problem {
  if (error instanceof FormProblem) {
    return error.field ? { fields: { [error.field]: error.message } } : { fields: {}, general: error };
  }
  const fields: Record<string, string> = {};
  let rest = true;
  if (isError(error)) {
    for (const { path, message } of error.details) {
      const field = fieldAt(path, form);
      if (!field) continue;
      const words = field.below ? `${field.below}: ${message}` : message;
      fields[field.name] = Object.hasOwn(fields, field.name) ? `${fields[field.name]}\n${words}` : words;
      rest = false;
    }
  }
  return rest ? { fields, general: error } : { fields };
}

/** Until when the server refuses calls of this form, counted down by the second. */
function useCountdown(until: number): number {
  const [left, setLeft] = useState(0);
  useEffect(() => {
    const update = () => setLeft(Math.max(0, Math.ceil((until - Date.now()) / 1000)));
    update();
    const timer = setInterval(update, 500);
    return () => clearInterval(timer);
  }, [until]);
  return left;
}

interface FormProps {
  onSubmit(values: Values): Promise<void>;
  /** The fields and the buttons; `busy` while it is sent. */
  children(busy: boolean): ReactNode;
  label: string;
  /** A dialog closes without a question though it was typed into. */
  passing?: boolean;
}

/** Sends the values of its fields, and shows errors at their field, the others above. What was typed stays. */
export function Form({ onSubmit, children, label, passing }: FormProps) {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem>({ fields: {} });
  const [until, setUntil] = useState(0);
  const left = useCountdown(until);
  const form = useRef<HTMLFormElement>(null);
  const mounted = useRef(true);

  useEffect(() => {
    mounted.current = true;
    return () => void (mounted.current = false);
  }, []);

  useEffect(() => {
    if (!busy) return undefined;
    // A refusal for some seconds is repeated by the SDK, which is not seen otherwise.
    return callLog.subscribe(() => {
      const [last] = callLog.get();
      if (last?.status === 429 && last.retryAfter) setUntil(Date.now() + last.retryAfter * 1000);
    });
  }, [busy]);

  const submit = async (): Promise<void> => {
    if (busy) return;
    setBusy(true);
    setProblem({ fields: {} });
    setUntil(0);
    try {
      const data = new FormData(form.current!);
      await onSubmit(Object.fromEntries([...data].map(([name, value]) => [name, String(value)])));
    } catch (error) {
      if (!mounted.current) return;
      const found = problemOf(error, form.current!);
      setProblem(found);
      const wait = error instanceof ManybaseError && error.code === "RATE_LIMITED" ? error.retryAfter : undefined;
      if (wait) setUntil(Date.now() + wait * 1000);
      const first = Object.keys(found.fields)[0];
      if (first) (form.current?.elements.namedItem(first) as HTMLElement | null)?.focus?.();
    } finally {
      if (mounted.current) setBusy(false);
    }
  };

  const refused = isError(problem.general, "RATE_LIMITED");
  return (
    <FormErrors value={problem.fields}>
      <form
        ref={form}
        aria-label={label}
        data-passing={passing || undefined}
        className={styles["form"]}
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        {left > 0 && <Alert>{busy ? messages.form.sentAgain(left) : messages.form.waitThen(left)}</Alert>}
        {problem.general !== undefined && !refused && (
          <Alert>
            <ProblemText error={problem.general} />
          </Alert>
        )}
        {children(busy)}
      </form>
    </FormErrors>
  );
}
