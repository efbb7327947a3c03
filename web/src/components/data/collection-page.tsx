import type { ReactNode } from "react";
import { useTitle } from "../shell/page";
import styles from "./collection-page.module.css";

interface CollectionPageProps {
  /** Of the tab. */
  title: string;
  collection: string;
  /** After the title: badges. */
  about?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}

/** A screen of a collection below its tabs, which names the window: a line with what can be done, then its parts. */
export function CollectionPage({ title, collection, about, actions, children }: CollectionPageProps) {
  useTitle(`${title} of ${collection}`);
  return (
    <div className={styles["page"]}>
      <header className={styles["header"]}>
        <div className={styles["title"]}>
          <h2>
            <bdi>{title}</bdi>
          </h2>
          {about}
        </div>
        {actions !== undefined && <div className={styles["actions"]}>{actions}</div>}
      </header>
      {children}
    </div>
  );
}
