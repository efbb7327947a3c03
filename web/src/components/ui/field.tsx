import { useId, type ComponentProps, type ReactNode } from "react";
import { cx } from "../../lib/class-names";
import { useFieldError } from "../form/form";
import styles from "./field.module.css";

export interface Words {
  label: string;
  hint?: ReactNode;
  name: string;
}

/** The error and the attributes of the field `name`. */
export function useDescribed({ hint, name }: Words) {
  const id = useId();
  const error = useFieldError(name);
  const described = cx(hint !== undefined && `${id}-hint`, error !== undefined && `${id}-error`) || undefined;
  return {
    error,
    id,
    input: { id, name, "aria-invalid": error ? true : undefined, "aria-describedby": described } as const,
  };
}

/** The hint and the error of a control, by the ids that `useDescribed` names. */
export function Notes({ id, hint, error }: { id: string; hint?: ReactNode; error?: string }) {
  return (
    <>
      {hint !== undefined && (
        <p id={`${id}-hint`} className={styles["hint"]}>
          {hint}
        </p>
      )}
      {error !== undefined && (
        <p id={`${id}-error`} className={styles["error"]}>
          {error}
        </p>
      )}
    </>
  );
}

/** A control with its label, hint and error. */
export function Frame({ id, label, hint, error, children }: Omit<Words, "name"> & { id: string; error?: string; children: ReactNode }) {
  return (
    <div className={styles["field"]}>
      <label htmlFor={id}>{label}</label>
      {children}
      <Notes id={id} hint={hint} error={error} />
    </div>
  );
}

/** A line of text with its label; the form's error for `name` is shown below it. */
export function TextField({ label, hint, mono, ...rest }: Words & ComponentProps<"input"> & { mono?: boolean }) {
  const { error, id, input } = useDescribed({ label, hint, name: rest.name });
  return (
    <Frame id={id} label={label} hint={hint} error={error}>
      <input type="text" {...rest} {...input} className={cx(styles["control"], mono && styles["mono"])} />
    </Frame>
  );
}

/** Several lines of text, for code. */
export function CodeField({ label, hint, ...rest }: Words & ComponentProps<"textarea">) {
  const { error, id, input } = useDescribed({ label, hint, name: rest.name });
  return (
    <Frame id={id} label={label} hint={hint} error={error}>
      <textarea
        spellCheck={false}
        autoCapitalize="none"
        rows={6}
        {...rest}
        {...input}
        className={cx(styles["control"], styles["mono"])}
      />
    </Frame>
  );
}

export interface Choice {
  value: string;
  label: string;
  hint?: string;
}

/** One of a few choices, each with a line that explains it. */
export function Choices({ label, name, choices, initial }: { label: string; name: string; choices: Choice[]; initial: string }) {
  return (
    <fieldset className={styles["choices"]}>
      <legend>{label}</legend>
      {choices.map(({ value, label: text, hint }) => (
        <label key={value}>
          <input type="radio" name={name} value={value} defaultChecked={value === initial} />
          <span>
            <b>{text}</b>
            {hint && <span className={styles["hint"]}>{hint}</span>}
          </span>
        </label>
      ))}
    </fieldset>
  );
}
