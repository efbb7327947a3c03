import { useState, type ReactNode } from "react";
import { Button } from "../ui/button";
import { Form, type Values } from "./form";
import { LeaveGuard } from "./leave-guard";
import styles from "./form.module.css";

interface PageFormProps {
  label: string;
  /** The words of the button that saves. */
  action: string;
  /** False where nothing was saved after all: what was typed stays a change. */
  onSubmit(values: Values): Promise<void | false>;
  /** Its fields, in panels or not. */
  children: ReactNode;
}

/** A form that is a part of a screen. Leaving the screen with unsaved changes raises a question. */
export function PageForm({ label, action, onSubmit, children }: PageFormProps) {
  const [changed, setChanged] = useState(false);
  const save = async (values: Values) => {
    if ((await onSubmit(values)) !== false) setChanged(false);
  };
  return (
    <div onInput={() => setChanged(true)}>
      <Form label={label} onSubmit={save}>
        {(busy) => (
          <>
            {children}
            <div className={styles["actions"]}>
              <Button type="submit" look="primary" busy={busy}>
                {action}
              </Button>
            </div>
          </>
        )}
      </Form>
      <LeaveGuard when={changed} />
    </div>
  );
}
