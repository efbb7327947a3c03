import { Play } from "lucide-react";
import { Button } from "../../components/ui/button";
import { functionMessages } from "../../messages/functions";
import type { Code } from "./use-code";
import type { Running } from "./use-running";
import styles from "./functions.module.css";

const words = functionMessages.one;

/** Saves what was changed of a function. */
export function SaveButton({ source }: { source: Pick<Code, "busy" | "changed" | "save"> }) {
  return (
    <Button busy={source.busy} aria-disabled={!source.changed} onClick={() => void source.save()}>
      {words.save}
      <kbd className={styles["keys"]}>{words.ctrlS}</kbd>
    </Button>
  );
}

/** Saves and runs a function, where the person may. */
export function RunButton({ running, primary }: { running: Running; primary: boolean }) {
  if (!running.run) return null;
  return (
    <Button look={primary ? "primary" : "default"} busy={running.runner.busy} onClick={running.run}>
      <Play size={14} strokeWidth={1.75} aria-hidden />
      {running.words}
      <kbd className={styles["keys"]}>{words.ctrlEnter}</kbd>
    </Button>
  );
}
