import { useQuery } from "@tanstack/react-query";
import { Link, Outlet, useMatch, useMatches } from "@tanstack/react-router";
import { ChevronLeft, Plus } from "lucide-react";
import { Suspense, useState } from "react";
import { collectionsOf } from "../../components/data/queries";
import { collectionTabs } from "../../components/data/tabs";
import { useProject } from "../../app/project";
import { useCollection } from "../../components/data/use-collection";
import { useTitle } from "../../components/shell/page";
import { Denied } from "../../components/states/denied";
import { EmptyState } from "../../components/states/empty-state";
import { Skeleton } from "../../components/states/skeleton";
import { Button } from "../../components/ui/button";
import { TabLinks } from "../../components/ui/tab-links";
import { cx } from "../../lib/class-names";
import { can } from "../../lib/permissions";
import { collectionMessages as words } from "../../messages/data";
import { CollectionMenu, NewCollection } from "./dialogs";
import styles from "./layout.module.css";
import { CollectionList } from "./list";
import { Overview } from "./overview";

/** The screens of data: the collections at the start, the open one at the end. Narrow screens show one of the two. */
export function DataLayout() {
  const open = useMatch({ from: "/inside/p/$slug/data/$collection", shouldThrow: false }) !== undefined;
  return (
    <div className={cx(styles["layout"], open && styles["open"])}>
      <CollectionList open={open} />
      <div className={styles["main"]}>
        <Outlet />
      </div>
    </div>
  );
}

/** What is shown while no collection is open. */
export function DataHome() {
  useTitle(words.title);
  const { project, perms } = useProject();
  const { data: collections } = useQuery(collectionsOf(project.id, perms));
  const [creating, setCreating] = useState(false);
  if (!collections) return null;
  if (collections.length > 0) {
    return (
      <Overview project={project} collections={collections} />
    );
  }
  const mayCreate = can(perms, "collections:manage");
  const create = mayCreate && (
    <Button look="primary" onClick={() => setCreating(true)}>
      <Plus size={16} strokeWidth={1.75} aria-hidden />
      {words.create}
    </Button>
  );
  return (
    <>
      <EmptyState title={words.none} action={create}>
        {mayCreate ? words.noneText : words.noneReadOnly}
      </EmptyState>
      {creating && <NewCollection project={project} onClose={() => setCreating(false)} />}
    </>
  );
}

/** What a person must hold for the screen of a collection that is open. */
function needed(path: string, name: string): string {
  const tab = collectionTabs.find(({ to }) => to === path.replace(/\/$/, ""));
  return tab ? tab.needs(name) : `data:${name}:read`;
}

/** The collection of the address with its tabs. */
export function CollectionLayout() {
  const { project, perms, name } = useCollection();
  const { data: collections } = useQuery(collectionsOf(project.id, perms));
  const found = collections?.find((one) => one.name === name);
  const path = useMatches({ select: (matches) => matches.at(-1)!.fullPath });
  const needs = needed(path, name);
  const back = (
    <Link to="/p/$slug/data" params={{ slug: project.slug }} className={styles["back"]}>
      <ChevronLeft size={16} strokeWidth={1.75} aria-hidden />
      {words.back}
    </Link>
  );
  if (collections && !found) {
    return (
      <>
        {back}
        <EmptyState title={words.missing(name)} whole>
          {words.missingText}
        </EmptyState>
      </>
    );
  }
  return (
    <div className={styles["collection"]}>
      <header className={styles["header"]}>
        {back}
        <div className={styles["title"]}>
          <h1 tabIndex={-1} title={name} className={styles["name"]}>
            <bdi>{name}</bdi>
          </h1>
          {can(perms, "collections:manage") && <CollectionMenu project={project} name={name} />}
        </div>
        <TabLinks label={words.tabs}>
          {collectionTabs.map(
            ({ label, to, needs }) =>
              can(perms, needs(name)) && (
                <Link key={to} to={to} params={{ slug: project.slug, collection: name }} activeOptions={{ exact: true, includeSearch: false }}>
                  {label}
                </Link>
              ),
          )}
        </TabLinks>
      </header>
      <div className={styles["part"]}>
        <Suspense fallback={<Skeleton rows={6} height={32} />}>
          {can(perms, needs) ? (
            <Outlet />
          ) : (
            <div className={styles["denied"]}>
              <Denied permission={needs} />
            </div>
          )}
        </Suspense>
      </div>
    </div>
  );
}
