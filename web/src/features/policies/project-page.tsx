import { useMutation, useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { Link, useLoaderData, useNavigate, useSearch } from "@tanstack/react-router";
import type { PolicyTestResult } from "manybase/admin";
import { Play } from "lucide-react";
import { adminOf, permissions } from "../../app/queries";
import { Page } from "../../components/shell/page";
import { ShowCall } from "../../components/shell/show-call";
import { Denied } from "../../components/states/denied";
import { ErrorState } from "../../components/states/problem";
import { Skeleton } from "../../components/states/skeleton";
import { Button } from "../../components/ui/button";
import { Panel, PanelBody } from "../../components/ui/panel";
import { Table } from "../../components/ui/table";
import { Tabs } from "../../components/ui/tabs";
import { can } from "../../lib/permissions";
import { policiesMessages } from "../../messages/policies";
import { callsOf } from "./calls";
import { defaultPolicy, policyOf } from "./data";
import { emptyTrial } from "./model/trial";
import styles from "./policies.module.css";
import { permissionOf } from "./rights";
import type { PolicySearch, PolicyView } from "./search";
import { Sets } from "./sets";
import { SourcedPolicy } from "./sourced-policy";
import { Failures, ResultBadge, Summary } from "./test-results";

const words = policiesMessages;
const noTrial = () => undefined;

function AllTests({ projectId, slug }: { projectId: string; slug: string }) {
  const run = useMutation({ mutationFn: () => adminOf(projectId).runPolicyTests() });
  const cells = (one: PolicyTestResult) => [
    <Link to="/p/$slug/data/$collection/policy" params={{ slug, collection: one.collection }} search={{ view: "tests" }}>
      <bdi>{one.collection}</bdi>
    </Link>,
    <bdi>{one.name}</bdi>,
    <ResultBadge result={one} />,
  ];
  return (
    <Panel
      title={words.tests.title}
      aside={
        <span className={styles["buttons"]}>
          {run.data && <Summary report={run.data} />}
          <Button busy={run.isPending} onClick={() => run.mutate()}>
            <Play size={14} aria-hidden />
            {words.tests.runAll}
          </Button>
        </span>
      }
    >
      <PanelBody>
        <p className={styles["hint"]}>{words.tests.text}</p>
        {run.isError && <ErrorState error={run.error} />}
        {run.data?.results.length === 0 && <p>{words.tests.none}</p>}
        {run.data && <Failures report={run.data} />}
      </PanelBody>
      {run.data && run.data.results.length > 0 && (
        <Table
          label={words.tests.title}
          columns={[words.tests.collection, words.tests.name, words.tests.result]}
          rows={run.data.results.map((one) => ({ key: `${one.collection} ${one.name}`, cells: cells(one) }))}
        />
      )}
    </Panel>
  );
}

/** What all collections of a project share: the default policy, the sets, and a run of all tests. */
export function ProjectPoliciesPage() {
  const project = useLoaderData({ from: "/inside/p/$slug" });
  const { data: perms } = useSuspenseQuery(permissions(project.id));
  const { view = "rules", rule = "read" } = useSearch({ from: "/inside/p/$slug/policies" });
  const navigate = useNavigate({ from: "/p/$slug/policies" });
  const may = permissionOf(perms);
  const mayRead = can(perms, "policies:read");
  const query = useQuery({ ...policyOf(project.id, defaultPolicy), enabled: mayRead });
  const go = (change: PolicySearch) => void navigate({ search: (before) => ({ ...before, ...change }), replace: true });
  const defaultRules = () => {
    if (query.isError) return <ErrorState error={query.error} onRetry={() => void query.refetch()} />;
    if (!query.data) return <Skeleton rows={6} height={48} />;
    return (
      <>
        {query.data.source !== "default" && (
          <header>
            <h2>{words.project.defaultTitle}</h2>
            <p className={styles["hint"]}>{words.project.defaultText}</p>
          </header>
        )}
        <SourcedPolicy
          project={project}
          collection={defaultPolicy}
          may={may}
          saved={query.data.policy}
          source={query.data.source === "default" ? "default" : "own"}
          rule={rule}
          onOpen={(next) => go({ rule: next })}
          trial={emptyTrial}
          onTrial={noTrial}
        />
      </>
    );
  };
  if (!mayRead) {
    return (
      <Page title={words.project.title}>
        <Denied permission="policies:read" />
      </Page>
    );
  }
  return (
    <Page
      title={words.project.title}
      actions={query.data && <ShowCall calls={callsOf(defaultPolicy, query.data.policy, emptyTrial)} />}
    >
      <Tabs
        label={words.view.label}
        value={view as PolicyView}
        onChange={(next) => go({ view: next })}
        items={[
          { value: "rules", label: words.project.defaultTab },
          { value: "sets", label: words.view.sets },
          { value: "tests", label: words.project.testsTab },
        ]}
      >
        {view === "sets" && <Sets projectId={project.id} may={may} />}
        {view === "tests" && <AllTests projectId={project.id} slug={project.slug} />}
        {/* Its changes stay while another tab is open. */}
        <div hidden={view !== "rules"} className={styles["stack"]}>
          {defaultRules()}
        </div>
      </Tabs>
    </Page>
  );
}
