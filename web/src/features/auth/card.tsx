import type { ReactNode } from "react";
import { Form, type Values } from "../../components/form/form";
import { Mark } from "../../components/shell/mark";
import { useTitle } from "../../components/shell/page";
import { Button } from "../../components/ui/button";
import { TextField } from "../../components/ui/field";
import { messages } from "../../messages";
import { flow } from "./flow";
import styles from "./card.module.css";

/** The frame of the screens before a session. */
export function Card({ title, text, children }: { title: string; text?: ReactNode; children: ReactNode }) {
  useTitle(title);
  return (
    <main className={styles["page"]}>
      <div className={styles["card"]}>
        <Mark size={28} />
        <header>
          <h1 tabIndex={-1}>{title}</h1>
          {text !== undefined && <p>{text}</p>}
        </header>
        {children}
      </div>
    </main>
  );
}

interface CardFormProps {
  label: string;
  /** The words of the button that sends it; by default the label. */
  action?: string;
  onSubmit(values: Values): Promise<void>;
  /** Its fields; without any its button has the focus. */
  children?: ReactNode;
}

/** The form of a card: its fields, then the button that sends it. */
export function CardForm({ label, action = label, onSubmit, children }: CardFormProps) {
  return (
    <Form label={label} onSubmit={onSubmit}>
      {(busy) => (
        <>
          {children}
          <Button type="submit" look="primary" wide busy={busy} autoFocus={children === undefined}>
            {action}
          </Button>
        </>
      )}
    </Form>
  );
}

/** The address of the account, as it was typed on the screen before. */
export function EmailField({ autoFocus }: { autoFocus?: boolean }) {
  return (
    <TextField
      label={messages.auth.email}
      name="email"
      type="email"
      autoComplete="username"
      defaultValue={flow.email}
      autoFocus={autoFocus}
      required
    />
  );
}

export function CardFooter({ children }: { children: ReactNode }) {
  return <p className={styles["footer"]}>{children}</p>;
}
