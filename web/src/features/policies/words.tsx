import { MessageSquareText } from "lucide-react";
import { policiesMessages } from "../../messages/policies";
import type { JsonObject } from "./model/json";
import type { RuleName } from "./model/rules";
import { ruleWords, type Part } from "./model/words";
import styles from "./policies.module.css";

/** Words, and names between them. */
export function Parts({ parts }: { parts: readonly Part[] }) {
  return parts.map((part, at) =>
    typeof part === "string" ? (
      part
    ) : (
      <code key={at}>
        <bdi>{part.code}</bdi>
      </code>
    ),
  );
}

/** A rule in words. */
export function InWords({ rule, name, byPublic }: { rule: JsonObject | undefined; name: RuleName; byPublic: boolean }) {
  return (
    <div className={styles["words"]}>
      <MessageSquareText size={16} strokeWidth={1.75} aria-hidden />
      <div>
        <b>{policiesMessages.rules.inWords}: </b>
        {ruleWords(rule, name, byPublic).map((sentence, at) => (
          <span key={at}>
            <Parts parts={sentence} />{" "}
          </span>
        ))}
      </div>
    </div>
  );
}
