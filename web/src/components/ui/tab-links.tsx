import { useEffect, useRef, type ReactNode } from "react";
import styles from "./tab-links.module.css";

/** The links between the screens of one area, which look like tabs; `label` names them for readers of the screen. */
export function TabLinks({ label, children }: { label: string; children: ReactNode }) {
  const nav = useRef<HTMLElement>(null);
  // Where the links are wider than the window, the current one is seen.
  useEffect(() => {
    // Newer browsers return a promise, which is not for React.
    void nav.current?.querySelector('[aria-current="page"]')?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, []);
  return (
    <nav ref={nav} aria-label={label} className={styles["tabs"]}>
      {children}
    </nav>
  );
}
