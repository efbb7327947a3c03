import { useEffect, useRef } from "react";
import { ShortcutReader, hasOwnKeys, lettersOn, type Shortcut } from "../../lib/shortcuts";

/** Dialogs, which keep the keys to themselves; notices have the same role. */
const modal = '[role="dialog"]:not([aria-modal="false"]), [role="alertdialog"]';

/** Calls `run` for shortcuts; it returns whether there was something to do. */
export function useShortcuts(run: (shortcut: Shortcut) => boolean): void {
  const latest = useRef(run);
  latest.current = run;
  useEffect(() => {
    const reader = new ShortcutReader();
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing || event.repeat || document.querySelector(modal)) return;
      const { key, ctrlKey, metaKey, altKey, timeStamp } = event;
      const found = reader.press(
        { key, command: ctrlKey || metaKey, other: altKey, busy: hasOwnKeys(event.target as Element | null), at: timeStamp },
        lettersOn(),
      );
      if (found && latest.current(found)) event.preventDefault();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, []);
}

/** Moves the focus to the filter of the screen, where there is one. */
export function focusFilter(): boolean {
  const content = document.getElementById("content");
  const fields = content?.querySelectorAll<HTMLElement>("[data-filter], input[type=search]") ?? [];
  const shown = [...fields].filter((one) => one.offsetParent !== null);
  // A screen beside a list has the filter that is meant, where it has one.
  const field = shown.find((one) => "filter" in one.dataset) ?? shown[0];
  field?.focus();
  return field !== undefined;
}
