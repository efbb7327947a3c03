import type { Integration, IntegrationSuiteOutcome } from "manybase/admin";
import { adminOf } from "../../app/queries";
import { testName } from "../../components/tests/stored";
import { StoredTests } from "../../components/tests/stored-tests";
import { Badge } from "../../components/ui/badge";
import { sameJson } from "../../lib/json";
import { integrationMessages } from "../../messages/integrations";
import { exampleArgs, type Operation } from "./catalogue";
import { testOfCall } from "./outcome";
import { testsOf } from "./tests";

const words = integrationMessages.tests;

/** The last results, with the tests that they are of. */
export interface Report {
  of: Integration["tests"];
  report: IntegrationSuiteOutcome;
}

interface Props {
  projectId: string;
  integration: Integration;
  /** Of the first test. */
  operation: Operation;
  mayManage: boolean;
  report: Report | undefined;
  onReport(report: Report): void;
}

/** The stored tests of an integration, with what came of them. */
export function TestsTab({ projectId, integration, operation, mayManage, report, onReport }: Props) {
  const { name, tests } = integration;
  const initial = () => {
    const args = exampleArgs(operation, integrationMessages.attempt.examples);
    return testOfCall({ op: operation.name, args, mode: "dry", stub: {} }, tests.map(testName));
  };
  return (
    <StoredTests
      from={testsOf(projectId, integration)}
      report={report && sameJson(report.of, tests) ? report.report : undefined}
      mayManage={mayManage}
      purpose={words.purpose}
      hint={words.hint}
      initial={initial}
      onRun={async () => onReport({ of: tests, report: await adminOf(projectId).runIntegrationTests(name) })}
      about={(test) => <Badge tone={Object.hasOwn(test, "stub") ? "plain" : "info"}>{Object.hasOwn(test, "stub") ? words.dry : words.live}</Badge>}
    />
  );
}
