import { Check, Copy } from "lucide-react";
import { useEffect, useState } from "react";
import { messages } from "../../messages";
import { IconButton } from "./button";

/** Copies a text. Plain http on another host has no clipboard: there the text is selected in `source`. */
export function CopyButton({ text, label, source }: { text: string; label: string; source?: () => Node | null }) {
  const [state, setState] = useState<"ready" | "copied" | "selected">("ready");
  useEffect(() => {
    if (state === "ready") return undefined;
    const timer = setTimeout(() => setState("ready"), 2_000);
    return () => clearTimeout(timer);
  }, [state]);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setState("copied");
    } catch {
      const node = source?.();
      if (!node) return;
      getSelection()?.selectAllChildren(node);
      setState("selected");
    }
  };
  const words = { ready: label, copied: messages.copy.copied, selected: messages.copy.selected }[state];
  return (
    <>
      <IconButton label={words} onClick={() => void copy()}>
        {state === "copied" ? <Check size={14} aria-hidden /> : <Copy size={14} aria-hidden />}
      </IconButton>
      <span role="status" className="visually-hidden">
        {state === "ready" ? "" : words}
      </span>
    </>
  );
}
