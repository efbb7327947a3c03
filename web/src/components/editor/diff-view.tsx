import { useEffect, useRef, useState } from "react";
import { messages } from "../../messages";
import { ErrorState } from "../states/problem";
import { Skeleton } from "../states/skeleton";
import { useNarrow } from "../ui/use-narrow";
import styles from "./editor.module.css";
import { loadDiff } from "./load";
import type { CodeLanguage } from "./types";

interface DiffViewProps {
  /** What is compared, for readers of the screen. */
  label: string;
  before: string;
  after: string;
  language: CodeLanguage;
}

/** Two texts and what differs: side by side, one below the other where the screen is narrow. Nothing can be changed. */
export function DiffView({ label, before, after, language }: DiffViewProps) {
  const unified = useNarrow();
  const parent = useRef<HTMLDivElement>(null);
  const [state, setState] = useState<"loading" | "ready" | { error: unknown }>("loading");
  const [attempt, setAttempt] = useState(0);

  useEffect(() => {
    let left = false;
    let remove: (() => void) | undefined;
    const start = async () => {
      const { createDiff } = await loadDiff();
      if (left) return;
      const labels = { before: messages.editor.before(label), after: messages.editor.after(label), both: label };
      remove = await createDiff(parent.current!, { labels, before, after, language, unified });
      if (left) remove();
      else setState("ready");
    };
    start().catch((error: unknown) => !left && setState({ error }));
    return () => {
      left = true;
      remove?.();
    };
  }, [label, before, after, language, unified, attempt]);

  const retry = () => {
    setState("loading");
    setAttempt((n) => n + 1);
  };
  return (
    <div role="group" aria-label={label} className={styles["editor"]}>
      {typeof state === "object" && <ErrorState error={state.error} onRetry={retry} />}
      {state === "loading" && <Skeleton rows={1} height={160} />}
      <div ref={parent} hidden={state !== "ready"} className={styles["diff"]} />
    </div>
  );
}
