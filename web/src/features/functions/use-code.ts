import type { Function as ServerFunction } from "manybase/admin";
import { useState } from "react";
import { adminOf } from "../../app/queries";
import { toast } from "../../components/ui/toast";
import { functionMessages as words } from "../../messages/functions";
import { refresh } from "./queries";

export interface Code {
  text: string;
  /** It differs from what is saved. */
  changed: boolean;
  busy: boolean;
  /** Why the last attempt to save it failed. */
  problem: unknown;
  /** What another person has saved since this text was begun. */
  newer: ServerFunction | undefined;
  change(text: string): void;
  /** Gives whether all of it is saved. `over`: also in place of what is newer. */
  save(over?: boolean): Promise<boolean>;
  discard(): Promise<void>;
}

/** The code of a function while it is edited. A failure keeps it. */
export function useCode(projectId: string, one: ServerFunction): Code {
  const [draft, setDraft] = useState<{ text: string; base: string }>();
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<unknown>();
  const [newer, setNewer] = useState<ServerFunction>();
  const admin = adminOf(projectId);

  const save = async (over = false): Promise<boolean> => {
    if (!draft) return true;
    if (busy) return false;
    setBusy(true);
    setProblem(undefined);
    try {
      const { function: latest } = await admin.getFunction(one.name);
      if (!over && latest.code !== draft.base && latest.code !== draft.text) {
        setNewer(latest);
        return false;
      }
      await admin.updateFunction(one.name, { code: draft.text });
      setNewer(undefined);
      const { function: saved } = await admin.getFunction(one.name);
      await refresh(projectId);
      // What was typed since then is the next change.
      setDraft((now) => (now && now.text !== draft.text ? { ...now, base: draft.text } : undefined));
      toast(words.one.saved(saved.version));
      return true;
    } catch (error) {
      setProblem(error);
      return false;
    } finally {
      setBusy(false);
    }
  };

  return {
    text: draft?.text ?? one.code,
    changed: draft !== undefined,
    busy,
    problem,
    newer,
    change(text) {
      setProblem(undefined);
      setDraft((now) => {
        const base = now?.base ?? one.code;
        return text === base && base === one.code ? undefined : { text, base };
      });
    },
    save,
    async discard() {
      await refresh(projectId);
      setDraft(undefined);
      setNewer(undefined);
      setProblem(undefined);
    },
  };
}
