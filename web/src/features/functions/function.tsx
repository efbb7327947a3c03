import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { useLoaderData, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import type { Function as ServerFunction } from "manybase/admin";
import { useState } from "react";
import { adminOf, permissions } from "../../app/queries";
import { collectionNamesOf } from "../../components/data/queries";
import type { FunctionSearch } from "../../app/routes/functions";
import { ConfirmDialog } from "../../components/form/confirm-dialog";
import { LeaveGuard } from "../../components/form/leave-guard";
import { Page } from "../../components/shell/page";
import { ShowCall } from "../../components/shell/show-call";
import { ErrorState } from "../../components/states/problem";
import { TestDialog } from "../../components/tests/test-dialog";
import { Badge } from "../../components/ui/badge";
import { Button } from "../../components/ui/button";
import { Tabs } from "../../components/ui/tabs";
import { toast } from "../../components/ui/toast";
import { can } from "../../lib/permissions";
import { functionMessages } from "../../messages/functions";
import { RunButton, SaveButton } from "./buttons";
import { functionCalls } from "./calls";
import { CodeTab } from "./code-tab";
import { EnabledSwitch } from "./enabled";
import { EventPane } from "./event-pane";
import { LoadedFunction } from "./loaded";
import { forget, refresh } from "./queries";
import { RunsPane } from "./runs-pane";
import { SettingsDialog } from "./settings-dialog";
import { shortcuts } from "./shortcuts";
import { newTest, testsOf } from "./tests";
import { TestsTab, type Report } from "./tests-tab";
import { TriggerLine } from "./trigger-line";
import { useCode } from "./use-code";
import { useRunning } from "./use-running";
import { VersionsTab } from "./versions-tab";
import styles from "./functions.module.css";

const words = functionMessages.one;
type Tab = "code" | "tests" | "versions";

/** One function: its code, event and runs, its tests and its versions. */
export function FunctionPage() {
  const { name } = useParams({ from: "/inside/p/$slug/functions/$name" });
  return <LoadedFunction name={name}>{(one) => <Loaded key={name} one={one} />}</LoadedFunction>;
}

function Loaded({ one }: { one: ServerFunction }) {
  const project = useLoaderData({ from: "/inside/p/$slug" });
  const search = useSearch({ from: "/inside/p/$slug/functions/$name" });
  const navigate = useNavigate({ from: "/p/$slug/functions/$name" });
  const { data: perms } = useSuspenseQuery(permissions(project.id));
  const mayManage = can(perms, "functions:manage");
  const [follow, setFollow] = useState(true);
  const [problem, setProblem] = useState<unknown>();
  const [opened, open] = useState<"settings" | "delete">();
  const [kept, setKept] = useState<Record<string, unknown>>();
  const [report, setReport] = useState<Report>();
  const close = () => open(undefined);
  const change = (next: FunctionSearch) => navigate({ search: (old) => ({ ...old, ...next }), replace: true });

  const collections = useQuery(collectionNamesOf(project.id, perms));
  const code = useCode(project.id, one);
  const running = useRunning(project, one, perms, code, follow && search.tab === undefined, (run) => void change({ tab: undefined, run }));
  const { run } = running;
  const remove = async () => {
    await adminOf(project.id).deleteFunction(one.name);
    toast(words.deleted(one.name));
    await navigate({ to: "/p/$slug/functions", search: {}, ignoreBlocker: true });
    forget(project.id, one.name);
    await refresh(project.id);
  };
  const keep = () => {
    const given = running.runner.parse();
    if (given !== undefined) setKept(newTest(given));
  };

  return (
    <div onKeyDown={shortcuts(mayManage ? () => void code.save() : undefined, run)}>
      <Page
        title={one.name}
        about={
          <>
            {one.flow && <Badge tone="info">{functionMessages.flow}</Badge>}
            {mayManage ? (
              <EnabledSwitch projectId={project.id} name={one.name} enabled={one.enabled} onProblem={setProblem} />
            ) : (
              <Badge tone={one.enabled ? "good" : "plain"}>{one.enabled ? functionMessages.enabled : functionMessages.disabled}</Badge>
            )}
            <span className={styles["hint"]}>{words.version(one.version)}</span>
          </>
        }
        actions={
          <>
            <ShowCall calls={functionCalls(one, project.slug)} />
            {mayManage && one.flow === null && <SaveButton source={code} />}
            <RunButton running={running} primary={search.tab === undefined} />
          </>
        }
      >
        {problem !== undefined && <ErrorState error={problem} />}
        <div className={styles["trigger"]}>
          <p>
            <TriggerLine holder={one} />
            {one.timeoutMs !== null && <> · {words.atMost(one.timeoutMs)}</>}
            {one.retry && <> · {words.retried(one.retry.attempts)}</>}
          </p>
          {mayManage && (
            <div className={styles["choices"]}>
              <Button small onClick={() => open("settings")}>
                {functionMessages.settings.change}
              </Button>
              <Button small look="danger" onClick={() => open("delete")}>
                {words.delete}
              </Button>
            </div>
          )}
        </div>
        <Tabs<Tab>
          label={words.tabs}
          value={search.tab ?? "code"}
          onChange={(tab) => void change({ tab: tab === "code" ? undefined : tab })}
          items={[
            { value: "code", label: words.code },
            { value: "tests", label: words.tests, count: one.tests.length },
            { value: "versions", label: words.versions },
          ]}
        >
          {search.tab === undefined && (
            <CodeTab
              projectId={project.id}
              one={one}
              code={code}
              mayManage={mayManage}
              collections={collections.data ?? []}
              onRun={run}
              event={<EventPane running={running} onKeep={mayManage ? keep : undefined} />}
              runs={
                <RunsPane
                  running={running}
                  open={search.run}
                  onOpen={(id) => void change({ run: id })}
                  follow={follow}
                  onFollow={setFollow}
                  mayRepeat={mayManage && one.timing === "post"}
                />
              }
            />
          )}
          {search.tab === "tests" && (
            <TestsTab
              projectId={project.id}
              one={one}
              mayManage={mayManage}
              unsaved={code.changed}
              report={report}
              onReport={setReport}
            />
          )}
          {search.tab === "versions" && (
            <VersionsTab
              projectId={project.id}
              one={one}
              mayManage={mayManage}
              open={search.version}
              onOpen={(version) => void change({ version })}
            />
          )}
        </Tabs>
        {opened === "settings" && <SettingsDialog projectId={project.id} slug={project.slug} one={one} perms={perms} onClose={close} />}
        {kept && (
          <TestDialog
            from={testsOf(project.id, one)}
            initial={kept}
            hint={functionMessages.tests.hint}
            onClose={() => setKept(undefined)}
          />
        )}
        <ConfirmDialog
          open={opened === "delete"}
          title={words.deleteTitle(one.name)}
          action={words.deleteAction}
          danger
          typed={one.name}
          onConfirm={remove}
          onClose={close}
        >
          {words.deleteText}
        </ConfirmDialog>
        <LeaveGuard when={code.changed} />
      </Page>
    </div>
  );
}
