import { useEffect, type ReactNode } from "react";
import { messages } from "../../messages";
import styles from "./page.module.css";

/** Names the window after the screen. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · ${messages.product}`;
  }, [title]);
}

interface PageProps {
  title: string;
  /** Before the title. */
  mark?: ReactNode;
  /** After the title: badges. */
  about?: ReactNode;
  /** At the end of the line. */
  actions?: ReactNode;
  children: ReactNode;
  narrow?: boolean;
}

/** A screen: its title, what can be done with it, and its parts. */
export function Page({ title, mark, about, actions, children, narrow }: PageProps) {
  useTitle(title);
  return (
    <div className={narrow ? styles["narrow"] : styles["page"]}>
      <header className={styles["header"]}>
        <div className={styles["title"]}>
          {mark}
          <h1 tabIndex={-1}>
            <bdi>{title}</bdi>
          </h1>
          {about}
        </div>
        {actions !== undefined && <div className={styles["actions"]}>{actions}</div>}
      </header>
      {children}
    </div>
  );
}
