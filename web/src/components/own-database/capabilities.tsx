import { CircleCheck, TriangleAlert } from "lucide-react";
import type { ByoCapabilities, ProjectWarning } from "manybase/control";
import { ownDatabaseMessages } from "../../messages/own-database";
import styles from "./own-database.module.css";

const words = ownDatabaseMessages.capabilities;
const names = ["changeStreams", "preImages", "transactions"] as const;

/** What a database can do, and what not with what that means, in words. */
export function Capabilities({ of }: { of: ByoCapabilities }) {
  return (
    <ul aria-label={words.label} className={styles["list"]}>
      {names.map((name) => {
        const works = of[name];
        const Icon = works ? CircleCheck : TriangleAlert;
        return (
          <li key={name}>
            <Icon size={16} strokeWidth={1.75} aria-hidden className={works ? styles["works"] : styles["lacks"]} />
            <div>
              <p>
                <b>{words[name].title}</b> {works ? words.works : words.lacks}
              </p>
              <p className={styles["text"]}>{works ? words[name].works : words[name].lacks}</p>
            </div>
          </li>
        );
      })}
    </ul>
  );
}

/** Warnings of capabilities say what the list of these says already. */
const ofCapabilities = new Set(["no-change-streams", "no-pre-images", "no-transactions"]);

/** The other warnings of a database, each with what to do about it. */
export function DatabaseWarnings({ label, warnings }: { label: string; warnings: readonly ProjectWarning[] }) {
  const shown = warnings.filter(({ code }) => !ofCapabilities.has(code));
  if (shown.length === 0) return null;
  return (
    <ul aria-label={label} className={styles["list"]}>
      {shown.map(({ code, message }) => (
        <li key={message}>
          <TriangleAlert size={16} strokeWidth={1.75} aria-hidden className={styles["lacks"]} />
          <div>
            <p>
              <bdi>{message}</bdi>
            </p>
            <p className={styles["text"]}>{ownDatabaseMessages.advice[code]}</p>
          </div>
        </li>
      ))}
    </ul>
  );
}
