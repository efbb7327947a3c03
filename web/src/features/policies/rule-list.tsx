import { useId } from "react";
import { Badge } from "../../components/ui/badge";
import { policiesMessages } from "../../messages/policies";
import { defaultPolicy } from "./data";
import type { Draft, TextName } from "./draft";
import type { RuleProblems } from "./model/problems";
import { operationOf, operations, publicOperations, ruleOf, type RuleName } from "./model/rules";
import { shortWords } from "./model/words";
import styles from "./policies.module.css";

const words = policiesMessages.rules;

interface RuleListProps {
  collection: string;
  draft: Draft;
  problems: RuleProblems;
  current: TextName;
  onOpen(name: TextName): void;
}

/** The rules of a policy, each with who may do it. */
export function RuleList({ collection, draft, problems, current, onOpen }: RuleListProps) {
  const id = useId();
  const entry = (name: TextName) => (
    <li key={name}>
      <button type="button" aria-current={name === current ? "true" : undefined} onClick={() => onOpen(name)}>
        <span className={styles["ruleName"]}>
          {name === "whole" ? words.whole : words.names[operationOf(name)]}
          {name !== "whole" && problems[name] ? (
            <Badge tone="bad">{words.wrong}</Badge>
          ) : draft.unfinished.includes(name) ? (
            <Badge tone="warn">{words.wrong}</Badge>
          ) : (
            name !== "whole" && draft.changes.includes(name) && <Badge tone="info">{words.changed}</Badge>
          )}
        </span>
        <span className={styles["ruleWho"]}>{name === "whole" ? words.wholeText : shortWords(ruleOf(draft.policy, name), name)}</span>
      </button>
    </li>
  );
  const visitors: RuleName[] = publicOperations.map((one) => `public.${one}` as const);
  return (
    <nav aria-label={words.label} className={styles["rules"]}>
      <h3 id={`${id}-users`}>{words.users}</h3>
      <ul aria-labelledby={`${id}-users`}>{operations.map(entry)}</ul>
      {collection !== defaultPolicy && (
        <>
          <h3 id={`${id}-visitors`}>{words.visitors}</h3>
          <ul aria-labelledby={`${id}-visitors`}>{visitors.map(entry)}</ul>
        </>
      )}
      <ul aria-label={words.whole}>{entry("whole")}</ul>
    </nav>
  );
}
