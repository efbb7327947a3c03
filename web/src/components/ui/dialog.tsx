import { Dialog as Base } from "@base-ui/react/dialog";
import { X } from "lucide-react";
import { useRef, type ReactNode } from "react";
import { messages } from "../../messages";
import { cx } from "../../lib/class-names";
import button from "./button.module.css";
import styles from "./dialog.module.css";

interface DialogProps {
  open: boolean;
  onClose(): void;
  title: string;
  /** What it is about, in a line. */
  description?: ReactNode;
  children: ReactNode;
  /** Of lists and code. */
  wide?: boolean;
  /** From the lower edge on small screens. */
  sheet?: boolean;
}

/** A window above the page. Escape closes it, and focus returns to where it was. */
export function Dialog({ open, onClose, title, description, children, wide, sheet }: DialogProps) {
  const popup = useRef<HTMLDivElement>(null);
  return (
    <Base.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <Base.Portal>
        <Base.Backdrop className={styles["backdrop"]} />
        <Base.Popup
          ref={popup}
          // What is to be filled in comes first, not the button that closes.
          initialFocus={() => popup.current?.querySelector<HTMLElement>("input, textarea, [data-first]") ?? true}
          className={cx(styles["popup"], wide && styles["wide"], sheet && styles["sheet"])}
        >
          <header>
            <Base.Title className={styles["title"]}>{title}</Base.Title>
            <Base.Close aria-label={messages.close} title={messages.close} className={button["icon"]}>
              <X size={16} strokeWidth={1.75} aria-hidden />
            </Base.Close>
          </header>
          <div className={styles["body"]}>
            {description !== undefined && (
              <Base.Description className={styles["description"]}>{description}</Base.Description>
            )}
            {children}
          </div>
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}

/** The buttons at the end of a dialog. */
export function DialogActions({ children }: { children: ReactNode }) {
  return <div className={styles["actions"]}>{children}</div>;
}
