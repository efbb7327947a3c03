import { useState } from "react";
import { DiffView } from "../../components/editor/diff-view";
import { Alert } from "../../components/states/alert";
import { Button } from "../../components/ui/button";
import { Dialog } from "../../components/ui/dialog";
import { functionMessages } from "../../messages/functions";
import styles from "./functions.module.css";

const words = functionMessages.one;

interface Props {
  /** The version of another person. */
  version: number;
  theirs: string;
  mine: string;
  language: "javascript" | "json";
  busy: boolean;
  onOverwrite(): void;
  onDiscard(): void;
}

/** What to do where another person has saved a function since it was read. */
export function Newer({ version, theirs, mine, language, busy, onOverwrite, onDiscard }: Props) {
  const [compared, compare] = useState(false);
  return (
    <Alert tone="warn">
      <p>{words.newer(version)}</p>
      <div className={styles["choices"]}>
        <Button small onClick={() => compare(true)}>
          {words.compare}
        </Button>
        <Button small onClick={onOverwrite} busy={busy}>
          {words.overwrite}
        </Button>
        <Button small look="danger" onClick={onDiscard}>
          {words.takeTheirs}
        </Button>
      </div>
      <Dialog open={compared} onClose={() => compare(false)} title={words.theirs} wide>
        <DiffView label={words.theirs} before={theirs} after={mine} language={language} />
      </Dialog>
    </Alert>
  );
}
