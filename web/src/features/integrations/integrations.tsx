import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { ChevronDown } from "lucide-react";
import type { Integration } from "manybase/admin";
import { useState } from "react";
import { useProject } from "../../app/project";
import { adminOf } from "../../app/queries";
import { StoredSwitch } from "../../components/form/stored-switch";
import { Page } from "../../components/shell/page";
import { ShowCall } from "../../components/shell/show-call";
import { ErrorState } from "../../components/states/problem";
import { Skeleton } from "../../components/states/skeleton";
import { Badge } from "../../components/ui/badge";
import { Button } from "../../components/ui/button";
import { Menu, MenuItem } from "../../components/ui/menu";
import { Card } from "../../components/ui/panel";
import { Table } from "../../components/ui/table";
import { toast } from "../../components/ui/toast";
import { FilteredList } from "../../components/states/filtered-list";
import { can } from "../../lib/permissions";
import { integrationMessages as words } from "../../messages/integrations";
import { listCalls } from "./calls";
import type { Provider } from "./catalogue";
import { destinationOf } from "./config";
import { NewIntegration } from "./form";
import styles from "./integrations.module.css";
import { Providers } from "./providers";
import { integrationsChanged, integrationsOf, providersOf } from "./queries";
import { storedSecrets } from "./secrets";

const labelOf = (providers: readonly Provider[], name: string): string =>
  providers.find(({ provider }) => provider === name)?.label ?? name;

function matching(list: readonly Integration[], providers: readonly Provider[], text: string): Integration[] {
  const wanted = text.trim().toLowerCase();
  return list.filter((one) =>
    `${one.name}\n${labelOf(providers, one.provider)}\n${destinationOf(one, one.config) ?? ""}`.toLowerCase().includes(wanted),
  );
}

interface ListProps {
  projectId: string;
  slug: string;
  list: readonly Integration[];
  providers: readonly Provider[];
  mayManage: boolean;
}

function List({ projectId, slug, list, providers, mayManage }: ListProps) {
  const [problem, setProblem] = useState<unknown>();
  const enable = async (name: string, enabled: boolean) => {
    await adminOf(projectId).updateIntegration(name, { enabled });
    await integrationsChanged(projectId);
    toast(enabled ? words.enabledNow(name) : words.disabledNow(name));
  };
  return (
    <>
      {problem !== undefined && <ErrorState error={problem} />}
      <Card>
        <Table
          label={words.title}
          columns={Object.values(words.columns)}
          rows={list.map((one) => {
            const destination = destinationOf(one, one.config);
            return {
              key: one.name,
              cells: [
                <Link to="/p/$slug/integrations/$name" params={{ slug, name: one.name }}>
                  {one.name}
                </Link>,
                labelOf(providers, one.provider),
                <code title={destination} className={styles["destination"]}>
                  <bdi>{destination}</bdi>
                </code>,
                words.secretCount(storedSecrets(one.secrets).length),
                one.tests.length.toLocaleString("en"),
                mayManage ? (
                  <StoredSwitch
                    label={words.enable(one.name)}
                    checked={one.enabled}
                    onStore={(enabled) => enable(one.name, enabled)}
                    onProblem={setProblem}
                  />
                ) : (
                  <Badge tone={one.enabled ? "good" : "plain"}>{one.enabled ? words.on : words.off}</Badge>
                ),
              ],
            };
          })}
        />
      </Card>
    </>
  );
}

/** The integrations of a project, and the services that there can be one for. */
export function IntegrationsPage() {
  const { project, perms } = useProject();
  const search = useSearch({ from: "/inside/p/$slug/integrations" });
  const navigate = useNavigate({ from: "/p/$slug/integrations" });
  const mayRead = can(perms, "integrations:read");
  const mayManage = can(perms, "integrations:manage");
  const query = useQuery({ ...integrationsOf(project.id), enabled: mayRead });
  const catalogue = useQuery({ ...providersOf(project.id), enabled: mayRead });
  const providers = catalogue.data ?? [];
  const find = search.find ?? "";
  const setFind = (text: string) => void navigate({ search: (old) => ({ ...old, find: text || undefined }), replace: true });
  const begin = (provider: string) => void navigate({ search: (old) => ({ ...old, new: provider }), replace: true });
  const close = () => void navigate({ search: ({ new: _, ...old }) => old, replace: true });

  const create = mayManage && providers.length > 0 && (
    <Menu
      align="end"
      trigger={
        <Button look="primary">
          {words.create}
          <ChevronDown size={16} strokeWidth={1.75} aria-hidden />
        </Button>
      }
    >
      {providers.map(({ provider, label }) => (
        <MenuItem key={provider} onClick={() => begin(provider)}>
          {label}
        </MenuItem>
      ))}
    </Menu>
  );
  const all = query.data;
  const shown = matching(all ?? [], providers, find);
  const chosen = mayManage ? providers.find(({ provider }) => provider === search.new) : undefined;
  return (
    <Page
      title={words.title}
      actions={
        <>
          <ShowCall calls={listCalls(mayManage)} />
          {all && all.length > 0 && create}
        </>
      }
    >
      <FilteredList
        lacks={!mayRead && "integrations:read"}
        query={query}
        find={find}
        onFind={setFind}
        found={shown.length}
        words={words}
        none={{ title: words.purpose, text: mayManage ? words.purposeText : words.purposeReader, action: create }}
      >
        <List projectId={project.id} slug={project.slug} list={shown} providers={providers} mayManage={mayManage} />
      </FilteredList>
      {catalogue.isError && <ErrorState error={catalogue.error} onRetry={() => void catalogue.refetch()} />}
      {catalogue.isLoading && <Skeleton rows={1} height={200} />}
      {providers.length > 0 && <Providers providers={providers} onBegin={mayManage ? begin : undefined} />}
      {chosen && (
        <NewIntegration
          key={chosen.provider}
          projectId={project.id}
          perms={perms}
          provider={chosen}
          onClose={close}
          onCreated={(name) => void navigate({ to: "/p/$slug/integrations/$name", params: { slug: project.slug, name } })}
        />
      )}
    </Page>
  );
}
