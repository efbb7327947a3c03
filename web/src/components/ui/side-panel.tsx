import { X } from "lucide-react";
import { useEffect, useId, useRef, type KeyboardEvent as ReactKeyboardEvent, type ReactNode } from "react";
import { messages } from "../../messages";
import { IconButton } from "./button";
import styles from "./side-panel.module.css";

/** The content of a screen with a `SidePanel` at its end, where there is one. */
export function WithSidePanel({ panel, children }: { panel: ReactNode; children: ReactNode }) {
  return (
    <div className={styles["split"]}>
      <div className={styles["content"]}>{children}</div>
      {panel}
    </div>
  );
}

interface SidePanelProps {
  title: string;
  /** Called for the button and for Escape. Who has text that is not saved asks first. */
  onClose(): void;
  /** Buttons in its first line. */
  actions?: ReactNode;
  /** Keys that are pressed in it. */
  onKeyDown?(event: ReactKeyboardEvent): void;
  children: ReactNode;
}

/** Details at the end of a screen, in place of it where the screen is narrow. Use in `WithSidePanel`. */
export function SidePanel({ title, onClose, actions, onKeyDown, children }: SidePanelProps) {
  const id = useId();
  const heading = useRef<HTMLHeadingElement>(null);
  const close = useRef(onClose);
  close.current = onClose;

  useEffect(() => {
    const before = document.activeElement as HTMLElement | null;
    heading.current?.focus({ preventScroll: true });
    const onKey = (event: KeyboardEvent) => {
      // What is open above the panel closes first.
      const inner = (event.target as Element | null)?.closest("[role=dialog], [role=alertdialog], [role=menu], [role=listbox]");
      if (event.key === "Escape" && !event.defaultPrevented && !inner) close.current();
    };
    document.addEventListener("keydown", onKey);
    return () => {
      document.removeEventListener("keydown", onKey);
      const focused = document.activeElement;
      if (before?.isConnected && (!focused || focused === document.body)) before.focus({ preventScroll: true });
    };
  }, []);

  return (
    <aside aria-labelledby={id} className={styles["panel"]} onKeyDown={onKeyDown}>
      <header>
        <h2 ref={heading} id={id} tabIndex={-1} title={title} className={styles["title"]}>
          <bdi>{title}</bdi>
        </h2>
        {actions}
        <IconButton label={messages.close} onClick={onClose}>
          <X size={16} strokeWidth={1.75} aria-hidden />
        </IconButton>
      </header>
      <div className={styles["body"]}>{children}</div>
    </aside>
  );
}
