import { useState } from "react";
import { FilterText } from "../../components/ui/filter-bar";
import { Panel, PanelBody } from "../../components/ui/panel";
import { can } from "../../lib/permissions";
import { messages } from "../../messages";
import { rolesMessages } from "../../messages/roles";
import { actions, cellOf, collectionIn, dataPermission, operations, partsOf, type Kind } from "./grants";
import styles from "./roles.module.css";

const words = rolesMessages.page;
/** More rows are shown by the filter alone. */
const maxRows = 40;
/** From here on the collections are worth a filter. */
const filterFrom = 12;

export interface MatrixProps {
  kind: Kind;
  permissions: readonly string[];
  /** What the caller holds, and so may give; undefined where nothing can be changed. */
  giving: readonly string[] | undefined;
  onSwitch(permission: string, on: boolean): void;
}

interface CellProps extends Omit<MatrixProps, "kind"> {
  /** The permission of the cell. */
  one: string;
  /** What it is, for readers of the screen. */
  label: string;
}

function Cell({ permissions, giving, onSwitch, one, label }: CellProps) {
  const { held, through } = cellOf(permissions, one);
  const beyond = giving !== undefined && !can(giving, one);
  const why = through !== undefined ? words.through(through) : beyond ? words.beyond : undefined;
  return (
    <td>
      <input
        type="checkbox"
        checked={held}
        disabled={giving === undefined || through !== undefined || (beyond && !held)}
        aria-label={why ? `${label}, ${why}` : label}
        title={why ?? one}
        onChange={(event) => onSwitch(one, event.target.checked)}
      />
    </td>
  );
}

/** What a role may do with the documents of each collection. */
export function DocumentMatrix({ collections, ...props }: MatrixProps & { collections: readonly string[] }) {
  const [find, setFind] = useState("");
  // A name that was there at first stays in its place while its cells are switched.
  const [named] = useState(() => [...new Set(props.permissions.map(collectionIn).filter((one) => one !== undefined))].sort());
  const late = props.permissions.map(collectionIn).filter((one) => one !== undefined);
  const names = [...new Set([...named, ...collections, ...late])];
  const found = names.filter((name) => name.toLowerCase().includes(find.toLowerCase()));
  const rows = found.slice(0, maxRows);
  return (
    <Panel
      title={words.documents}
      aside={names.length >= filterFrom && <FilterText label={words.filter} value={find} onChange={setFind} />}
    >
      <div className={styles["frame"]} tabIndex={0} role="region" aria-label={messages.table(words.documents)}>
        <table className={styles["matrix"]}>
          <thead>
            <tr>
              <th scope="col">{words.collection}</th>
              <th scope="col">{words.all}</th>
              {operations.map((one) => (
                <th key={one} scope="col">
                  {words.operations[one]}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {["*", ...rows].map((name) => {
              const title = name === "*" ? words.allCollections : name;
              return (
                <tr key={name}>
                  <th scope="row">
                    {name === "*" ? title : <code>{name}</code>}
                    {name !== "*" && !collections.includes(name) && (
                      <span className={styles["secondary"]}> {words.missing}</span>
                    )}
                  </th>
                  <Cell {...props} one={dataPermission(name, "*")} label={`${title}: ${words.all}`} />
                  {operations.map((one) => (
                    <Cell key={one} {...props} one={dataPermission(name, one)} label={`${title}: ${words.operations[one]}`} />
                  ))}
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
      <PanelBody>
        {found.length > rows.length && <p>{words.hidden(found.length - rows.length)}</p>}
        <p className={styles["secondary"]}>{words.adminHint}</p>
      </PanelBody>
    </Panel>
  );
}

/** What a role may do with the parts of the project. */
export function PartMatrix(props: MatrixProps) {
  const parts = partsOf(props.kind);
  const columns = actions.filter((action) => parts.some((part) => part.actions.includes(action)));
  return (
    <Panel title={words.domains}>
      <div className={styles["frame"]} tabIndex={0} role="region" aria-label={messages.table(words.domains)}>
        <table className={styles["matrix"]}>
          <thead>
            <tr>
              <th scope="col">{words.domain}</th>
              {columns.map((action) => (
                <th key={action} scope="col">
                  {words.actions[action]}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {parts.map(({ name, actions: own }) => (
              <tr key={name}>
                <th scope="row">{rolesMessages.parts[name]}</th>
                {columns.map((action) =>
                  own.includes(action) ? (
                    <Cell
                      key={action}
                      {...props}
                      one={`${name}:${action}`}
                      label={`${rolesMessages.parts[name]}: ${words.actions[action]}`}
                    />
                  ) : (
                    <td key={action} />
                  ),
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Panel>
  );
}
