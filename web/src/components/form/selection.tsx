import { Trash2 } from "lucide-react";
import { useState, type ReactNode } from "react";
import { Button } from "../ui/button";
import { toast } from "../ui/toast";
import { ConfirmDialog } from "./confirm-dialog";

/** So many deletions are sent at a time. */
const inFlight = 4;
/** From so many on, their number is typed before they are deleted. */
const typedFrom = 20;

interface SelectionProps {
  selected: ReadonlySet<string>;
  onChange(selected: ReadonlySet<string>): void;
  /** What else is shown of them, in place of their number. */
  status?: string;
  /** What else is done with them. */
  actions?: ReactNode;
  /** Deletes one of them; absent for who may not. */
  remove?(key: string): Promise<void>;
  /** Called once all are deleted, or the first could not be. */
  onRemoved(): Promise<unknown>;
  words: {
    selected(n: number): string;
    deleting(done: number, all: number): string;
    removeSelected: string;
    unselect: string;
    removeMany(n: number): string;
    remove: string;
    removed(n: number): string;
  };
  /** What it means that they are deleted. */
  children: ReactNode;
}

/** How many entries of a list are selected, and what deletes them. What could not be deleted stays selected. */
export function Selection({ selected, onChange, status, actions, remove, onRemoved, words, children }: SelectionProps) {
  const [confirming, setConfirming] = useState(false);
  const [progress, setProgress] = useState<{ done: number; all: number }>();
  const count = selected.size;
  const removeAll = async () => {
    const waiting = [...selected];
    const left = new Set(selected);
    setProgress({ done: 0, all: count });
    const work = async () => {
      for (let key = waiting.pop(); key !== undefined; key = waiting.pop()) {
        await remove!(key);
        left.delete(key);
        setProgress({ done: count - left.size, all: count });
      }
    };
    try {
      const results = await Promise.allSettled(Array.from({ length: inFlight }, work));
      const failed = results.find((result) => result.status === "rejected");
      if (failed) throw failed.reason;
      toast(words.removed(count));
    } finally {
      setProgress(undefined);
      onChange(left);
      await onRemoved();
    }
  };
  return (
    <>
      <span role="status">{progress ? words.deleting(progress.done, progress.all) : (status ?? words.selected(count))}</span>
      {actions}
      {remove && (
        <Button small look="danger" onClick={() => setConfirming(true)}>
          <Trash2 size={14} aria-hidden />
          {words.removeSelected}
        </Button>
      )}
      <Button small look="quiet" onClick={() => onChange(new Set())}>
        {words.unselect}
      </Button>
      <ConfirmDialog
        open={confirming}
        danger
        title={words.removeMany(count)}
        action={words.remove}
        typed={count > typedFrom ? String(count) : undefined}
        onConfirm={removeAll}
        onClose={() => setConfirming(false)}
      >
        {children}
      </ConfirmDialog>
    </>
  );
}
