import { useRef, useState } from "react";
import { adminOf } from "../../app/queries";
import { sameJson, type Fields } from "../../lib/json";
import { documentMessages as words } from "../../messages/documents";
import type { EditedCell, OpenEditor } from "./cell-editor";
import { documentsChanged, replaceInPages, type List } from "./queries";
import { cellOf, own } from "./values";

/**
 * The cell that is edited, and what saves it: one field as a PATCH. A value that another person has changed is reported first.
 * `onSaved` gets the document as it is after that.
 */
export function useCellEdit({ projectId, collection }: Pick<List, "projectId" | "collection">, mayRead: boolean, onSaved: (document: Fields) => void) {
  const [cell, setCell] = useState<EditedCell>();
  const editor = useRef<OpenEditor>(undefined);
  /** The value over which the person writes. */
  const known = useRef<unknown>(undefined);

  const begin = async (next: EditedCell) => {
    if ((await editor.current?.commit()) === false) return;
    known.current = own(next.document, next.name);
    setCell(next);
  };
  const save = async ({ document, name }: EditedCell, value: unknown) => {
    const id = String(document["id"]);
    if (mayRead) {
      const stored = own((await adminOf(projectId).adminGetDocument(collection, id)).document as Fields, name);
      if (!sameJson(stored, known.current)) {
        known.current = stored;
        throw new Error(words.cell.newer(stored === undefined ? words.cell.noValue : cellOf(stored).text));
      }
    }
    const patch = value === undefined ? { $unset: { [name]: true } } : { $set: { [name]: value } };
    const saved = (await adminOf(projectId).adminUpdateDocument(collection, id, patch)).document as Fields;
    known.current = own(saved, name);
    onSaved(saved);
    replaceInPages(projectId, collection, saved);
    void documentsChanged(projectId, collection);
  };
  return {
    cell,
    editor,
    begin,
    save,
    end: () => setCell(undefined),
    /** Whether something typed is not saved. */
    changed: () => editor.current?.changed() === true,
    /** Saves what is typed. */
    commit: async () => void (await editor.current?.commit()),
  };
}

export type CellEdit = ReturnType<typeof useCellEdit>;
