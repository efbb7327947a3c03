import { useId } from "react";
import styles from "./policies.module.css";

export interface WhoChoice<T extends string> {
  value: T;
  label: string;
  hint?: string;
}

/** One of a few choices, which the owner holds. */
export function WhoField<T extends string>({ label, value, choices, onChange }: {
  label: string;
  value: T;
  choices: readonly WhoChoice<T>[];
  onChange(value: T): void;
}) {
  const name = useId();
  return (
    <fieldset className={styles["who"]}>
      <legend>{label}</legend>
      {choices.map((choice) => (
        <label key={choice.value}>
          <input type="radio" name={name} checked={choice.value === value} onChange={() => onChange(choice.value)} />
          <span>
            <b>{choice.label}</b>
            {choice.hint && <span className={styles["hint"]}>{choice.hint}</span>}
          </span>
        </label>
      ))}
    </fieldset>
  );
}
