import { CircleCheck, CircleX } from "lucide-react";
import { policiesMessages } from "../../messages/policies";
import { stepView } from "./model/steps";
import styles from "./policies.module.css";
import { Parts } from "./words";

const words = policiesMessages.steps;

/** How the server evaluated a request, one step after another. The last one that is shown is where it ended. */
export function StepList({ steps }: { steps: readonly Record<string, unknown>[] }) {
  return (
    <ol aria-label={words.label} className={styles["steps"]}>
      {steps.map(stepView).map(({ title, passed, lines }, at) => (
        <li key={at}>
          {passed ? (
            <CircleCheck size={16} strokeWidth={1.75} aria-hidden className={styles["good"]} />
          ) : (
            <CircleX size={16} strokeWidth={1.75} aria-hidden className={styles["bad"]} />
          )}
          <div>
            <b>{title}</b> <span className={passed ? "visually-hidden" : styles["bad"]}>{passed ? words.passed : words.failed}</span>
            {lines.map((parts, line) => (
              <p key={line}>
                <Parts parts={parts} />
              </p>
            ))}
          </div>
        </li>
      ))}
    </ol>
  );
}
