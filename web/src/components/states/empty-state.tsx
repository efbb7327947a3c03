import type { ReactNode } from "react";
import styles from "./states.module.css";

/** What a list without entries is for, with one action. */
export function EmptyState({ title, children, action }: { title: string; children: ReactNode; action?: ReactNode }) {
  return (
    <div className={styles["empty"]}>
      <h2>{title}</h2>
      <p>{children}</p>
      {action}
    </div>
  );
}
