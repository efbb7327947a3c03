import { useState, type ReactNode } from "react";
import { messages } from "../../messages";
import { Table } from "../ui/table";
import { ConfirmDialog } from "./confirm-dialog";

const words = messages.review;

/** What a change replaces, and by what. */
export interface Change {
  label: string;
  before: string;
  after: string;
}

/** Changes as a table: what there is before, and after. */
export function Changes({ label, changes }: { label: string; changes: readonly Change[] }) {
  return (
    <Table
      label={label}
      columns={[words.what, words.before, words.after]}
      rows={changes.map(({ label: what, before, after }) => ({ key: what, cells: [what, <bdi>{before}</bdi>, <bdi>{after}</bdi>] }))}
    />
  );
}

interface Question {
  title: string;
  /** The words of the button that does it. */
  action: string;
  changes: readonly Change[];
  /** What it means. */
  text?: string;
}

/**
 * A question with before and after, for a form to await: true where the person confirms. What is returned second is to be
 * drawn outside of that form.
 */
export function useReview(): [(question: Question) => Promise<boolean>, ReactNode] {
  const [open, setOpen] = useState<Question & { settle(confirmed: boolean): void }>();
  const review = (question: Question) => new Promise<boolean>((settle) => setOpen({ ...question, settle }));
  const dialog = open && (
    <ConfirmDialog
      open
      title={open.title}
      action={open.action}
      onConfirm={async () => open.settle(true)}
      onClose={() => {
        open.settle(false);
        setOpen(undefined);
      }}
    >
      {open.text && <p>{open.text}</p>}
      <Changes label={open.title} changes={open.changes} />
    </ConfirmDialog>
  );
  return [review, dialog];
}
