import type { Function as ServerFunction, FunctionTestReport } from "manybase/admin";
import { adminOf } from "../../app/queries";
import { Alert } from "../../components/states/alert";
import { StoredTests } from "../../components/tests/stored-tests";
import { sameJson } from "../../lib/json";
import { functionMessages } from "../../messages/functions";
import { LogLines } from "./run-detail";
import { exampleTest, testsOf } from "./tests";

const words = functionMessages.tests;

/** The last results, with the tests that they are of. */
export interface Report {
  of: ServerFunction["tests"];
  report: FunctionTestReport;
}

interface Props {
  projectId: string;
  one: ServerFunction;
  mayManage: boolean;
  /** The code has changes that are not saved. */
  unsaved: boolean;
  report: Report | undefined;
  onReport(report: Report): void;
}

/** The stored tests of a function, with what came of them. */
export function TestsTab({ projectId, one, mayManage, unsaved, report, onReport }: Props) {
  const { tests } = one;
  return (
    <>
      {unsaved && <Alert tone="warn">{words.unsaved}</Alert>}
      <StoredTests
        from={testsOf(projectId, one)}
        report={report && sameJson(report.of, tests) ? report.report : undefined}
        mayManage={mayManage}
        purpose={words.noneText}
        hint={words.hint}
        initial={() => exampleTest(one)}
        onRun={async () => onReport({ of: tests, report: await adminOf(projectId).runFunctionTests(one.name) })}
        more={(name, { passed, logs }) => !passed && logs.length > 0 && <LogLines label={words.logOf(name)} lines={logs} />}
      />
    </>
  );
}
