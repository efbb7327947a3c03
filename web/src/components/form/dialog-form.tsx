import type { ReactNode } from "react";
import { messages } from "../../messages";
import { Button } from "../ui/button";
import { DialogActions, useDialogLeave } from "../ui/dialog";
import { Form, type Values } from "./form";

interface DialogFormProps {
  label: string;
  /** The words of the button that sends it. */
  action: string;
  /** For what cannot be undone. */
  danger?: boolean;
  onSubmit(values: Values): Promise<void>;
  /** Called by the button that cancels, after a question where text was typed. */
  onClose(): void;
  /** What is typed into it is not worth a question before it closes. */
  passing?: boolean;
  children: ReactNode;
}

/** The form of a dialog: its fields, then the buttons that cancel and send it. */
export function DialogForm({ label, action, danger, onSubmit, onClose, passing, children }: DialogFormProps) {
  const leave = useDialogLeave();
  return (
    <Form label={label} onSubmit={onSubmit} passing={passing}>
      {(busy) => (
        <>
          {children}
          <DialogActions>
            <Button onClick={() => leave(onClose)} data-first>{messages.cancel}</Button>
            <Button type="submit" look={danger ? "danger-filled" : "primary"} busy={busy}>
              {action}
            </Button>
          </DialogActions>
        </>
      )}
    </Form>
  );
}
