import { useInfiniteQuery } from "@tanstack/react-query";
import { RotateCw } from "lucide-react";
import type { AuditEntry } from "manybase/admin";
import type { ComponentType, ReactNode } from "react";
import { auditMessages as words } from "../../messages/audit";
import { ShowCall } from "../shell/show-call";
import { Denied } from "../states/denied";
import { EmptyState } from "../states/empty-state";
import { Unread } from "../states/unread";
import { Button, IconButton } from "../ui/button";
import { Panel, PanelBody } from "../ui/panel";
import { Time } from "../ui/relative-time";
import { WithSidePanel } from "../ui/side-panel";
import { Table } from "../ui/table";
import styles from "./audit.module.css";
import { Details } from "./details";
import { Filter } from "./filter";
import { actorOf, auditOf, entriesOf, type AuditFilter, type AuditSource } from "./log";

/** What the address says: the filter, and the id of the open entry. */
export type AuditSearch = AuditFilter & { entry?: string | undefined };

interface AuditProps {
  source: AuditSource;
  /** What it records, in a sentence or two. */
  about: string;
  search: AuditSearch;
  onSearch(search: AuditSearch): void;
  /** The permission that the person lacks to read it. */
  denied?: string | undefined;
  /** The screen around it. */
  frame: ComponentType<{ title: string; actions: ReactNode; children: ReactNode }>;
}

const givenOf = ({ action, target, actor }: AuditFilter) =>
  Object.entries({ action, target, actor }).filter((each): each is [string, string] => each[1] !== undefined);

function Entries({ entries, onOpen }: { entries: AuditEntry[]; onOpen(id: string): void }) {
  return (
    <Table
      label={words.list}
      columns={[words.action, words.target, words.actor, words.at, words.ip]}
      rows={entries.map((entry) => ({
        key: entry.id,
        cells: [
          <button type="button" className={styles["open"]} onClick={() => onOpen(entry.id)}>
            <bdi>{entry.action}</bdi>
          </button>,
          <bdi className={styles["cut"]} title={entry.target}>
            {entry.target}
          </bdi>,
          <bdi className={styles["cut"]} title={entry.actor.id}>
            {actorOf(entry, words.system)}
          </bdi>,
          <Time at={entry.at} />,
          entry.ip,
        ],
      }))}
    />
  );
}

/** Why there is no entry. */
function Nothing({ off, filtered, onClear }: { off: boolean; filtered: boolean; onClear(): void }) {
  if (off) return <EmptyState title={words.off}>{words.offText}</EmptyState>;
  if (!filtered) return <EmptyState title={words.none}>{words.noneText}</EmptyState>;
  return (
    <EmptyState title={words.nothing} action={<Button onClick={onClear}>{words.clear}</Button>}>
      {words.nothingText}
    </EmptyState>
  );
}

/** An audit log by pages, filtered, with the details of one entry in a panel. */
export function AuditScreen({ source, about, search, onSearch, denied, frame: Frame }: AuditProps) {
  const { entry: openId, ...filter } = search;
  const query = useInfiniteQuery({ ...auditOf(source, filter), enabled: denied === undefined });
  const pages = query.data?.pages;
  const entries = entriesOf(pages ?? []);
  const open = entries.find(({ id }) => id === openId);
  const off = pages?.[0] === null;
  const given = givenOf(filter);
  const call = {
    title: words.call,
    method: "GET",
    path: `${source.path}?${new URLSearchParams([...given, ["limit", "50"]])}`,
    sdk: `const { entries } = await ${source.sdk}(${JSON.stringify({ ...filter, limit: 50 })});`,
  };
  return (
    <WithSidePanel panel={open && <Details key={open.id} entry={open} onClose={() => onSearch(filter)} onFilter={onSearch} />}>
      <Frame title={words.title} actions={<ShowCall calls={[call]} />}>
        {denied !== undefined ? (
          <Denied permission={denied} />
        ) : (
          <>
            <p className={styles["secondary"]}>{about}</p>
            {!off && <Filter key={JSON.stringify(filter)} filter={filter} onFilter={onSearch} />}
            <Panel
              title={words.list}
              aside={
                <IconButton label={words.refresh} onClick={() => void query.refetch()}>
                  <RotateCw size={14} aria-hidden />
                </IconButton>
              }
            >
              {entries.length > 0 && <Entries entries={entries} onOpen={(id) => onSearch({ ...filter, entry: id })} />}
              <Unread query={query} rows={8} height={24} />
              {pages && entries.length === 0 && <Nothing off={off} filtered={given.length > 0} onClear={() => onSearch({})} />}
              {query.hasNextPage && (
                <PanelBody>
                  <Button busy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
                    {words.older}
                  </Button>
                </PanelBody>
              )}
            </Panel>
          </>
        )}
      </Frame>
    </WithSidePanel>
  );
}
