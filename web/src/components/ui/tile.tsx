import { cx } from "../../lib/class-names";
import { initialOf } from "../../lib/format";
import styles from "./tile.module.css";

export const colours = [
  ...(["slate", "gray", "red", "orange", "amber", "yellow", "lime", "green", "emerald"] as const),
  ...(["teal", "cyan", "sky", "blue", "indigo", "violet", "purple", "pink", "rose"] as const),
];
/** A colour that a project can have. */
export type Colour = (typeof colours)[number];
export const isColour = (name: string | null | undefined): name is Colour => colours.some((one) => one === name);

/** The square of a project: its emoji or first letter on its colour. */
export function Tile({ name, icon, color, large }: { name: string; icon: string | null; color: string | null; large?: boolean }) {
  const colour = isColour(color) ? color : "indigo";
  return (
    <span aria-hidden className={cx(styles["tile"], styles[colour], large && styles["large"])}>
      {icon || initialOf(name)}
    </span>
  );
}

export function Avatar({ name }: { name: string }) {
  const parts = name.split(/[\s@.]+/).filter(Boolean);
  const letters = [parts[0], parts.length > 1 ? parts[1] : undefined].map((part) => (part ? initialOf(part) : ""));
  return (
    <span aria-hidden className={styles["avatar"]}>
      {letters.join("")}
    </span>
  );
}
