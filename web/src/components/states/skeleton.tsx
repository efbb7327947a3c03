import { messages } from "../../messages";
import styles from "./states.module.css";

/** Stands for `rows` blocks that load; it is seen after 200 ms only. */
export function Skeleton({ rows, height }: { rows: number; height: number }) {
  return (
    <div role="status" className={styles["skeleton"]}>
      <span className="visually-hidden">{messages.loading}</span>
      {Array.from({ length: rows }, (_, at) => (
        <div key={at} ref={(element) => element?.style.setProperty("height", `${height}px`)} />
      ))}
    </div>
  );
}
