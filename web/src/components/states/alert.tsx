import { CircleAlert } from "lucide-react";
import type { ReactNode } from "react";
import styles from "./states.module.css";

/** A text that readers of the screen announce at once. */
export function Alert({ children }: { children: ReactNode }) {
  return (
    <div role="alert" className={styles["alert"]}>
      <CircleAlert size={16} strokeWidth={1.75} aria-hidden />
      <div>{children}</div>
    </div>
  );
}
