import { CircleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { cx } from "../../lib/class-names";
import styles from "./states.module.css";

/** A text that readers of the screen announce at once. */
export function Alert({ children, tone = "bad" }: { children: ReactNode; tone?: "bad" | "warn" }) {
  return (
    <div role="alert" className={cx(styles["alert"], tone === "warn" && styles["warn"])}>
      <CircleAlert size={16} strokeWidth={1.75} aria-hidden />
      <div>{children}</div>
    </div>
  );
}
