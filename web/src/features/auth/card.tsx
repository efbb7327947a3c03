import type { ReactNode } from "react";
import { Mark } from "../../components/shell/mark";
import { useTitle } from "../../components/shell/page";
import styles from "./card.module.css";

/** The frame of the screens before a session. */
export function Card({ title, text, children }: { title: string; text?: ReactNode; children: ReactNode }) {
  useTitle(title);
  return (
    <main className={styles["page"]}>
      <div className={styles["card"]}>
        <Mark size={28} />
        <header>
          <h1 tabIndex={-1}>{title}</h1>
          {text !== undefined && <p>{text}</p>}
        </header>
        {children}
      </div>
    </main>
  );
}

export function CardFooter({ children }: { children: ReactNode }) {
  return <p className={styles["footer"]}>{children}</p>;
}
