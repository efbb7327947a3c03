import type { ReactNode } from "react";
import { messages } from "../../messages";
import { Button } from "../ui/button";
import { DialogActions } from "../ui/dialog";
import { Form, type Values } from "./form";

interface DialogFormProps {
  label: string;
  /** The words of the button that sends it. */
  action: string;
  /** For what cannot be undone. */
  danger?: boolean;
  onSubmit(values: Values): Promise<void>;
  onClose(): void;
  children: ReactNode;
}

/** The form of a dialog: its fields, then the buttons that cancel and send it. */
export function DialogForm({ label, action, danger, onSubmit, onClose, children }: DialogFormProps) {
  return (
    <Form label={label} onSubmit={onSubmit}>
      {(busy) => (
        <>
          {children}
          <DialogActions>
            <Button onClick={onClose}>{messages.cancel}</Button>
            <Button type="submit" look={danger ? "danger-filled" : "primary"} busy={busy}>
              {action}
            </Button>
          </DialogActions>
        </>
      )}
    </Form>
  );
}
