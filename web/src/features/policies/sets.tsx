import { useQuery } from "@tanstack/react-query";
import type { PolicySet } from "manybase/admin";
import { Plus } from "lucide-react";
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
import { setsOf } from "./data";
import { printRule, type Json, type JsonObject } from "./model/json";
import { formOfWhere } from "./model/sets";
import { conditionParts } from "./model/words";
import styles from "./policies.module.css";
import type { Permission } from "./rights";
import { SetDialog } from "./set-dialog";
import { Parts } from "./words";

const words = policiesMessages.sets;

/** The conditions of a set in words, without the one of the caller. */
function Where({ set }: { set: PolicySet }) {
  const form = formOfWhere(set.where as JsonObject);
  if (!form) return <code>{printRule(set.where as Json)}</code>;
  return form.conditions.map((condition, at) => (
    <span key={at}>
      {at > 0 && `, ${policiesMessages.words.and} `}
      <Parts parts={conditionParts(condition)} />
    </span>
  ));
}

/** The sets of a project. */
export function Sets({ projectId, may }: { projectId: string; may: Permission }) {
  const query = useQuery(setsOf(projectId));
  const [open, setOpen] = useState<{ set?: PolicySet; remove?: true }>();
  const manages = may("policies:manage");
  const close = () => setOpen(undefined);
  if (query.isError) return <ErrorState error={query.error} onRetry={() => void query.refetch()} />;
  if (!query.data) return <Skeleton rows={3} height={32} />;
  const sets = query.data;
  const create = manages && (
    <Button look="primary" onClick={() => setOpen({})}>
      <Plus size={16} strokeWidth={1.75} aria-hidden />
      {words.create}
    </Button>
  );
  const remove = async (name: string) => {
    await adminOf(projectId).deletePolicySet(name);
    await projectChanged(projectId);
    toast(words.removed(name));
  };
  return (
    <>
      {sets.length === 0 ? (
        <EmptyState title={words.empty} action={create}>
          {words.emptyText}
        </EmptyState>
      ) : (
        <Panel title={words.title} aside={create}>
          <PanelBody>
            <p className={styles["hint"]}>{words.text}</p>
          </PanelBody>
          <Table
            label={words.title}
            columns={[words.name, words.from, words.user, words.value, words.where, ...(manages ? [""] : [])]}
            rows={sets.map((set) => ({
              key: set.name,
              cells: [
                <code>{set.name}</code>,
                <bdi>{set.collection}</bdi>,
                <code>{formOfWhere(set.where as JsonObject)?.userField}</code>,
                <code>{set.value}</code>,
                <Where set={set} />,
                ...(manages
                  ? [
                      <span className={styles["buttons"]}>
                        <Button small aria-label={words.editNamed(set.name)} onClick={() => setOpen({ set })}>
                          {words.edit}
                        </Button>
                        <Button small look="danger" aria-label={words.removeNamed(set.name)} onClick={() => setOpen({ set, remove: true })}>
                          {words.remove}
                        </Button>
                      </span>,
                    ]
                  : []),
              ],
            }))}
          />
        </Panel>
      )}
      {open && !open.remove && (
        <SetDialog projectId={projectId} may={may} set={open.set} taken={sets.map((one) => one.name)} onClose={close} />
      )}
      {open?.remove && open.set && (
        <ConfirmDialog
          open
          title={words.removeTitle(open.set.name)}
          action={words.remove}
          danger
          onConfirm={() => remove(open.set!.name)}
          onClose={close}
        >
          {words.removeText}
        </ConfirmDialog>
      )}
    </>
  );
}
