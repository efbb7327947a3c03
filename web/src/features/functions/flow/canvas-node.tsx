import { Handle, Position, type Node, type NodeProps } from "@xyflow/react";
import { CircleAlert } from "lucide-react";
import { cx } from "../../../lib/class-names";
import { flowMessages as words } from "../../../messages/flow";
import { summaryOf } from "./model";
import { rules, type DraftNode } from "./types";
import styles from "./flow.module.css";

export type CanvasNode = Node<{ node: DraftNode; refused: boolean }, "flow">;

/** What a way without a name is called at the end of a connection. */
export const single = "next";

/** A node on the canvas, with the ends of its connections. */
export function NodeCard({ data: { node, refused }, selected, isConnectable }: NodeProps<CanvasNode>) {
  const { branches } = rules[node.type];
  return (
    <div className={cx(styles["node"], selected && styles["chosen"], refused && styles["refused"])}>
      {node.type !== "trigger" && <Handle type="target" position={Position.Top} isConnectable={isConnectable} className={styles["in"]} />}
      <p className={styles["line"]}>
        <span className={styles["type"]}>{words.types[node.type]}</span>
        <code className={styles["short"]}>{node.id}</code>
        {refused && <CircleAlert size={14} strokeWidth={1.75} aria-hidden className={styles["bad"]} />}
      </p>
      <p className={cx(styles["summary"], styles["short"])}>
        <bdi>{summaryOf(node)}</bdi>
      </p>
      {branches.map((branch, at) => (
        <Handle
          key={branch}
          id={branch || single}
          type="source"
          position={Position.Bottom}
          isConnectable={isConnectable}
          className={cx(styles["out"], branches.length > 1 && styles[at === 0 ? "first" : "second"])}
        />
      ))}
    </div>
  );
}
