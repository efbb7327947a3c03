import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { ErrorState } from "../../components/states/problem";
import { Skeleton } from "../../components/states/skeleton";
import { exactJson, type Fields } from "../../lib/json";
import { can } from "../../lib/permissions";
import { documentMessages } from "../../messages/documents";
import type { DocumentProps } from "./document-editor";
import styles from "./documents.module.css";
import { ReferenceLink } from "./reference-link";
import { referredOf, referringOf, referrersOf, type Referrer } from "./reference-queries";
import { idsAt, labelOf, mayFollow, referencesOf, usersName, type ReferenceField } from "./references";

const words = documentMessages.references;
/** More references of a field are not shown. */
const maxIds = 50;

interface LinksProps extends DocumentProps {
  document: Fields;
}

function Entries({ slug, collection, entries }: { slug: string; collection: string; entries: readonly { id: string; label: string }[] }) {
  return (
    <ul className={styles["entries"]}>
      {entries.map(({ id, label }) => (
        <li key={id}>
          <ReferenceLink slug={slug} collection={collection} id={id}>
            <bdi>{label}</bdi>
          </ReferenceLink>
          {label !== id && <code>{id}</code>}
        </li>
      ))}
    </ul>
  );
}

/** What a field of the document refers to. */
function Referred({ projectId, slug, perms, document, field: { path, collection } }: LinksProps & { field: ReferenceField }) {
  const ids = idsAt(document, path).slice(0, maxIds);
  const query = useQuery({ ...referredOf(projectId, collection, ids), enabled: ids.length > 0 && collection !== usersName && mayFollow(perms, collection) });
  if (ids.length === 0 || !mayFollow(perms, collection)) return null;
  const labels = new Map(query.data?.map((one) => [String(one["id"]), labelOf(one)]));
  return (
    <section className={styles["links"]}>
      <h4>{words.by(path, collection)}</h4>
      {query.isError && <ErrorState error={query.error} onRetry={() => void query.refetch()} />}
      <Entries slug={slug} collection={collection} entries={ids.map((id) => ({ id, label: labels.get(id) ?? id }))} />
    </section>
  );
}

/** The documents that refer to this one by a field of theirs. */
function Referring({ projectId, slug, referrer, id }: { projectId: string; slug: string; referrer: Referrer; id: string }) {
  const { from, path } = referrer;
  const query = useQuery(referringOf(projectId, referrer, id));
  return (
    <section className={styles["links"]}>
      <h4>{words.from(from, path)}</h4>
      {query.isError && <ErrorState error={query.error} onRetry={() => void query.refetch()} />}
      {query.isLoading && <Skeleton rows={1} height={20} />}
      {query.data?.total === 0 && <p>{words.none}</p>}
      {query.data && query.data.total > 0 && (
        <>
          <Entries slug={slug} collection={from} entries={query.data.documents.map((one) => ({ id: String(one["id"]), label: labelOf(one) }))} />
          <Link to="/p/$slug/data/$collection" params={{ slug, collection: from }} search={{ filter: exactJson.stringify({ [path]: id })! }}>
            {words.all(query.data.total)}
          </Link>
        </>
      )}
    </section>
  );
}

/** What a document refers to, and the documents that refer to it by the schemas of their collections. */
export function Links(props: LinksProps) {
  const { projectId, slug, perms, collection, schema, document } = props;
  const query = useQuery(referrersOf(projectId, perms, collection));
  const own = referencesOf(schema).filter((field) => idsAt(document, field.path).length > 0 && mayFollow(perms, field.collection));
  const referrers = query.data?.referrers.filter(({ from }) => can(perms, `data:${from}:list`)) ?? [];
  return (
    <div className={styles["fields"]}>
      <h3>{words.refersTo}</h3>
      {own.length === 0 && <p>{words.refersToNothing}</p>}
      {own.map((field) => (
        <Referred key={`${field.path} ${field.collection}`} {...props} field={field} />
      ))}
      <h3>{words.referring}</h3>
      {query.isError && <ErrorState error={query.error} onRetry={() => void query.refetch()} />}
      {query.isLoading && <Skeleton rows={3} height={20} />}
      {query.data && referrers.length === 0 && <p>{words.noField(collection)}</p>}
      {referrers.map((referrer) => (
        <Referring key={`${referrer.from} ${referrer.path}`} projectId={projectId} slug={slug} referrer={referrer} id={String(document["id"])} />
      ))}
      {query.data && query.data.searched < query.data.all && <p>{words.searched(query.data.searched, query.data.all)}</p>}
    </div>
  );
}
