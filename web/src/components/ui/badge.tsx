import type { ReactNode } from "react";
import { cx } from "../../lib/class-names";
import styles from "./badge.module.css";

export type Tone = "plain" | "good" | "warn" | "bad" | "info";

export function Badge({ tone = "plain", children }: { tone?: Tone; children: ReactNode }) {
  return <span className={cx(styles["badge"], styles[tone])}>{children}</span>;
}

/** The pill of an environment: production with a green dot, others by their label in amber. */
export function EnvironmentPill({ label }: { label: string | null }) {
  return (
    <span className={cx(styles["pill"], label !== null && styles["other"])}>
      {label === null && <span aria-hidden className={styles["dot"]} />}
      <bdi>{label ?? "production"}</bdi>
    </span>
  );
}
