import { Pencil, Trash2 } from "lucide-react";
import { useState, type ReactNode } from "react";
import { testMessages as words } from "../../messages/tests";
import { ConfirmDialog } from "../form/confirm-dialog";
import { EmptyState } from "../states/empty-state";
import { ErrorState } from "../states/problem";
import { Badge } from "../ui/badge";
import { Button, IconButton } from "../ui/button";
import { Card, Panel } from "../ui/panel";
import { toast } from "../ui/toast";
import { maxTests, saveTests, testName, type TestStore } from "./stored";
import { TestDialog } from "./test-dialog";
import styles from "./tests.module.css";

interface Result {
  passed: boolean;
  failures: readonly string[];
  durationMs: number;
}

export interface Report<R extends Result = Result> {
  passed: number;
  failed: number;
  results: readonly R[];
}

interface Props<R extends Result> {
  from: TestStore;
  /** What came of these very tests. */
  report: Report<R> | undefined;
  mayManage: boolean;
  /** What a test is for. */
  purpose: string;
  /** What a test is made of. */
  hint: string;
  /** A first test. */
  initial(): object;
  /** Runs all of them; their owner keeps the report. */
  onRun(): Promise<void>;
  /** After the name of a test. */
  about?(test: object): ReactNode;
  /** What else is to be said of a result. */
  more?(name: string, result: R): ReactNode;
}

/** A list of stored tests with what came of them: run, written as JSON, deleted. */
export function StoredTests<R extends Result>({ from, report, mayManage, purpose, hint, initial, onRun, about, more }: Props<R>) {
  const [edited, edit] = useState<number | "new">();
  const [removed, remove] = useState<number>();
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<unknown>();
  const { tests } = from;

  const runAll = async () => {
    setBusy(true);
    setProblem(undefined);
    try {
      await onRun();
    } catch (error) {
      setProblem(error);
    } finally {
      setBusy(false);
    }
  };
  const removeOne = async () => {
    await saveTests(from, tests.filter((_, at) => at !== removed));
    toast(words.removed);
  };
  const add = mayManage && tests.length < maxTests && <Button onClick={() => edit("new")}>{words.add}</Button>;

  return (
    <>
      {problem !== undefined && <ErrorState error={problem} />}
      {tests.length === 0 ? (
        <Card>
          <EmptyState title={words.none} action={add}>
            {purpose}
          </EmptyState>
        </Card>
      ) : (
        <Panel
          title={words.title}
          aside={
            <div className={styles["actions"]}>
              <span role="status">
                {report && (report.failed > 0 ? words.failed(report.failed, tests.length) : words.passed(report.passed))}
              </span>
              {add}
              {mayManage && (
                <Button look="primary" busy={busy} onClick={() => void runAll()}>
                  {words.runAll}
                </Button>
              )}
            </div>
          }
        >
          <ul className={styles["tests"]}>
            {tests.map((test, at) => {
              const name = testName(test);
              const result = report?.results[at];
              const tone = !result ? "plain" : result.passed ? "good" : "bad";
              return (
                <li key={at}>
                  <div className={styles["test"]}>
                    <Badge tone={tone}>{!result ? words.open : result.passed ? words.pass : words.fail}</Badge>
                    <bdi className={styles["name"]}>{name}</bdi>
                    {about?.(test)}
                    {result && <span>{words.ms(result.durationMs)}</span>}
                    {mayManage && (
                      <>
                        <IconButton label={words.edit(name)} onClick={() => edit(at)}>
                          <Pencil size={14} aria-hidden />
                        </IconButton>
                        <IconButton label={words.remove(name)} onClick={() => remove(at)}>
                          <Trash2 size={14} aria-hidden />
                        </IconButton>
                      </>
                    )}
                  </div>
                  {result && result.failures.length > 0 && (
                    <ul className={styles["failures"]}>
                      {result.failures.map((failure, nth) => (
                        <li key={nth}>
                          <bdi>{failure}</bdi>
                        </li>
                      ))}
                    </ul>
                  )}
                  {result && more?.(name, result)}
                </li>
              );
            })}
          </ul>
          {tests.length >= maxTests && <p className={styles["most"]}>{words.most(maxTests)}</p>}
        </Panel>
      )}
      {edited !== undefined && (
        <TestDialog
          from={from}
          at={edited === "new" ? undefined : edited}
          initial={edited === "new" ? initial() : tests[edited]!}
          hint={hint}
          onClose={() => edit(undefined)}
        />
      )}
      <ConfirmDialog
        open={removed !== undefined}
        title={words.removeTitle(testName(removed === undefined ? undefined : tests[removed]))}
        action={words.removeAction}
        danger
        onConfirm={removeOne}
        onClose={() => remove(undefined)}
      >
        {words.removeText}
      </ConfirmDialog>
    </>
  );
}
