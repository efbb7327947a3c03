import type { PolicyTest, PolicyTestReport, PolicyTestResult } from "manybase/admin";
import { Badge } from "../../components/ui/badge";
import { policiesMessages } from "../../messages/policies";
import { StepList } from "./step-list";
import styles from "./policies.module.css";

const words = policiesMessages.tests;

export function ResultBadge({ result }: { result: PolicyTestResult | undefined }) {
  if (!result) return null;
  return result.passed ? <Badge tone="good">{words.passed}</Badge> : <Badge tone="bad">{words.failed(words.got[result.got])}</Badge>;
}

export function Summary({ report }: { report: PolicyTestReport }) {
  return (
    <span role="status">
      <Badge tone={report.failed ? "bad" : "good"}>{words.summary(report.passed, report.failed)}</Badge>
    </span>
  );
}

/** The steps of the tests that failed. */
export function Failures({ report }: { report: PolicyTestReport }) {
  return report.results
    .filter((one) => !one.passed && one.steps.length > 0)
    .map((one) => (
      <details key={`${one.collection} ${one.name}`} className={styles["failure"]}>
        <summary>
          <bdi>{words.steps(one.name)}</bdi>
        </summary>
        <StepList steps={one.steps} />
      </details>
    ));
}

/** A test's request in a line: who does what. */
export const requestWords = ({ caller, operation }: PolicyTest): string =>
  `${operation}, ${caller.anonymous ? policiesMessages.seen.visitor : [caller.role, caller.uid].filter(Boolean).join(" ")}`;
