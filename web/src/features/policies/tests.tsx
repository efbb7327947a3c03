import { useMutation, useQuery } from "@tanstack/react-query";
import type { PolicyTest, PolicyTestInput } from "manybase/admin";
import { Play, Plus } from "lucide-react";
import { useState } from "react";
import { adminOf, projectChanged } from "../../app/queries";
import { ConfirmDialog } from "../../components/form/confirm-dialog";
import { EmptyState } from "../../components/states/empty-state";
import { ErrorState } from "../../components/states/problem";
import { Skeleton } from "../../components/states/skeleton";
import { Button } from "../../components/ui/button";
import { Panel, PanelBody } from "../../components/ui/panel";
import { Table } from "../../components/ui/table";
import { toast } from "../../components/ui/toast";
import { policiesMessages } from "../../messages/policies";
import { testsOf } from "./data";
import { emptyTrial, formOfTest, type TestForm } from "./model/trial";
import styles from "./policies.module.css";
import type { Permission } from "./rights";
import { TestDialog } from "./test-dialog";
import { Failures, requestWords, ResultBadge, Summary } from "./test-results";

const words = policiesMessages.tests;
const newTest: TestForm = { ...emptyTrial, about: "typed", name: "", expect: "allowed", given: "" };

interface TestsProps {
  projectId: string;
  collection: string;
  may: Permission;
  /** A test to add, from a request that was tried. */
  kept: TestForm | undefined;
  onKept(): void;
}

/** Saves a test in place of the one of the name `instead`, or as a new one. */
async function saveTest(projectId: string, collection: string, tests: readonly PolicyTest[], test: PolicyTestInput, instead?: string) {
  const replaced = tests.map((one) => (one.name === instead ? test : one));
  await adminOf(projectId).setPolicyTests(collection, { tests: instead === undefined ? [...tests, test] : replaced });
  await projectChanged(projectId);
  toast(words.saved);
}

/** The stored tests of a collection's policy. */
export function Tests({ projectId, collection, may, kept, onKept }: TestsProps) {
  const query = useQuery(testsOf(projectId, collection));
  const [open, setOpen] = useState<{ test?: PolicyTest; remove?: true }>();
  const run = useMutation({ mutationFn: () => adminOf(projectId).runPolicyTests({ collections: [collection] }) });
  if (query.isError) return <ErrorState error={query.error} onRetry={() => void query.refetch()} />;
  if (!query.data) return <Skeleton rows={3} height={32} />;
  const tests = query.data;
  const manages = may("policies:manage");
  const close = () => {
    setOpen(undefined);
    onKept();
  };
  const remove = async (name: string) => {
    await adminOf(projectId).setPolicyTests(collection, { tests: tests.filter((one) => one.name !== name) });
    await projectChanged(projectId);
    toast(words.removed);
  };
  const create = manages && (
    <Button look="primary" onClick={() => setOpen({})}>
      <Plus size={16} strokeWidth={1.75} aria-hidden />
      {words.create}
    </Button>
  );
  const resultOf = (name: string) => run.data?.results.find((one) => one.name === name);
  const edited = open?.test;
  return (
    <>
      {tests.length === 0 ? (
        <EmptyState title={words.empty} action={create}>
          {words.emptyText}
        </EmptyState>
      ) : (
        <Panel
          title={words.title}
          aside={
            <span className={styles["buttons"]}>
              {run.data && <Summary report={run.data} />}
              <Button busy={run.isPending} onClick={() => run.mutate()}>
                <Play size={14} aria-hidden />
                {words.run}
              </Button>
              {create}
            </span>
          }
        >
          <PanelBody>
            <p className={styles["hint"]}>{words.text}</p>
            {run.isError && <ErrorState error={run.error} />}
          </PanelBody>
          <Table
            label={words.title}
            columns={[words.name, words.request, words.expect, words.result, ...(manages ? [""] : [])]}
            rows={tests.map((test) => ({
              key: test.name,
              cells: [
                <bdi>{test.name}</bdi>,
                <bdi>{requestWords(test)}</bdi>,
                words.expectations[test.expect],
                <ResultBadge result={resultOf(test.name)} />,
                ...(manages
                  ? [
                      <span className={styles["buttons"]}>
                        <Button small aria-label={words.editNamed(test.name)} onClick={() => setOpen({ test })}>
                          {words.edit}
                        </Button>
                        <Button small look="danger" aria-label={words.removeNamed(test.name)} onClick={() => setOpen({ test, remove: true })}>
                          {words.remove}
                        </Button>
                      </span>,
                    ]
                  : []),
              ],
            }))}
          />
          {run.data && run.data.failed > 0 && (
            <PanelBody>
              <Failures report={run.data} />
            </PanelBody>
          )}
        </Panel>
      )}
      {(kept || (open && !open.remove)) && (
        <TestDialog
          projectId={projectId}
          collection={collection}
          may={may}
          title={edited ? words.editTitle(edited.name) : words.createTitle}
          initial={edited ? formOfTest(edited) : (kept ?? newTest)}
          taken={tests.map((one) => one.name).filter((one) => one !== edited?.name)}
          onSave={(test) => saveTest(projectId, collection, tests, test, edited?.name)}
          onClose={close}
        />
      )}
      {open?.remove && edited && (
        <ConfirmDialog open title={words.removeTitle(edited.name)} action={words.remove} danger onConfirm={() => remove(edited.name)} onClose={close}>
          {words.removeText}
        </ConfirmDialog>
      )}
    </>
  );
}
