import type { Function as ServerFunction } from "manybase/admin";
import { triggerOf, triggerWords } from "./triggers";
import styles from "./functions.module.css";

/** When a function, or a version of it, runs. */
export function TriggerLine({ holder }: { holder: Pick<ServerFunction, "trigger" | "timing"> }) {
  const { words, subject } = triggerWords(triggerOf(holder), holder.timing);
  return (
    <span>
      {words}
      {subject !== undefined && (
        <>
          {" "}
          <code className={styles["subject"]}>
            <bdi>{subject}</bdi>
          </code>
        </>
      )}
    </span>
  );
}
