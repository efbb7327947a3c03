import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { Link, useLoaderData, useNavigate, useSearch } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import type { Function as ServerFunction, FunctionStats } from "manybase/admin";
import { useState, type ReactNode } from "react";
import { permissions } from "../../app/queries";
import type { FunctionsSearch } from "../../app/routes/functions";
import { Page } from "../../components/shell/page";
import { ShowCall } from "../../components/shell/show-call";
import { Denied } from "../../components/states/denied";
import { EmptyState } from "../../components/states/empty-state";
import { ErrorState } from "../../components/states/problem";
import { Skeleton } from "../../components/states/skeleton";
import { Badge } from "../../components/ui/badge";
import { Button } from "../../components/ui/button";
import { Time } from "../../components/ui/relative-time";
import { Table } from "../../components/ui/table";
import { can } from "../../lib/permissions";
import { functionMessages as words } from "../../messages/functions";
import { listCalls } from "./calls";
import { EnabledSwitch } from "./enabled";
import { NewFunction } from "./new-function";
import { functionsOf, statsOf } from "./queries";
import { TriggerLine } from "./trigger-line";
import { isTriggerType, triggerOf, triggerText, triggerTypes } from "./triggers";
import styles from "./functions.module.css";

const rowHeight = 32;

interface Row {
  one: ServerFunction;
  stats: FunctionStats | undefined;
}

function matching(list: readonly ServerFunction[], { find = "", trigger }: FunctionsSearch): ServerFunction[] {
  const needle = find.toLowerCase();
  return list.filter((one) => {
    const text = `${one.name} ${triggerText(triggerOf(one), one.timing)}`.toLowerCase();
    return text.includes(needle) && (!trigger || triggerOf(one).type === trigger);
  });
}

function cellsOf({ one, stats }: Row, slug: string, enabled: ReactNode) {
  const failed = stats ? stats.errors + stats.timeouts : 0;
  return [
    <span className={styles["named"]}>
      <Link to="/p/$slug/functions/$name" params={{ slug, name: one.name }}>
        {one.name}
      </Link>
      {one.flow && <Badge tone="info">{words.flow}</Badge>}
    </span>,
    <TriggerLine holder={one} />,
    stats ? stats.runs.toLocaleString("en") : "",
    failed > 0 ? <Badge tone="bad">{failed.toLocaleString("en")}</Badge> : stats ? "0" : "",
    stats?.p95Ms == null ? "" : words.ms(stats.p95Ms),
    stats?.lastRunAt ? <Time at={stats.lastRunAt} /> : stats ? words.never : "",
    enabled,
  ];
}

/** The functions of a project. */
export function FunctionsPage() {
  const { id: projectId, slug } = useLoaderData({ from: "/inside/p/$slug" });
  const search = useSearch({ from: "/inside/p/$slug/functions" });
  const navigate = useNavigate({ from: "/p/$slug/functions" });
  const { data: perms } = useSuspenseQuery(permissions(projectId));
  const mayRead = can(perms, "functions:read");
  const mayManage = can(perms, "functions:manage");
  const list = useQuery({ ...functionsOf(projectId), enabled: mayRead });
  const stats = useQuery({ ...statsOf(projectId), enabled: mayRead && list.isSuccess && list.data.length > 0 });
  const [problem, setProblem] = useState<unknown>();
  const enabledOf = ({ name, enabled }: ServerFunction) =>
    mayManage ? (
      <EnabledSwitch projectId={projectId} name={name} enabled={enabled} onProblem={setProblem} />
    ) : (
      <Badge tone={enabled ? "good" : "plain"}>{enabled ? words.enabled : words.disabled}</Badge>
    );
  const change = (next: FunctionsSearch) => void navigate({ search: (old) => ({ ...old, ...next }), replace: true });
  const clear = () => change({ find: undefined, trigger: undefined });
  const close = () => void navigate({ search: ({ new: _, ...old }) => old, replace: true });
  const create = (
    <Button look="primary" onClick={() => change({ new: true })}>
      <Plus size={16} strokeWidth={1.75} aria-hidden />
      {words.create}
    </Button>
  );
  const shown = matching(list.data ?? [], search);
  const empty = list.isSuccess && list.data.length === 0;

  return (
    <Page
      title={words.title}
      actions={
        <>
          <ShowCall calls={listCalls()} />
          {mayManage && list.isSuccess && !empty && create}
        </>
      }
    >
      {!mayRead && <Denied permission="functions:read" />}
      {list.isLoading && <Skeleton rows={8} height={rowHeight} />}
      {list.isError && <ErrorState error={list.error} onRetry={() => void list.refetch()} />}
      {stats.isError && <ErrorState error={stats.error} onRetry={() => void stats.refetch()} />}
      {problem !== undefined && <ErrorState error={problem} />}
      {empty && (
        <div className={styles["blank"]}>
          <EmptyState title={words.noneTitle} action={mayManage && create}>
            {words.none}
          </EmptyState>
        </div>
      )}
      {list.isSuccess && !empty && (
        <>
          <div className={styles["filter"]}>
            <input
              type="search"
              aria-label={words.find}
              placeholder={words.find}
              value={search.find ?? ""}
              onChange={(event) => change({ find: event.target.value || undefined })}
            />
            <select
              aria-label={words.trigger}
              value={isTriggerType(search.trigger) ? search.trigger : ""}
              onChange={(event) => change({ trigger: event.target.value || undefined })}
            >
              <option value="">{words.anyTrigger}</option>
              {triggerTypes.map((type) => (
                <option key={type} value={type}>
                  {words.types[type]}
                </option>
              ))}
            </select>
            <span role="status">{words.shown(shown.length)}</span>
          </div>
          {shown.length > 0 ? (
            <div className={styles["card"]}>
              <Table
                label={words.title}
                columns={Object.values(words.columns)}
                figures={[words.columns.runs, words.columns.errors, words.columns.p95]}
                rows={shown.map((one) => ({
                  key: one.name,
                  cells: cellsOf({ one, stats: stats.data?.get(one.name) }, slug, enabledOf(one)),
                }))}
              />
            </div>
          ) : (
            <div className={styles["blank"]}>
              <EmptyState title={words.nothing} action={<Button onClick={clear}>{words.clear}</Button>}>
                {words.nothingText}
              </EmptyState>
            </div>
          )}
        </>
      )}
      {mayManage && search.new && <NewFunction projectId={projectId} perms={perms} onClose={close} />}
    </Page>
  );
}
