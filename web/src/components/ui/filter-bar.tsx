import type { ReactNode } from "react";
import type { Option } from "./select-field";
import styles from "./filter-bar.module.css";

/** Filters of a list, and how much they leave, which readers of the screen announce. */
export function FilterBar({ status, children }: { status: string; children: ReactNode }) {
  return (
    <div className={styles["bar"]} role="search">
      {children}
      <span role="status" className={styles["status"]}>
        {status}
      </span>
    </div>
  );
}

/** A text to filter by; `label` is its name, and is shown in it while it is empty. */
export function FilterText({ label, value, onChange }: { label: string; value: string; onChange(text: string): void }) {
  return (
    <input
      type="search"
      aria-label={label}
      placeholder={label}
      value={value}
      autoCapitalize="none"
      spellCheck={false}
      className={styles["text"]}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}

/** A choice to filter or sort by. */
export function FilterChoice({ label, value, options, onChange }: {
  label: string;
  value: string;
  options: readonly Option[];
  onChange(value: string): void;
}) {
  return (
    <select aria-label={label} title={label} value={value} className={styles["choice"]} onChange={(event) => onChange(event.target.value)}>
      {options.map((option) => (
        <option key={option.value} value={option.value}>
          {option.label}
        </option>
      ))}
    </select>
  );
}
