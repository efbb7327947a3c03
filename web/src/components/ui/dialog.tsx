import { Dialog as Base } from "@base-ui/react/dialog";
import { X } from "lucide-react";
import { createContext, useContext, useEffect, useRef, useState, type FormEvent, type ReactNode } from "react";
import { messages } from "../../messages";
import { cx } from "../../lib/class-names";
import { Button } from "./button";
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
  /** The question before it is dismissed, such as for a secret that is shown once. A changed form has one of its own. */
  leaving?: string;
}

interface LeaveProps {
  text: string;
  /** The words of the button that leaves. */
  action?: string;
  onLeave(): void;
  onStay(): void;
}

/** The question before typed text is lost, with the focus on the choice that keeps it. */
function LeaveQuestion({ text, action = messages.leave.leave, onLeave, onStay }: LeaveProps) {
  const stay = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    const before = document.activeElement as HTMLElement | null;
    stay.current?.focus();
    return () => before?.focus();
  }, []);
  return (
    <div role="alertdialog" aria-label={text} className={styles["question"]}>
      <p>{text}</p>
      <div className={styles["actions"]}>
        <Button ref={stay} onClick={onStay}>
          {messages.leave.stay}
        </Button>
        <Button look="danger-filled" onClick={onLeave}>
          {action}
        </Button>
      </div>
    </div>
  );
}

type Leave = (then: () => void) => void;
const Leaving = createContext<Leave>((then) => then());

/** Gives what does something that ends the dialog around: at once, or after a question where text was typed. */
export const useDialogLeave = (): Leave => useContext(Leaving);

/** A window above the page. Escape closes it, after a question where text was typed; focus returns to where it was. */
export function Dialog({ open, onClose, title, description, children, wide, sheet, leaving }: DialogProps) {
  const popup = useRef<HTMLDivElement>(null);
  const changed = useRef<HTMLFormElement>(undefined);
  const [question, setQuestion] = useState<{ text: string; action?: string; then: () => void }>();
  const stay = () => setQuestion(undefined);
  const leave: Leave = (then) => {
    if (changed.current?.isConnected) setQuestion({ text: messages.leave.form, then });
    else if (leaving !== undefined) setQuestion({ text: leaving, action: messages.close, then });
    else then();
  };
  const note = (event: FormEvent) => {
    const form = (event.target as Element).closest("form");
    if (form && !form.dataset["passing"]) changed.current = form;
  };
  return (
    <Base.Root open={open} onOpenChange={(next) => !next && (question ? stay() : leave(onClose))}>
      <Base.Portal>
        <Base.Backdrop className={styles["backdrop"]} />
        <Base.Popup
          ref={popup}
          // What is to be filled in comes first, not the button that closes.
          initialFocus={() => popup.current?.querySelector<HTMLElement>("input, select, textarea, [data-first]") ?? true}
          className={cx(styles["popup"], wide && styles["wide"], sheet && styles["sheet"])}
          onInput={note}
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
            <Leaving value={leave}>{children}</Leaving>
          </div>
          {question && (
            <LeaveQuestion
              text={question.text}
              action={question.action}
              onStay={stay}
              onLeave={() => {
                stay();
                question.then();
              }}
            />
          )}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}

/** The buttons at the end of a dialog. */
export function DialogActions({ children }: { children: ReactNode }) {
  return <div className={styles["actions"]}>{children}</div>;
}
