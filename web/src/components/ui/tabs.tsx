import { Tabs as Base } from "@base-ui/react/tabs";
import type { ReactNode } from "react";
import styles from "./tabs.module.css";

export interface TabItem<T extends string> {
  value: T;
  label: string;
  count?: number;
}

interface TabsProps<T extends string> {
  label: string;
  value: T;
  onChange(value: T): void;
  items: readonly TabItem<T>[];
  /** The content of the chosen tab. */
  children: ReactNode;
}

/** Tabs, and below them what the chosen one shows. Arrows move, Enter or Space chooses. */
export function Tabs<T extends string>({ label, value, onChange, items, children }: TabsProps<T>) {
  return (
    <Base.Root value={value} onValueChange={(next) => onChange(next as T)} className={styles["tabs"]}>
      <Base.List aria-label={label} className={styles["list"]}>
        {items.map((item) => (
          <Base.Tab key={item.value} value={item.value} className={styles["tab"]}>
            {item.label}
            {item.count !== undefined && <span className={styles["count"]}>{item.count.toLocaleString("en")}</span>}
          </Base.Tab>
        ))}
      </Base.List>
      <Base.Panel value={value} className={styles["panel"]}>
        {children}
      </Base.Panel>
    </Base.Root>
  );
}
