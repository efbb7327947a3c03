import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { Link, useLoaderData, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import type { Function as ServerFunction } from "manybase/admin";
import { useState } from "react";
import { permissions } from "../../../app/queries";
import type { FlowSearch } from "../../../app/routes/functions";
import { CodeEditor } from "../../../components/editor/code-editor";
import { collectionNamesOf } from "../../../components/data/queries";
import { LeaveGuard } from "../../../components/form/leave-guard";
import { Page } from "../../../components/shell/page";
import { ShowCall } from "../../../components/shell/show-call";
import { EmptyState } from "../../../components/states/empty-state";
import { Badge } from "../../../components/ui/badge";
import { buttonClass } from "../../../components/ui/button";
import { Tabs } from "../../../components/ui/tabs";
import { can } from "../../../lib/permissions";
import { printJson } from "../../../lib/json";
import { flowMessages as words } from "../../../messages/flow";
import { functionMessages } from "../../../messages/functions";
import { RunButton, SaveButton } from "../buttons";
import { flowCalls } from "../calls";
import { EventPane } from "../event-pane";
import { LoadedFunction } from "../loaded";
import { Newer } from "../newer";
import { RunsPane } from "../runs-pane";
import { shortcuts } from "../shortcuts";
import { ToCode } from "../to-code";
import { TriggerLine } from "../trigger-line";
import { useRunning } from "../use-running";
import { Graph } from "./graph";
import { Inspector } from "./inspector";
import { nodeOf, toFlow } from "./model";
import { RefusalNote } from "./refusal";
import { useFlow } from "./use-flow";
import { useNodes } from "./use-nodes";
import functionStyles from "../functions.module.css";
import styles from "./flow.module.css";

const from = "/inside/p/$slug/functions/$name/flow";

/** The flow of a function as a graph: its nodes, their settings, its code, and its runs. */
export function FlowPage() {
  const { name } = useParams({ from });
  return (
    <LoadedFunction name={name}>
      {(one) => (one.flow === null ? <NoFlow name={name} /> : <Loaded key={name} one={one} />)}
    </LoadedFunction>
  );
}

function NoFlow({ name }: { name: string }) {
  return (
    <Page title={name}>
      <EmptyState
        title={words.noFlow}
        action={
          <Link from="/p/$slug/functions/$name/flow" to="/p/$slug/functions/$name" search={{}} className={buttonClass({ look: "primary" })}>
            {words.toFunction}
          </Link>
        }
      >
        {words.noFlowText}
      </EmptyState>
    </Page>
  );
}

function Loaded({ one }: { one: ServerFunction }) {
  const project = useLoaderData({ from: "/inside/p/$slug" });
  const search = useSearch({ from });
  const navigate = useNavigate({ from: "/p/$slug/functions/$name/flow" });
  const { data: perms } = useSuspenseQuery(permissions(project.id));
  const mayManage = can(perms, "functions:manage");
  const collections = useQuery(collectionNamesOf(project.id, perms));
  const [follow, setFollow] = useState(true);
  const change = (next: FlowSearch) => void navigate({ search: (old) => ({ ...old, ...next }), replace: true });

  const flow = useFlow(project.id, one);
  const running = useRunning(project, one, perms, flow, follow, (run) => change({ run }));
  const nodes = useNodes(flow, search.node, (node) => change({ node, side: undefined }));
  const node = nodeOf(flow.draft, search.node);
  const save = () => void flow.save();
  const edit = mayManage ? flow.change : undefined;

  const toCode = async () => {
    await navigate({ to: "/p/$slug/functions/$name", search: {}, ignoreBlocker: true });
  };

  return (
    <div onKeyDown={shortcuts(mayManage ? save : undefined, running.run)}>
      <Page
        title={one.name}
        about={
          <>
            <Badge tone="info">{functionMessages.flow}</Badge>
            <span className={functionStyles["hint"]}>{functionMessages.one.version(one.version)}</span>
          </>
        }
        actions={
          <>
            <ShowCall calls={flowCalls(one, toFlow(flow.draft))} />
            {mayManage && <SaveButton source={flow} />}
            <RunButton running={running} primary />
          </>
        }
      >
        <div className={functionStyles["trigger"]}>
          <p>
            <TriggerLine holder={one} />
          </p>
          <div className={functionStyles["choices"]}>
            <Link from="/p/$slug/functions/$name/flow" to="/p/$slug/functions/$name" search={{}} className={buttonClass({})}>
              {words.back}
            </Link>
            {mayManage && !flow.changed && <ToCode projectId={project.id} name={one.name} onDone={toCode} />}
          </div>
        </div>
        {!mayManage && <p className={functionStyles["notice"]}>{words.readOnly}</p>}
        {flow.newer && (
          <Newer
            version={flow.newer.version}
            theirs={printJson(flow.newer.flow)}
            mine={printJson(toFlow(flow.draft))}
            language="json"
            busy={flow.busy}
            onOverwrite={() => void flow.save(true)}
            onDiscard={() => void flow.discard()}
          />
        )}
        {flow.refusal && <RefusalNote draft={flow.draft} refusal={flow.refusal} onOpen={nodes.open} />}
        <div className={styles["work"]}>
          <Graph
            draft={flow.draft}
            chosen={search.node}
            view={search.view}
            onView={(view) => change({ view })}
            nodes={nodes}
            onChange={edit}
            undo={flow.undo}
          />
          <div className={styles["side"]}>
            <Tabs
              label={words.sides}
              value={search.side ?? "node"}
              onChange={(side) => change({ side: side === "node" ? undefined : side })}
              items={[
                { value: "node", label: words.node },
                { value: "code", label: words.code },
                { value: "event", label: words.event },
              ]}
            >
              {search.side === undefined &&
                (node ? (
                  <Inspector
                    key={node.key}
                    projectId={project.id}
                    perms={perms}
                    draft={flow.draft}
                    node={node}
                    problems={nodes.problemsOf(node.key)}
                    collections={collections.data ?? []}
                    heading={nodes.heading}
                    onChange={edit}
                    onRemove={nodes.remove}
                    onRenamed={nodes.open}
                    onBack={nodes.back}
                    onSave={save}
                    onRun={running.run}
                  />
                ) : (
                  <p className={styles["hint"]}>{words.choose}</p>
                ))}
              {search.side === "code" && (
                <>
                  <p className={styles["hint"]}>{(flow.changed ? words.codeWas : words.codeIs)(one.version)}</p>
                  <CodeEditor label={words.codeOf(one.name)} value={one.code} language="javascript" readOnly rows={24} />
                </>
              )}
              {search.side === "event" && <EventPane running={running} />}
            </Tabs>
          </div>
        </div>
        <RunsPane running={running} open={search.run} onOpen={(run) => change({ run })} follow={follow} onFollow={setFollow} mayRepeat={mayManage} />
        <LeaveGuard when={flow.changed} />
      </Page>
    </div>
  );
}
