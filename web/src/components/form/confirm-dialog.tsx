import { useEffect, useState, type ReactNode } from "react";
import { messages } from "../../messages";
import { Dialog } from "../ui/dialog";
import { TextField } from "../ui/field";
import { DialogForm } from "./dialog-form";
import { FormProblem, type Values } from "./form";
import styles from "./form.module.css";

const words = messages.confirm;

interface ConfirmProps {
  open: boolean;
  title: string;
  /** What happens, and what it means. */
  children: ReactNode;
  /** The words of the button that does it. */
  action: string;
  /** For what cannot be undone. */
  danger?: boolean;
  /** Must be typed first. */
  typed?: string;
  onConfirm(): Promise<void>;
  onClose(): void;
}

type Question = Pick<ConfirmProps, "title" | "children" | "action" | "danger">;

/** A question before something is done. Closes after it is done; a refusal is shown in it. */
export function ConfirmDialog({ open, typed, onConfirm, onClose, ...given }: ConfirmProps) {
  // What is done may change what the question would be, such as that of a switch, before the dialog has closed.
  const [confirmed, setConfirmed] = useState<Question>();
  useEffect(() => {
    if (open) setConfirmed(undefined);
  }, [open]);
  const { title, children, action, danger } = confirmed ?? given;
  const submit = async (values: Values) => {
    if (typed !== undefined && values["typed"]?.trim() !== typed) throw new FormProblem("typed", words.differs);
    setConfirmed(given);
    try {
      await onConfirm();
    } catch (error) {
      setConfirmed(undefined);
      throw error;
    }
    onClose();
  };
  return (
    <Dialog open={open} onClose={onClose} title={title}>
      <DialogForm label={title} action={action} danger={danger} onSubmit={submit} onClose={onClose} passing>
        <div className={styles["question"]}>{children}</div>
        {typed !== undefined && (
          <TextField
            label={words.type(typed)}
            name="typed"
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            mono
          />
        )}
      </DialogForm>
    </Dialog>
  );
}
