import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useRef } from "react";
import { CollectionPage } from "../../components/data/collection-page";
import { schemaOf } from "../../components/data/schema";
import { useCollection } from "../../components/data/use-collection";
import { can } from "../../lib/permissions";
import { documentMessages } from "../../messages/documents";
import { DocumentActions, DocumentView, WhoSeesLink } from "./document-view";
import styles from "./documents.module.css";

const words = documentMessages.panel;

/** A document as a page of its own, whose address can be shared. */
export function DocumentPage() {
  const { project, perms, name } = useCollection();
  const { id } = useParams({ from: "/inside/p/$slug/data/$collection/documents/$id" });
  const { tab } = useSearch({ from: "/inside/p/$slug/data/$collection/documents/$id" });
  const navigate = useNavigate({ from: "/p/$slug/data/$collection/documents/$id" });
  const { data: schema } = useQuery({ ...schemaOf(project.id, name), enabled: can(perms, "collections:read") });
  const dirty = useRef(false);
  const common = { projectId: project.id, slug: project.slug, perms, collection: name, schema, id };
  const toList = { to: "/p/$slug/data/$collection", params: { slug: project.slug, collection: name } } as const;
  const onRemoved = () => {
    dirty.current = false;
    void navigate(toList);
  };
  return (
    <CollectionPage title={id} collection={name} actions={<DocumentActions {...common} onRemoved={onRemoved} />}>
      <p className={styles["ways"]}>
        <Link {...toList} search={{ open: id }}>
          {words.inList}
        </Link>
        <WhoSeesLink {...common} />
      </p>
      <div className={styles["document"]}>
        <DocumentView key={id} {...common} dirty={dirty} tab={tab} onTab={(next) => void navigate({ search: { tab: next }, replace: true })} />
      </div>
    </CollectionPage>
  );
}
