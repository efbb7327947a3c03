import { useState } from "react";
import { wordsOf } from "../../components/states/problem";
import { Button } from "../../components/ui/button";
import { TextField } from "../../components/ui/field";
import { inlineJson } from "../../lib/json";
import { vectorMessages } from "../../messages/vectors";
import { readDocument } from "./queries";
import styles from "./vectors.module.css";

const words = vectorMessages.search;

interface DocumentVectorProps {
  projectId: string;
  collection: string;
  field: string;
  onVector(text: string): void;
}

/** Takes the vector that a document contains. */
export function DocumentVector({ projectId, collection, field, onVector }: DocumentVectorProps) {
  const [id, setId] = useState("");
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState("");
  const take = async () => {
    if (!id.trim()) return setProblem(words.documentMissing);
    setBusy(true);
    setProblem("");
    try {
      const { document } = await readDocument(projectId, collection, id.trim());
      const vector = (document as Record<string, unknown>)[field];
      if (Array.isArray(vector)) onVector(inlineJson(vector));
      else setProblem(words.documentWithout);
    } catch (error) {
      setProblem(wordsOf(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <div>
      <div className={styles["take"]}>
        <TextField
          label={words.document}
          name="document"
          hint={words.documentHint}
          value={id}
          onChange={(event) => setId(event.target.value)}
          onKeyDown={(event) => {
            if (event.key !== "Enter") return;
            event.preventDefault();
            void take();
          }}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          mono
        />
        <Button busy={busy} onClick={() => void take()}>
          {words.take}
        </Button>
      </div>
      <p role="status" className={styles["bad"]}>
        {problem}
      </p>
    </div>
  );
}
