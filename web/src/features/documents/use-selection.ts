import { useState } from "react";
import type { Fields } from "../../lib/json";
import type { List } from "./queries";
import { idsOf } from "./selected";

const none: ReadonlySet<string> = new Set();

/** The ids of the selected documents, and what selects a row or the range from the row before. */
export function useSelection(list: List, documentAt: (row: number) => Fields | undefined) {
  const [selected, setSelected] = useState(none);
  const [anchor, setAnchor] = useState(0);
  const [error, setError] = useState<unknown>();
  const select = async (row: number, range: boolean) => {
    const id = documentAt(row)?.["id"];
    if (id === undefined) return;
    setError(undefined);
    if (!range) {
      setAnchor(row);
      const next = new Set(selected);
      if (!next.delete(String(id))) next.add(String(id));
      return setSelected(next);
    }
    try {
      setSelected(new Set([...selected, ...(await idsOf(list, Math.min(anchor, row), Math.max(anchor, row)))]));
    } catch (problem) {
      setError(problem);
    }
  };
  return { selected, setSelected, clear: () => setSelected(none), select, error };
}
