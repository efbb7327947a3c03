import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import type { Integration } from "manybase/admin";
import { useState } from "react";
import { useProject } from "../../app/project";
import { adminOf } from "../../app/queries";
import type { IntegrationSearch } from "../../app/routes/integrations";
import { ConfirmDialog } from "../../components/form/confirm-dialog";
import { Page } from "../../components/shell/page";
import { ShowCall } from "../../components/shell/show-call";
import { UnopenedPage } from "../../components/shell/unopened-page";
import { TestDialog } from "../../components/tests/test-dialog";
import { testName } from "../../components/tests/stored";
import { Badge } from "../../components/ui/badge";
import { Button, buttonClass } from "../../components/ui/button";
import { Tabs } from "../../components/ui/tabs";
import { toast } from "../../components/ui/toast";
import { can } from "../../lib/permissions";
import { integrationMessages as words } from "../../messages/integrations";
import { integrationCalls } from "./calls";
import type { Operation, Provider } from "./catalogue";
import { destinationOf } from "./config";
import { IntegrationFacts } from "./facts";
import { EditIntegration } from "./form";
import { forget, integrationOf, integrationsChanged, providersOf } from "./queries";
import { testOfCall, type Outcome } from "./outcome";
import { testsOf } from "./tests";
import { TestsTab, type Report } from "./tests-tab";
import { TryTab } from "./try-tab";
import { useTry } from "./use-try";

interface PartProps {
  projectId: string;
  slug: string;
  perms: readonly string[];
  integration: Integration;
  provider: Provider;
}

type Tab = "try" | "tests" | "settings";
const nothing: Operation = { name: "", args: [] };

function Opened({ projectId, slug, perms, integration, provider }: PartProps) {
  const { name } = integration;
  const mayManage = can(perms, "integrations:manage");
  const search = useSearch({ from: "/inside/p/$slug/integrations/$name" });
  const navigate = useNavigate({ from: "/p/$slug/integrations/$name" });
  const change = (next: IntegrationSearch) => void navigate({ search: (old) => ({ ...old, ...next }), replace: true });
  const [dialog, setDialog] = useState<"edit" | "delete">();
  const [kept, keep] = useState<Outcome>();
  const [report, setReport] = useState<Report>();
  const tabs: readonly Tab[] = mayManage ? ["try", "tests", "settings"] : ["settings", "tests"];
  const tab = tabs.find((one) => one === search.tab) ?? tabs[0]!;
  const operation = provider.ops.find((one) => one.name === search.op) ?? provider.ops[0] ?? nothing;
  const mode = search.mode ?? "dry";
  const attempt = useTry(projectId, integration, operation, mode);
  const close = () => setDialog(undefined);
  const remove = async () => {
    await adminOf(projectId).deleteIntegration(name);
    toast(words.remove.done(name));
    await navigate({ to: "/p/$slug/integrations", params: { slug }, search: {} });
    forget(projectId, name);
    await integrationsChanged(projectId);
  };
  return (
    <Page
      title={name}
      about={
        <>
          <Badge>{provider.label}</Badge>
          <Badge tone={integration.enabled ? "good" : "plain"}>{integration.enabled ? words.on : words.off}</Badge>
        </>
      }
      actions={
        <>
          <ShowCall calls={integrationCalls(name, mayManage, { op: operation.name, args: attempt.args ?? {}, mode })} />
          {mayManage && (
            <>
              <Button look="danger" onClick={() => setDialog("delete")}>
                {words.remove.action}
              </Button>
              <Button onClick={() => setDialog("edit")}>{words.edit}</Button>
            </>
          )}
        </>
      }
    >
      <Tabs
        label={words.tabs.label}
        value={tab}
        onChange={(next) => change({ tab: next === tabs[0] ? undefined : next })}
        items={tabs.map((value) => ({
          value,
          label: words.tabs[value],
          ...(value === "tests" && { count: integration.tests.length }),
        }))}
      >
        {tab === "try" && (
          <TryTab
            name={name}
            provider={provider}
            operation={operation}
            mode={mode}
            destination={destinationOf(provider, integration.config)}
            attempt={attempt}
            onOperation={(op) => change({ op })}
            onMode={(next) => change({ mode: next === "live" ? next : undefined })}
            onKeep={keep}
          />
        )}
        {tab === "tests" && (
          <TestsTab
            projectId={projectId}
            integration={integration}
            operation={operation}
            mayManage={mayManage}
            report={report}
            onReport={setReport}
          />
        )}
        {tab === "settings" && <IntegrationFacts integration={integration} provider={provider} />}
      </Tabs>
      {kept && (
        <TestDialog
          from={testsOf(projectId, integration)}
          initial={testOfCall(kept, integration.tests.map(testName))}
          hint={words.tests.hint}
          onClose={() => keep(undefined)}
        />
      )}
      {dialog === "edit" && (
        <EditIntegration projectId={projectId} perms={perms} provider={provider} integration={integration} onClose={close} />
      )}
      <ConfirmDialog
        open={dialog === "delete"}
        title={words.remove.title(name)}
        action={words.remove.action}
        danger
        onConfirm={remove}
        onClose={close}
      >
        <p>{words.remove.text}</p>
      </ConfirmDialog>
    </Page>
  );
}

/** An integration: calls by hand, its stored tests, its settings. */
export function IntegrationPage() {
  const { project, perms } = useProject();
  const { name } = useParams({ from: "/inside/p/$slug/integrations/$name" });
  const mayRead = can(perms, "integrations:read");
  const query = useQuery({ ...integrationOf(project.id, name), enabled: mayRead });
  const catalogue = useQuery({ ...providersOf(project.id), enabled: mayRead });
  const provider = catalogue.data?.find((one) => one.provider === query.data?.provider);
  if (query.data && provider) {
    return <Opened key={name} projectId={project.id} slug={project.slug} perms={perms} integration={query.data} provider={provider} />;
  }
  return (
    <UnopenedPage
      title={name}
      queries={[query, catalogue]}
      lacks={mayRead ? undefined : "integrations:read"}
      missing={{
        title: words.missing,
        text: words.missingText,
        action: (
          <Link to="/p/$slug/integrations" params={{ slug: project.slug }} className={buttonClass({})}>
            {words.toList}
          </Link>
        ),
      }}
    />
  );
}
