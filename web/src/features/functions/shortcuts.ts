import type { KeyboardEvent } from "react";

/** Takes Ctrl S and Ctrl Enter, or Command, on a screen of a function; what is undefined is not taken. */
export const shortcuts =
  (save: (() => void) | undefined, run: (() => void) | undefined) =>
  (pressed: KeyboardEvent): void => {
    // The editors have taken their own.
    if (!(pressed.ctrlKey || pressed.metaKey) || pressed.defaultPrevented) return;
    if ((pressed.target as Element).closest("[role=dialog]")) return;
    const action = pressed.key === "Enter" ? run : pressed.key === "s" ? save : undefined;
    if (!action) return;
    action();
    pressed.preventDefault();
  };
