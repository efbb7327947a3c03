import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import type { Variable } from "manybase/admin";
import { useState } from "react";
import { useProject } from "../../app/project";
import { adminOf, projectChanged } from "../../app/queries";
import { DeleteDialog } from "../../components/form/delete-dialog";
import { Page } from "../../components/shell/page";
import { ShowCall, adminSetup, type Call } from "../../components/shell/show-call";
import { Badge } from "../../components/ui/badge";
import { Button } from "../../components/ui/button";
import { Card } from "../../components/ui/panel";
import { Table } from "../../components/ui/table";
import { toast } from "../../components/ui/toast";
import { FilteredList } from "../../components/states/filtered-list";
import { can } from "../../lib/permissions";
import { variableMessages as words } from "../../messages/variables";
import { variablesOf } from "./queries";
import { VariableForm } from "./variable-form";
import styles from "./variables.module.css";

const calls = (manages: boolean): Call[] => [
  { title: words.calls.list, method: "GET", path: "/admin/variables", sdk: `${adminSetup()}\nconst { variables } = await admin.listVariables();` },
  ...(manages
    ? [
        {
          title: words.calls.set,
          method: "PUT",
          path: "/admin/variables/STOCK_URL",
          body: { value: "https://stock.example.com" },
          sdk: 'await admin.setVariable("STOCK_URL", { value: "https://stock.example.com" });',
        },
        { title: words.calls.delete, method: "DELETE", path: "/admin/variables/STOCK_URL", sdk: 'await admin.deleteVariable("STOCK_URL");' },
      ]
    : []),
];

function Value({ of }: { of: Variable }) {
  if (!of.configured) return <Badge tone="warn">{words.missing}</Badge>;
  if (of.secret) return words.hidden;
  return (
    <code className={styles["value"]} title={of.value}>
      <bdi>{of.value}</bdi>
    </code>
  );
}

/** The variables of a project, with the values of those that are not secret. */
export function VariablesPage() {
  const { project, perms } = useProject();
  const { find = "" } = useSearch({ from: "/inside/p/$slug/variables" });
  const navigate = useNavigate({ from: "/p/$slug/variables" });
  const readable = can(perms, "variables:read");
  const manages = can(perms, "variables:manage");
  const query = useQuery({ ...variablesOf(project.id), enabled: readable });
  const [open, setOpen] = useState<Variable | "new">();
  const [leaving, setLeaving] = useState<Variable>();
  const list = query.data ?? [];
  const shown = list.filter(({ name }) => name.includes(find.toUpperCase()));
  const setFind = (text: string) => void navigate({ search: text ? { find: text } : {}, replace: true });
  const remove = async ({ name }: Variable) => {
    await adminOf(project.id).deleteVariable(name);
    toast(words.deleted(name));
    await projectChanged(project.id);
  };
  const create = manages && (
    <Button look="primary" onClick={() => setOpen("new")}>
      <Plus size={16} strokeWidth={1.75} aria-hidden />
      {words.create}
    </Button>
  );
  return (
    <Page
      title={words.title}
      actions={
        <>
          <ShowCall calls={calls(manages)} />
          {list.length > 0 && create}
        </>
      }
    >
      <FilteredList
        lacks={!readable && "variables:read"}
        query={query}
        find={find}
        onFind={setFind}
        found={shown.length}
        words={words}
        none={{ title: words.none, text: words.about, action: create }}
      >
        <Card>
          <Table
            label={words.title}
            columns={[words.columns.name, words.columns.value, ...(manages ? [""] : [])]}
            rows={shown.map((one) => ({
              key: one.name,
              cells: [
                <>
                  <code>{one.name}</code> {one.secret && <Badge>{words.secret}</Badge>}
                </>,
                <Value of={one} />,
                ...(manages
                  ? [
                      <span className={styles["actions"]}>
                        <Button small aria-label={words.changeNamed(one.name)} onClick={() => setOpen(one)}>
                          {words.change}
                        </Button>
                        <Button small look="danger" aria-label={words.deleteNamed(one.name)} onClick={() => setLeaving(one)}>
                          {words.delete}
                        </Button>
                      </span>,
                    ]
                  : []),
              ],
            }))}
          />
        </Card>
      </FilteredList>
      {open && (
        <VariableForm
          projectId={project.id}
          perms={perms}
          variable={open === "new" ? undefined : open}
          names={list.map(({ name }) => name)}
          onClose={() => setOpen(undefined)}
        />
      )}
      {leaving && (
        <DeleteDialog name={<code>{leaving.name}</code>} words={words} onDelete={() => remove(leaving)} onClose={() => setLeaving(undefined)} />
      )}
    </Page>
  );
}
