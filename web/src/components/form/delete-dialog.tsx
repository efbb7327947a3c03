import type { ReactNode } from "react";
import { ConfirmDialog } from "./confirm-dialog";

interface DeleteProps {
  /** The name of what is deleted, as it is shown. */
  name: ReactNode;
  /** `deleteText` goes on after the name. */
  words: { deleteTitle: string; delete: string; deleteText: string };
  onDelete(): Promise<void>;
  onClose(): void;
}

/** The question before a line of a list is deleted. */
export function DeleteDialog({ name, words, onDelete, onClose }: DeleteProps) {
  return (
    <ConfirmDialog open danger title={words.deleteTitle} action={words.delete} onConfirm={onDelete} onClose={onClose}>
      <p>
        {name} {words.deleteText}
      </p>
    </ConfirmDialog>
  );
}
