import type { ReactNode } from "react";
import styles from "./tab-links.module.css";

/** The links between the screens of one area, which look like tabs; `label` names them for readers of the screen. */
export function TabLinks({ label, children }: { label: string; children: ReactNode }) {
  return (
    <nav aria-label={label} className={styles["tabs"]}>
      {children}
    </nav>
  );
}
