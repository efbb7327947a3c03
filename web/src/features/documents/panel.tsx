import { Link } from "@tanstack/react-router";
import { ChevronDown, ChevronUp } from "lucide-react";
import { useRef, type KeyboardEvent } from "react";
import type { DocumentTab } from "../../app/routes/data";
import { IconButton } from "../../components/ui/button";
import { SidePanel } from "../../components/ui/side-panel";
import { documentMessages } from "../../messages/documents";
import type { DocumentProps } from "./document-editor";
import { DocumentActions, DocumentView, WhoSeesLink } from "./document-view";
import styles from "./documents.module.css";
import type { Neighbours } from "./use-neighbours";

const words = documentMessages.panel;

interface PanelProps extends DocumentProps {
  id: string;
  neighbours: Neighbours;
  tab: DocumentTab | undefined;
  onTab(tab: DocumentTab | undefined): void;
  onClose(): void;
}

/** A document in the side panel: read, changed, deleted; Control with an arrow leads to the next one of the list. */
export function DocumentPanel({ neighbours, onClose, ...rest }: PanelProps) {
  const { slug, collection, id } = rest;
  const dirty = useRef(false);
  const onKeyDown = (event: KeyboardEvent) => {
    const by = event.key === "ArrowUp" ? -1 : event.key === "ArrowDown" ? 1 : 0;
    // Dialogs of the panel are not in it.
    const isInside = event.currentTarget.contains(event.target as Node);
    if (by === 0 || !isInside || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return;
    event.preventDefault();
    neighbours.go(by);
  };
  const onRemoved = () => {
    dirty.current = false;
    onClose();
  };
  return (
    <SidePanel
      title={id}
      onClose={onClose}
      onKeyDown={onKeyDown}
      actions={
        <>
          <IconButton label={words.previous} aria-keyshortcuts="Control+ArrowUp" disabled={!neighbours.has(-1)} onClick={() => neighbours.go(-1)}>
            <ChevronUp size={16} strokeWidth={1.75} aria-hidden />
          </IconButton>
          <IconButton label={words.next} aria-keyshortcuts="Control+ArrowDown" disabled={!neighbours.has(1)} onClick={() => neighbours.go(1)}>
            <ChevronDown size={16} strokeWidth={1.75} aria-hidden />
          </IconButton>
          <DocumentActions {...rest} onRemoved={onRemoved} />
        </>
      }
    >
      <p className={styles["ways"]}>
        <Link to="/p/$slug/data/$collection/documents/$id" params={{ slug, collection, id }} search={{ tab: rest.tab }}>
          {words.asPage}
        </Link>
        <WhoSeesLink {...rest} />
      </p>
      <DocumentView {...rest} dirty={dirty} />
    </SidePanel>
  );
}
