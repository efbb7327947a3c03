import { useEffect, useMemo, useRef, useState, type RefObject } from "react";
import { flowMessages as words } from "../../../messages/flow";
import { addAfter, lastOpen, nodeOf, remove } from "./model";
import type { NodeProblem } from "./problems";
import type { NodeType } from "./types";
import type { FlowEdit } from "./use-flow";

export interface Nodes {
  /** What was done last, for readers of the screen. */
  status: string;
  /** The keys of nodes that are refused. */
  refused: ReadonlySet<string>;
  problemsOf(key: string): NodeProblem[];
  choose(id: string): void;
  /** Chooses a node, and moves the focus to its settings. */
  open(id: string): void;
  /** Moves the focus from the settings to the node. */
  back(): void;
  add(type: NodeType): void;
  remove(id: string): void;
  /** The heading of the settings. */
  heading: RefObject<HTMLHeadingElement | null>;
  /** Around canvas and list. */
  graph: RefObject<HTMLDivElement | null>;
}

/** The chosen node of a flow, and what is done with it; `choose` writes it to the address. */
export function useNodes(flow: FlowEdit, chosen: string | undefined, choose: (id: string | undefined) => void): Nodes {
  const { draft, change, refusal } = flow;
  const heading = useRef<HTMLHeadingElement>(null);
  const graph = useRef<HTMLDivElement>(null);
  const [status, setStatus] = useState("");
  const [opened, setOpened] = useState<{ id: string }>();
  const refused = useMemo(() => new Set(refusal?.nodes.map(({ node }) => node)), [refusal]);

  useEffect(() => {
    if (!opened || opened.id !== chosen || !heading.current) return;
    heading.current.focus();
    setOpened(undefined);
  }, [opened, chosen]);

  const back = (id = chosen) => {
    const name = id === undefined ? undefined : CSS.escape(id);
    graph.current?.querySelector<HTMLElement>(`[data-node="${name}"], .react-flow__node[data-id="${name}"]`)?.focus();
  };
  return {
    status,
    refused,
    problemsOf: (key) => refusal?.nodes.filter(({ node }) => node === key) ?? [],
    choose,
    open(id) {
      choose(id);
      setOpened({ id });
    },
    back,
    add(type) {
      const made = addAfter(draft, nodeOf(draft, chosen)?.id ?? lastOpen(draft), type);
      change(made.draft);
      choose(made.id);
      setStatus(words.added(made.id));
    },
    remove(id) {
      const node = nodeOf(draft, id);
      if (!node || node.type === "trigger") return;
      const next = remove(draft, id);
      // What led to it is the next to be chosen, so that the focus has a place.
      const before = draft.edges.find(({ target }) => target === id)?.source ?? next.nodes[0]?.id;
      change(next);
      choose(before);
      back(before);
      setStatus(words.removed(id));
    },
    heading,
    graph,
  };
}
