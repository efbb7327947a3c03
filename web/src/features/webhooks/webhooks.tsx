import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import type { CreatedWebhook, Webhook } from "manybase/admin";
import { useState } from "react";
import { useProject } from "../../app/project";
import { adminOf } from "../../app/queries";
import { StoredSwitch } from "../../components/form/stored-switch";
import { Page } from "../../components/shell/page";
import { ShowCall } from "../../components/shell/show-call";
import { ErrorState } from "../../components/states/problem";
import { Badge } from "../../components/ui/badge";
import { Button } from "../../components/ui/button";
import { Table } from "../../components/ui/table";
import { toast } from "../../components/ui/toast";
import { FilteredList } from "../../components/states/filtered-list";
import { can } from "../../lib/permissions";
import { webhookMessages as words } from "../../messages/webhooks";
import { listCalls } from "./calls";
import { NewWebhook } from "./form";
import { matching } from "./model";
import { webhooksChanged, webhooksOf } from "./queries";
import { ShownSecret } from "./secret";
import styles from "./webhooks.module.css";

interface ListProps {
  projectId: string;
  slug: string;
  list: readonly Webhook[];
  mayManage: boolean;
}

function List({ projectId, slug, list, mayManage }: ListProps) {
  const [problem, setProblem] = useState<unknown>();
  const enable = async (name: string, enabled: boolean) => {
    await adminOf(projectId).updateWebhook(name, { enabled });
    await webhooksChanged(projectId);
    toast(enabled ? words.enabledNow(name) : words.disabledNow(name));
  };
  const { columns } = words;
  return (
    <>
      {problem !== undefined && <ErrorState error={problem} />}
      <div className={styles["frame"]}>
        <Table
          label={words.title}
          columns={[columns.name, columns.collection, columns.events, columns.url, columns.sends, columns.enabled]}
          rows={list.map((one) => ({
            key: one.name,
            cells: [
              <Link to="/p/$slug/webhooks/$name" params={{ slug, name: one.name }}>
                {one.name}
              </Link>,
              <bdi>{one.collection}</bdi>,
              one.events.join(", "),
              <code title={one.url} className={styles["url"]}>
                <bdi>{one.url}</bdi>
              </code>,
              one.fields ? words.some(one.fields.length) : <Badge tone="warn">{words.whole}</Badge>,
              !one.secret.configured ? (
                <Badge tone="warn">{words.noSecret}</Badge>
              ) : mayManage ? (
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
          }))}
        />
      </div>
    </>
  );
}

/** The webhooks of a project. */
export function WebhooksPage() {
  const { project, perms } = useProject();
  const { find = "" } = useSearch({ from: "/inside/p/$slug/webhooks" });
  const navigate = useNavigate();
  const mayRead = can(perms, "webhooks:read");
  const mayManage = can(perms, "webhooks:manage");
  const query = useQuery({ ...webhooksOf(project.id), enabled: mayRead });
  const [creating, setCreating] = useState(false);
  const [created, setCreated] = useState<CreatedWebhook>();
  const setFind = (text: string) =>
    void navigate({ from: "/p/$slug/webhooks", search: text ? { find: text } : {}, replace: true });
  const open = (name: string) => navigate({ to: "/p/$slug/webhooks/$name", params: { slug: project.slug, name } });

  const create = (
    <Button look="primary" onClick={() => setCreating(true)}>
      <Plus size={16} strokeWidth={1.75} aria-hidden />
      {words.create}
    </Button>
  );
  const all = query.data;
  const shown = matching(all ?? [], find);
  return (
    <Page
      title={words.title}
      actions={
        <>
          <ShowCall calls={listCalls()} />
          {mayManage && all && all.length > 0 && create}
        </>
      }
    >
      <FilteredList
        lacks={!mayRead && "webhooks:read"}
        query={query}
        find={find}
        onFind={setFind}
        found={shown.length}
        words={words}
        none={{ title: words.purpose, text: mayManage ? words.purposeText : words.purposeReader, action: mayManage && create }}
      >
        <List projectId={project.id} slug={project.slug} list={shown} mayManage={mayManage} />
      </FilteredList>
      {creating && (
        <NewWebhook
          projectId={project.id}
          perms={perms}
          onClose={() => setCreating(false)}
          onCreated={(one) => {
            setCreating(false);
            setCreated(one);
          }}
        />
      )}
      {created && <ShownSecret secret={created.secret} onClose={() => void open(created.webhook.name)} />}
    </Page>
  );
}
