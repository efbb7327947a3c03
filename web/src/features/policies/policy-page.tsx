import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import type { PolicyTrialResult } from "manybase/admin";
import { useEffect, useState } from "react";
import { adminOf } from "../../app/queries";
import { CollectionPage } from "../../components/data/collection-page";
import { useCollection } from "../../components/data/use-collection";
import { ShowCall } from "../../components/shell/show-call";
import { ErrorState } from "../../components/states/problem";
import { Skeleton } from "../../components/states/skeleton";
import { Badge } from "../../components/ui/badge";
import { Tabs } from "../../components/ui/tabs";
import { policiesMessages } from "../../messages/policies";
import { callsOf } from "./calls";
import { policyOf, testsOf } from "./data";
import { printRule, type Json } from "./model/json";
import { emptyTrial, expectationOf, type TestForm, type TrialForm } from "./model/trial";
import styles from "./policies.module.css";
import { permissionOf } from "./rights";
import type { PolicySearch, PolicyView } from "./search";
import { Sets } from "./sets";
import { SourcedPolicy } from "./sourced-policy";
import { Tests } from "./tests";
import { WhoSees } from "./who-sees";

const words = policiesMessages;

const trialOf = (document: string | undefined): TrialForm => ({ ...emptyTrial, id: document ?? "" });

/** A test of the request that was tried: with its document in it, and its caller by role. */
async function testOfTrial(projectId: string, collection: string, form: TrialForm, result: PolicyTrialResult): Promise<TestForm> {
  const admin = adminOf(projectId);
  const stored = form.operation !== "create" && form.about === "stored" && form.id;
  const document = stored ? (await admin.adminGetDocument(collection, form.id)).document : undefined;
  const user = form.caller === "user" ? (await admin.getUser(form.user)).user : undefined;
  const role = user?.metadata["role"];
  return {
    ...form,
    ...(document && { about: "typed" as const, document: printRule(document as unknown as Json) }),
    ...(user && { caller: "role" as const, role: typeof role === "string" ? role : "user", uid: user.id }),
    name: "",
    given: "",
    expect: expectationOf(result),
  };
}

/** The policy of a collection: its rules, its stored tests, and the sets that rules name. */
export function PolicyPage() {
  const { project, perms, name } = useCollection();
  const search = useSearch({ from: "/inside/p/$slug/data/$collection/policy" });
  const navigate = useNavigate({ from: "/p/$slug/data/$collection/policy" });
  const may = permissionOf(perms);
  const query = useQuery(policyOf(project.id, name));
  const tests = useQuery(testsOf(project.id, name));
  const { view = "rules", rule = "read", document } = search;
  const [trial, setTrial] = useState(() => trialOf(document));
  const [kept, setKept] = useState<TestForm>();
  const [failed, setFailed] = useState<unknown>();
  useEffect(() => {
    if (document) setTrial((before) => ({ ...before, about: "stored", id: document }));
  }, [document]);
  const go = (change: PolicySearch) => void navigate({ search: (before) => ({ ...before, ...change }), replace: true });
  const keep = async (form: TrialForm, result: PolicyTrialResult) => {
    setFailed(undefined);
    try {
      setKept(await testOfTrial(project.id, name, form, result));
      go({ view: "tests" });
    } catch (error) {
      setFailed(error);
    }
  };

  const source = query.data?.source;
  const body = () => {
    if (query.isError) return <ErrorState error={query.error} onRetry={() => void query.refetch()} />;
    if (!query.data) return <Skeleton rows={6} height={48} />;
    return (
      <Tabs
        label={words.view.label}
        value={view as PolicyView}
        onChange={(next) => go({ view: next })}
        items={[
          { value: "rules", label: words.view.rules },
          { value: "tests", label: words.view.tests, ...(tests.data && { count: tests.data.length }) },
          { value: "sets", label: words.view.sets },
        ]}
      >
        {view === "tests" && (
          <Tests projectId={project.id} collection={name} may={may} kept={kept} onKept={() => setKept(undefined)} />
        )}
        {view === "sets" && <Sets projectId={project.id} may={may} />}
        {/* Its changes stay while another tab is open. */}
        <div hidden={view !== "rules"} className={styles["stack"]}>
          {document !== undefined && may(`data:${name}:read`) && (
            <WhoSees
              projectId={project.id}
              collection={name}
              id={document}
              may={may}
              onTry={setTrial}
              onClose={() => go({ document: undefined })}
            />
          )}
          {failed !== undefined && <ErrorState error={failed} />}
          <SourcedPolicy
            key={name}
            project={project}
            collection={name}
            may={may}
            saved={query.data.policy}
            source={query.data.source}
            rule={rule}
            onOpen={(next) => go({ rule: next })}
            trial={trial}
            onTrial={setTrial}
            onKeep={may("policies:manage") ? (form, result) => void keep(form, result) : undefined}
          />
        </div>
      </Tabs>
    );
  };
  return (
    <CollectionPage
      title={words.title}
      collection={name}
      about={source && <Badge tone={source === "own" ? "good" : source === "inherited" ? "info" : "warn"}>{words.sources[source]}</Badge>}
      actions={query.data && <ShowCall calls={callsOf(name, query.data.policy, trial)} />}
    >
      {body()}
    </CollectionPage>
  );
}
