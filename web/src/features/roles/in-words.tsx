import { navigation } from "../../components/shell/navigation";
import { Panel, PanelBody } from "../../components/ui/panel";
import { can } from "../../lib/permissions";
import { rolesMessages } from "../../messages/roles";
import { documentsOf, partsHeld, type Kind } from "./grants";
import styles from "./roles.module.css";

const words = rolesMessages.can;

/** What a role can do: the screens that it opens, and the calls that it may make. */
export function InWords({ kind, permissions }: { kind: Kind; permissions: readonly string[] }) {
  const screens = navigation
    .flatMap(({ entries }) => entries)
    .filter(({ needs }) => !needs || needs.some((one) => can(permissions, one)));
  const documents = documentsOf(permissions);
  const parts = partsHeld(kind, permissions);
  const { operations, actions } = rolesMessages.page;
  return (
    <Panel title={words.title}>
      <PanelBody>
        <dl className={styles["words"]}>
          {kind === "members" && (
            <>
              <dt>{words.screens}</dt>
              <dd>{screens.map(({ label }) => label).join(", ")}</dd>
            </>
          )}
          <dt>{words.documents}</dt>
          {documents.length === 0 && <dd>{words.noDocuments}</dd>}
          {documents.map(({ collection, operations: list }) => (
            <dd key={collection}>
              {collection === "*" ? words.anyCollection : <code>{collection}</code>}:{" "}
              {list.map((one) => operations[one as keyof typeof operations]).join(", ")}
            </dd>
          ))}
          <dt>{words.calls}</dt>
          {parts.length === 0 && <dd>{words.noCalls}</dd>}
          {parts.map(({ name, actions: list }) => (
            <dd key={name}>
              {rolesMessages.parts[name]}: {list.map((one) => actions[one]).join(", ")}
            </dd>
          ))}
        </dl>
      </PanelBody>
    </Panel>
  );
}
