import type { ReactNode } from "react";
import styles from "./facts.module.css";

export type Fact = readonly [label: string, value: ReactNode] | false | "" | null | undefined;

/** Labels with their values, one on a line; what is not there is left out. */
export function Facts({ rows }: { rows: readonly Fact[] }) {
  return (
    <dl className={styles["facts"]}>
      {rows.map(
        (row) =>
          row && (
            <div key={row[0]}>
              <dt>{row[0]}</dt>
              <dd>{row[1]}</dd>
            </div>
          ),
      )}
    </dl>
  );
}
