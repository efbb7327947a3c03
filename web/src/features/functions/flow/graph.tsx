import { Undo2, Workflow } from "lucide-react";
import type { KeyboardEvent } from "react";
import { Button } from "../../../components/ui/button";
import { Tabs } from "../../../components/ui/tabs";
import { useNarrow } from "../../../components/ui/use-narrow";
import { flowMessages as words } from "../../../messages/flow";
import { Canvas } from "./canvas";
import { arrange, maxNodes, nodeOf } from "./model";
import { NodeList } from "./node-list";
import { Palette } from "./palette";
import type { Draft } from "./types";
import type { Nodes } from "./use-nodes";
import styles from "./flow.module.css";

export type GraphView = "canvas" | "list";

interface Props {
  draft: Draft;
  chosen: string | undefined;
  /** Undefined: by the width of the window. */
  view: GraphView | undefined;
  onView(view: GraphView): void;
  nodes: Nodes;
  /** Absent where nothing may be changed. */
  onChange: ((next: Draft, about?: string) => void) | undefined;
  undo: (() => void) | undefined;
}

const icon = { size: 14, strokeWidth: 1.75, "aria-hidden": true } as const;

/** A flow on a canvas or as a list, with what changes it as a whole. */
export function Graph({ draft, chosen, view, onView, nodes, onChange, undo }: Props) {
  const narrow = useNarrow();
  const shown = view ?? (narrow ? "list" : "canvas");
  const full = draft.nodes.length >= maxNodes;
  const keys = (event: KeyboardEvent) => {
    if (event.key !== "z" || !(event.ctrlKey || event.metaKey) || !onChange || !undo) return;
    event.preventDefault();
    undo();
  };
  const common = { draft, chosen, refused: nodes.refused, onOpen: nodes.open };
  return (
    <div ref={nodes.graph} className={styles["graph"]} onKeyDown={keys}>
      <div className={styles["tools"]}>
        {onChange && !full && <Palette after={nodeOf(draft, chosen)?.id} onAdd={nodes.add} />}
        {onChange && full && <p>{words.most(maxNodes)}</p>}
        {onChange && (
          <Button small aria-disabled={!undo} onClick={undo}>
            <Undo2 {...icon} />
            {words.undo}
          </Button>
        )}
        {onChange && draft.nodes.some(({ position }) => position) && (
          <Button small onClick={() => onChange(arrange(draft))}>
            <Workflow {...icon} />
            {words.arrange}
          </Button>
        )}
        <span className={styles["count"]}>{words.nodes(draft.nodes.length)}</span>
        <span role="status" className="visually-hidden">
          {nodes.status}
        </span>
      </div>
      <Tabs<GraphView>
        label={words.views}
        value={shown}
        onChange={onView}
        items={[
          { value: "canvas", label: words.canvas },
          { value: "list", label: words.list },
        ]}
      >
        {shown === "canvas" ? (
          <Canvas {...common} onChoose={nodes.choose} onChange={onChange} onRemove={nodes.remove} />
        ) : (
          <NodeList {...common} onRemove={onChange && nodes.remove} />
        )}
      </Tabs>
    </div>
  );
}
