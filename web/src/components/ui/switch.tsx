import styles from "./switch.module.css";

interface SwitchProps {
  label: string;
  checked: boolean;
  onChange(checked: boolean): void;
  /** While a change is sent. */
  busy?: boolean;
  disabled?: boolean;
}

/** A setting that applies at once; `label` is its name for readers of the screen. */
export function Switch({ label, checked, onChange, busy, disabled }: SwitchProps) {
  return (
    <button
      type="button"
      role="switch"
      aria-label={label}
      aria-checked={checked}
      aria-busy={busy || undefined}
      disabled={disabled}
      title={label}
      className={styles["switch"]}
      onClick={() => !busy && onChange(!checked)}
    >
      <span aria-hidden />
    </button>
  );
}
