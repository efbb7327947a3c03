import type { Function as ServerFunction } from "manybase/admin";
import { useMemo, useState } from "react";
import { adminOf } from "../../../app/queries";
import { toast } from "../../../components/ui/toast";
import { sameJson } from "../../../lib/json";
import { functionMessages } from "../../../messages/functions";
import { refresh } from "../queries";
import { toDraft, toFlow } from "./model";
import { refusalOf, unreadable, type Refusal } from "./problems";
import type { Draft, Flow } from "./types";

const maxSteps = 100;

interface State {
  draft: Draft;
  /** What it was begun from, or saved as. */
  base: Flow;
  /** What it was before, the last one at the end. */
  past: readonly Draft[];
  /** What the last change was about: changes of one text are one step. */
  about: string | undefined;
}

export interface FlowEdit {
  draft: Draft;
  /** It differs from what is saved. */
  changed: boolean;
  busy: boolean;
  /** Why the last attempt to save it failed. */
  refusal: Refusal | undefined;
  /** What another person has saved since this was begun. */
  newer: ServerFunction | undefined;
  /** `about`: changes about the same are undone together. */
  change(next: Draft, about?: string): void;
  /** Takes the last change back; absent where there is none. */
  undo: (() => void) | undefined;
  /** Gives whether all of it is saved. `over`: also in place of what is newer. */
  save(over?: boolean): Promise<boolean>;
  discard(): Promise<void>;
}

const flowOf = (one: ServerFunction): Flow => one.flow as unknown as Flow;

const isChanged = ({ draft, base }: State): boolean => unreadable(draft) !== undefined || !sameJson(toFlow(draft), base);

/** The flow of a function while it is edited. A failure keeps it. */
export function useFlow(projectId: string, one: ServerFunction): FlowEdit {
  const saved = flowOf(one);
  const fresh = useMemo(() => toDraft(saved), [saved]);
  const [kept, keep] = useState<State>();
  const [busy, setBusy] = useState(false);
  const [refusal, setRefusal] = useState<Refusal>();
  const [newer, setNewer] = useState<ServerFunction>();
  const admin = adminOf(projectId);
  // Of what is not changed, the server has the last word.
  const held = kept && (isChanged(kept) || sameJson(kept.base, saved)) ? kept : undefined;
  const state: State = held ?? { draft: fresh, base: saved, past: [], about: undefined };
  const { draft, base, past } = state;
  const changed = isChanged(state);

  const save = async (over = false): Promise<boolean> => {
    if (!changed) return true;
    if (busy) return false;
    const invalid = unreadable(draft);
    setRefusal(invalid);
    if (invalid) return false;
    setBusy(true);
    try {
      const mine = toFlow(draft);
      const { function: latest } = await admin.getFunction(one.name);
      if (!over && !sameJson(latest.flow, base) && !sameJson(latest.flow, mine)) {
        setNewer(latest);
        return false;
      }
      await admin.updateFunction(one.name, { flow: { ...mine } });
      const { function: next } = await admin.getFunction(one.name);
      setNewer(undefined);
      await refresh(projectId);
      // What was changed since then is the next change.
      keep((now) => ({ ...(now ?? state), base: flowOf(next) }));
      toast(functionMessages.one.saved(next.version));
      return true;
    } catch (error) {
      setRefusal(refusalOf(draft, error));
      return false;
    } finally {
      setBusy(false);
    }
  };

  return {
    draft,
    changed,
    busy,
    refusal,
    newer,
    change(next, about) {
      const joined = about !== undefined && about === state.about;
      keep({ draft: next, base, past: joined ? past : [...past.slice(-maxSteps), draft], about });
      if (refusal && about) setRefusal({ ...refusal, nodes: refusal.nodes.filter((each) => `${each.node}/${each.field}` !== about) });
    },
    undo:
      past.length > 0
        ? () => keep({ draft: past.at(-1)!, base, past: past.slice(0, -1), about: undefined })
        : undefined,
    save,
    async discard() {
      await refresh(projectId);
      keep(undefined);
      setNewer(undefined);
      setRefusal(undefined);
    },
  };
}
