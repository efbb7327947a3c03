import type { ReactNode } from "react";
import styles from "./states.module.css";

/** What a list without entries is for, with one action. */
export function EmptyState({ title, children, action, whole }: {
  title: string;
  children: ReactNode;
  action?: ReactNode;
  /** In place of a page. */
  whole?: boolean;
}) {
  const Heading = whole ? "h1" : "h2";
  return (
    <div className={styles["empty"]}>
      <Heading tabIndex={whole ? -1 : undefined}>{title}</Heading>
      <p>{children}</p>
      {action}
    </div>
  );
}
