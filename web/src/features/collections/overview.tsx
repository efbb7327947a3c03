import { Link } from "@tanstack/react-router";
import type { CollectionStats } from "manybase/admin";
import type { Project } from "manybase/control";
import { Badge } from "../../components/ui/badge";
import { Card } from "../../components/ui/panel";
import { Time } from "../../components/ui/relative-time";
import { Table } from "../../components/ui/table";
import { roundSize } from "../../lib/size";
import { collectionMessages } from "../../messages/data";
import styles from "./layout.module.css";

const words = collectionMessages.overview;

const tones = { own: "good", inherited: "info", default: "warn" } as const;

const unknown = (what: number | undefined, shown: (what: number) => string): string => (what === undefined ? words.hidden : shown(what));

/** All collections with what each holds, while none is open. Takes the project and what the server knows of them. */
export function Overview({ project, collections }: { project: Project; collections: CollectionStats[] }) {
  return (
    <div className={styles["overview"]}>
      <h2>{words.title}</h2>
      <Card>
        <Table
          label={words.title}
          columns={[words.name, words.documents, words.size, words.indexes, words.schema, words.policy, words.changed]}
          figures={[words.documents, words.size, words.indexes]}
          rows={collections.map(({ name, documents, bytes, indexes, schema, policy, lastWriteAt }) => ({
            key: name,
            cells: [
              <Link to="/p/$slug/data/$collection" params={{ slug: project.slug, collection: name }}>
                <bdi>{name}</bdi>
              </Link>,
              unknown(documents, (n) => n.toLocaleString("en")),
              unknown(bytes, roundSize),
              indexes.length.toLocaleString("en"),
              schema ? words.hasSchema : words.noSchema,
              policy ? <Badge tone={tones[policy]}>{words.policies[policy]}</Badge> : words.hidden,
              lastWriteAt === null ? words.hidden : <Time at={lastWriteAt} />,
            ],
          }))}
        />
      </Card>
    </div>
  );
}
