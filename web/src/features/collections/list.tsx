import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { useState } from "react";
import { collectionsOf } from "../../components/data/queries";
import { owns, useProject } from "../../app/project";
import { ShowCall } from "../../components/shell/show-call";
import { ErrorState } from "../../components/states/problem";
import { Skeleton } from "../../components/states/skeleton";
import { IconButton } from "../../components/ui/button";
import { can } from "../../lib/permissions";
import { collectionMessages as words } from "../../messages/data";
import { callsOf } from "./calls";
import { NewCollection } from "./dialogs";
import styles from "./list.module.css";

/** From here on a list is worth a filter. */
const filterFrom = 8;

/** The collections of the project, each a link to its documents. It is the screen's title while none is `open`. */
export function CollectionList({ open }: { open: boolean }) {
  const { project, perms } = useProject();
  const query = useQuery(collectionsOf(project.id, perms));
  const [text, setText] = useState("");
  const [creating, setCreating] = useState(false);
  if (!can(perms, "collections:read")) return null;
  const collections = query.data ?? [];
  const shown = collections.filter(({ name }) => name.toLowerCase().includes(text.trim().toLowerCase()));
  const Heading = open ? "h2" : "h1";
  const add = can(perms, "collections:manage") && (
    <IconButton label={words.create} onClick={() => setCreating(true)}>
      <Plus size={16} strokeWidth={1.75} aria-hidden />
    </IconButton>
  );
  return (
    <nav aria-label={words.list} className={styles["list"]}>
      <header>
        <Heading tabIndex={open ? undefined : -1}>{words.list}</Heading>
        <span>
          <ShowCall calls={callsOf(project.byo === true && owns(project))} small />
          {add}
        </span>
      </header>
      {collections.length >= filterFrom && (
        <input
          type="search"
          aria-label={words.filter}
          placeholder={words.filter}
          value={text}
          onChange={(event) => setText(event.target.value)}
          className={styles["filter"]}
        />
      )}
      {query.isError && <ErrorState error={query.error} onRetry={() => void query.refetch()} />}
      {query.isLoading && <Skeleton rows={6} height={28} />}
      {collections.length > 0 && shown.length === 0 && <p className={styles["none"]}>{words.nothing}</p>}
      <ul>
        {shown.map(({ name, documents }) => (
          <li key={name}>
            <Link
              to="/p/$slug/data/$collection"
              params={{ slug: project.slug, collection: name }}
              activeOptions={{ includeSearch: false }}
              title={name}
              className={styles["entry"]}
            >
              <bdi className={styles["name"]}>{name}</bdi>
              {documents !== undefined && <span>{documents.toLocaleString("en")}</span>}
            </Link>
          </li>
        ))}
      </ul>
      {creating && <NewCollection project={project} onClose={() => setCreating(false)} />}
    </nav>
  );
}
