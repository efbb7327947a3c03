import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useProject } from "../../app/project";
import type { RealtimeSearch } from "../../app/routes/api";
import { collectionNamesOf } from "../../components/data/queries";
import { Page } from "../../components/shell/page";
import { ShowCall } from "../../components/shell/show-call";
import { Denied } from "../../components/states/denied";
import { EmptyState } from "../../components/states/empty-state";
import { ErrorState } from "../../components/states/problem";
import { Skeleton } from "../../components/states/skeleton";
import { Badge, type Tone } from "../../components/ui/badge";
import { Button, buttonClass } from "../../components/ui/button";
import { Card, Panel, PanelBody } from "../../components/ui/panel";
import { can } from "../../lib/permissions";
import { apiMessages } from "../../messages/api";
import styles from "./api.module.css";
import { Areas } from "./areas";
import { callOf } from "./calls";
import { maxLines } from "./received";
import { ReceivedList } from "./received-list";
import { selectionOf } from "./subscription";
import { SubscriptionForm } from "./subscription-form";
import { useInspector, type Inspector } from "./use-inspector";

const words = apiMessages.realtime;
const tones: Record<Inspector["status"], Tone> = { live: "good", "catching-up": "info", offline: "bad" };

/** Whether changes arrive, in words. */
function State({ phase, status }: Pick<Inspector, "phase" | "status">) {
  const on = phase === "on";
  return (
    <p role="status" className={styles["state"]}>
      <Badge tone={on ? tones[status] : "plain"}>{on ? words.status[status] : words.phases[phase]}</Badge>{" "}
      {on ? words.statusTexts[status] : words.phaseTexts[phase]}
    </p>
  );
}

interface Props {
  project: { id: string; slug: string };
  perms: readonly string[];
  names: readonly string[];
  collection: string;
  search: RealtimeSearch;
  onSearch(search: RealtimeSearch): void;
}

const permissionOf = (collection: string) => `data:${collection}:admin`;

function Opened({ project, perms, names, collection, search, onSearch }: Props) {
  const inspector = useInspector(project.id);
  const { phase, status, log, problem } = inspector;
  const needed = permissionOf(collection);
  const empty = log.lines.length === 0;
  return (
    <div className={styles["inspector"]}>
      <Panel title={words.subscription}>
        <PanelBody>
          <SubscriptionForm
            names={names}
            collection={collection}
            search={search}
            onSearch={onSearch}
            inspector={inspector}
            lacks={can(perms, needed) ? undefined : needed}
          />
          {problem !== undefined && <ErrorState error={problem} />}
        </PanelBody>
      </Panel>
      <Panel
        title={words.received}
        aside={
          <Button small aria-disabled={empty} onClick={() => !empty && inspector.clear()}>
            {words.clear}
          </Button>
        }
      >
        <State phase={phase} status={status} />
        {empty && <EmptyState title={words.none}>{phase === "on" ? words.noneOn : words.noneIdle}</EmptyState>}
        {!empty && <ReceivedList lines={log.lines} slug={project.slug} mayRead={(name) => can(perms, `data:${name}:read`)} />}
        {log.dropped > 0 && <p className={styles["state"]}>{words.dropped(log.dropped, maxLines)}</p>}
      </Panel>
    </div>
  );
}

/** The changes of a collection as the server sends them. */
export function RealtimePage() {
  const { project, perms } = useProject();
  const search = useSearch({ from: "/inside/p/$slug/api/realtime" });
  const navigate = useNavigate({ from: "/p/$slug/api/realtime" });
  const mayRead = can(perms, "collections:read");
  const query = useQuery(collectionNamesOf(project.id, perms));
  const names = query.data;
  const collection =
    names?.find((name) => name === search.collection) ?? names?.find((name) => can(perms, permissionOf(name))) ?? names?.[0];
  return (
    <Page
      title={words.title}
      actions={collection !== undefined && can(perms, permissionOf(collection)) && <ShowCall calls={[callOf(project.slug, collection, selectionOf(search))]} />}
    >
      <Areas slug={project.slug} collection={search.collection} />
      <p className={styles["hint"]}>{words.about}</p>
      {!mayRead && <Denied permission="collections:read" />}
      {query.isError && <ErrorState error={query.error} onRetry={() => void query.refetch()} />}
      {query.isLoading && <Skeleton rows={2} height={240} />}
      {names?.length === 0 && (
        <Card>
          <EmptyState
            title={apiMessages.none}
            action={
              <Link to="/p/$slug/data" params={{ slug: project.slug }} className={buttonClass({ look: "primary" })}>
                {apiMessages.toData}
              </Link>
            }
          >
            {words.noneText}
          </EmptyState>
        </Card>
      )}
      {names && collection !== undefined && (
        <Opened
          key={project.id}
          project={project}
          perms={perms}
          names={names}
          collection={collection}
          search={search}
          onSearch={(next) => void navigate({ search: next, replace: true })}
        />
      )}
    </Page>
  );
}
