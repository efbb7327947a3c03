import { useId, type ReactNode } from "react";
import styles from "./panel.module.css";

/** A part of a page with a heading. */
export function Panel({ title, aside, children }: { title: string; aside?: ReactNode; children: ReactNode }) {
  const id = useId();
  return (
    <section aria-labelledby={id} className={styles["panel"]}>
      <header>
        <h2 id={id}>{title}</h2>
        {aside}
      </header>
      {children}
    </section>
  );
}

/** The only part of a page, whose title is its heading. */
export function Card({ children }: { children: ReactNode }) {
  return <div className={styles["card"]}>{children}</div>;
}

export function PanelBody({ children }: { children: ReactNode }) {
  return <div className={styles["body"]}>{children}</div>;
}
