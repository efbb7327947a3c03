import { useMemo, type KeyboardEvent } from "react";
import { Badge } from "../../../components/ui/badge";
import { flowMessages as words } from "../../../messages/flow";
import { runOrder } from "./layout";
import { edgeOf, nodeOf, summaryOf } from "./model";
import { rules, type Draft, type DraftNode } from "./types";
import styles from "./flow.module.css";

interface Props {
  draft: Draft;
  chosen: string | undefined;
  /** The keys of nodes that are refused. */
  refused: ReadonlySet<string>;
  onOpen(id: string): void;
  onRemove?: ((id: string) => void) | undefined;
}

const leadsOf = (draft: Draft, { id, type }: DraftNode): string[] =>
  rules[type].branches.map((branch) => words.leads(branch, edgeOf(draft, id, branch)?.target));

/** The nodes of a flow as it runs, in place of the canvas. */
export function NodeList({ draft, chosen, refused, onOpen, onRemove }: Props) {
  const ids = useMemo(() => runOrder(draft), [draft]);
  const keys = (id: string) => (event: KeyboardEvent) => {
    if (event.key !== "Delete" || !onRemove) return;
    event.preventDefault();
    onRemove(id);
  };
  return (
    <ol aria-label={words.listOf} className={styles["nodes"]}>
      {ids.map((id) => {
        const node = nodeOf(draft, id)!;
        const leads = leadsOf(draft, node);
        return (
          <li key={node.key}>
            <button
              type="button"
              data-node={id}
              aria-current={id === chosen ? "true" : undefined}
              className={styles["entry"]}
              onClick={() => onOpen(id)}
              onKeyDown={keys(id)}
            >
              <span className={styles["type"]}>{words.types[node.type]}</span>
              <code>{id}</code>
              {refused.has(node.key) && <Badge tone="bad">{words.badge}</Badge>}
              <span className={styles["summary"]}>
                <bdi>{summaryOf(node)}</bdi>
              </span>
              {leads.length > 0 && <span className={styles["leads"]}>→ {leads.join(", ")}</span>}
            </button>
          </li>
        );
      })}
    </ol>
  );
}
