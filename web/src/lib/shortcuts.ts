// The keys that work on every screen, and the choice of the person whether single letters are among them (WCAG 2.1.4).

/** A key that was pressed, with where and when. */
export interface KeyPress {
  key: string;
  /** Ctrl or Command. */
  command: boolean;
  /** Alt, or a key that takes part in writing. */
  other: boolean;
  /** Text is typed where the focus is, or something there has keys of its own. */
  busy: boolean;
  /** In milliseconds. */
  at: number;
}

export type Shortcut = { kind: "palette" | "filter" | "keys" } | { kind: "go"; letter: string };

/** A letter belongs to the g before it for so long. */
const sequenceMs = 2_000;

/** Reads keys as shortcuts: single ones, and g with a letter after it. */
export class ShortcutReader {
  #begun = -Infinity;

  /** The shortcut that ends with this key. `letters`: whether single letters count. */
  press({ key, command, other, busy, at }: KeyPress, letters: boolean): Shortcut | undefined {
    const after = at - this.#begun < sequenceMs;
    this.#begun = -Infinity;
    if (command && !other && key.toLowerCase() === "k") return { kind: "palette" };
    if (command || other || busy || !letters) return undefined;
    if (after && /^[a-z]$/i.test(key)) return { kind: "go", letter: key.toLowerCase() };
    if (key === "g") this.#begun = at;
    if (key === "/") return { kind: "filter" };
    if (key === "?") return { kind: "keys" };
    return undefined;
  }
}

const writing = 'input:not([type="checkbox"], [type="radio"], [type="button"], [type="file"]), textarea, select, [contenteditable="true"]';
/** Parts that read letters themselves: lists and menus find entries by them. */
const reading = '[role="menu"], [role="listbox"], [role="textbox"], [role="combobox"]';

/** Whether keys at an element belong to it. */
export const hasOwnKeys = (element: Element | null): boolean => element?.closest(`${writing}, ${reading}`) != null;

const stored = "manybase.letters";
let off: boolean | undefined;

/** Whether single letters are shortcuts, as the person chose in this browser. */
export function lettersOn(): boolean {
  try {
    return localStorage.getItem(stored) !== "off";
  } catch {
    return off !== true;
  }
}

export function chooseLetters(on: boolean): void {
  try {
    if (on) localStorage.removeItem(stored);
    else localStorage.setItem(stored, "off");
  } catch {
    // Storage is switched off: the choice lasts as long as the page.
    off = !on;
  }
}

/** What is printed on the key that commands begin with. */
export const commandKey = (): string => (/Mac|iP(hone|ad)/.test(navigator.platform) ? "⌘" : "Ctrl");
