import {
  MarkerType,
  Panel,
  ReactFlow,
  ReactFlowProvider,
  useReactFlow,
  type Connection,
  type Edge,
  type EdgeChange,
  type NodeChange,
} from "@xyflow/react";
import "@xyflow/react/dist/base.css";
import { Maximize, Minus, Plus } from "lucide-react";
import { useMemo, useState, type KeyboardEvent } from "react";
import { Button, IconButton } from "../../../components/ui/button";
import { flowMessages as words } from "../../../messages/flow";
import { NodeCard, single, type CanvasNode } from "./canvas-node";
import { layoutOf, nodeHeight, nodeWidth, runOrder } from "./layout";
import { connect, disconnect, edgeOf, move, nodeOf } from "./model";
import type { Draft, FlowEdge, Point } from "./types";
import styles from "./flow.module.css";

const types = { flow: NodeCard };
const size = { width: nodeWidth, height: nodeHeight };
const grid: [number, number] = [16, 16];
const icon = { size: 16, strokeWidth: 1.75, "aria-hidden": true } as const;
const labels = {
  "node.a11yDescription.default": words.help,
  "node.a11yDescription.keyboardDisabled": words.help,
  "node.a11yDescription.ariaLiveMessage": ({ direction, x, y }: { direction: string; x: number; y: number }) => words.moved(direction, x, y),
  "edge.a11yDescription.default": words.removeEdge,
  "handle.ariaLabel": words.handle,
};

interface Props {
  draft: Draft;
  chosen: string | undefined;
  /** The keys of nodes that are refused. */
  refused: ReadonlySet<string>;
  onChoose(id: string): void;
  /** Leads to the settings of a node. */
  onOpen(id: string): void;
  /** Absent where nothing may be changed. */
  onChange: ((next: Draft, about?: string) => void) | undefined;
  onRemove(id: string): void;
}

function edgesOf(draft: Draft, selected: string | undefined): Edge[] {
  return draft.edges.map(({ id, source, target, branch = "" }: FlowEdge) => ({
    id,
    source,
    target,
    sourceHandle: branch || single,
    type: "smoothstep",
    ...(branch ? { label: branch } : {}),
    selected: id === selected,
    ariaLabel: words.edgeName(source, target, branch),
    markerEnd: { type: MarkerType.ArrowClosed, width: 18, height: 18 },
  }));
}

function Zoom() {
  const { zoomIn, zoomOut, fitView } = useReactFlow();
  return (
    <Panel position="bottom-left" className={styles["zoom"]}>
      <IconButton label={words.zoomIn} onClick={() => void zoomIn()}>
        <Plus {...icon} />
      </IconButton>
      <IconButton label={words.zoomOut} onClick={() => void zoomOut()}>
        <Minus {...icon} />
      </IconButton>
      <IconButton label={words.fit} onClick={() => void fitView({ maxZoom: 1 })}>
        <Maximize {...icon} />
      </IconButton>
    </Panel>
  );
}

/** A flow as a graph. Nodes are moved by pointer or arrows, and connected from the dots at their edges. */
export function Canvas({ draft, chosen, refused, onChoose, onOpen, onChange, onRemove }: Props) {
  const [edge, selectEdge] = useState<string>();
  const nodes = useMemo(() => {
    const at = layoutOf(draft);
    return runOrder(draft).map((id): CanvasNode => {
      const node = nodeOf(draft, id)!;
      const bad = refused.has(node.key);
      return {
        id,
        type: "flow",
        position: at.get(id)!,
        ...size,
        measured: size,
        data: { node, refused: bad },
        selected: id === chosen,
        ariaLabel: words.nodeName(words.types[node.type], id, bad),
        domAttributes: { "aria-current": id === chosen ? "true" : undefined },
      };
    });
  }, [draft, chosen, refused]);
  const edges = useMemo(() => edgesOf(draft, edge), [draft, edge]);

  const onNodes = (changes: NodeChange<CanvasNode>[]) => {
    const places = new Map<string, Point>();
    for (const change of changes) {
      if (change.type === "select" && change.selected) onChoose(change.id);
      if (change.type === "position" && change.position) places.set(change.id, change.position);
    }
    if (places.size > 0) onChange?.(move(draft, places), `move ${[...places.keys()].join()}`);
  };
  const onEdges = (changes: EdgeChange[]) => {
    for (const change of changes) {
      if (change.type === "select") selectEdge((now) => (change.selected ? change.id : now === change.id ? undefined : now));
    }
  };
  const allowed = ({ source, target }: Connection | Edge) => source !== target && nodeOf(draft, target)?.type !== "trigger";
  const onConnect = ({ source, target, sourceHandle }: Connection) => {
    const branch = sourceHandle === single ? "" : (sourceHandle ?? "");
    if (edgeOf(draft, source, branch)?.target !== target) onChange?.(connect(draft, source, branch, target));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const id = (event.target as HTMLElement).dataset["id"];
    if (id === undefined || !nodeOf(draft, id) || event.ctrlKey || event.metaKey) return;
    if (event.key === "Enter") onOpen(id);
    else if (onChange && (event.key === "Delete" || event.key === "Backspace")) onRemove(id);
    else return;
    event.preventDefault();
  };
  const drop = () => {
    onChange?.(disconnect(draft, edge!));
    selectEdge(undefined);
  };

  return (
    <ReactFlowProvider>
      <div className={styles["canvas"]} onKeyDownCapture={onKeyDown}>
        <ReactFlow
          aria-label={words.graph}
          nodes={nodes}
          edges={edges}
          nodeTypes={types}
          ariaLabelConfig={labels}
          onNodesChange={onNodes}
          onEdgesChange={onEdges}
          onConnect={onConnect}
          isValidConnection={allowed}
          nodesDraggable={onChange !== undefined}
          nodesConnectable={onChange !== undefined}
          edgesFocusable={false}
          snapToGrid
          snapGrid={grid}
          fitView
          fitViewOptions={{ maxZoom: 1 }}
          minZoom={0.25}
          // The wheel scrolls the page.
          zoomOnScroll={false}
          preventScrolling={false}
          // Keys hold on nodes alone, not on the whole page.
          deleteKeyCode={null}
          selectionKeyCode={null}
          multiSelectionKeyCode={null}
          panActivationKeyCode={null}
          zoomActivationKeyCode={null}
        >
          <Zoom />
          {edge !== undefined && onChange && draft.edges.some(({ id }) => id === edge) && (
            <Panel position="top-right">
              <Button small look="danger" onClick={drop}>
                {words.removeEdge}
              </Button>
            </Panel>
          )}
        </ReactFlow>
      </div>
    </ReactFlowProvider>
  );
}
