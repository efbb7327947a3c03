import type { ComponentProps } from "react";
import { cx } from "../../lib/class-names";
import styles from "./button.module.css";

type Look = "primary" | "default" | "quiet" | "danger" | "danger-filled";

interface Common {
  look?: Look;
  small?: boolean;
  wide?: boolean;
  /** On small screens its icon alone is seen: its words are in a span. */
  shrinks?: boolean;
}

/** The look of a button, for links to other screens. */
export const buttonClass = ({ look = "default", small, wide, shrinks }: Common, extra?: string) =>
  cx(styles["button"], styles[look], small && styles["small"], wide && styles["wide"], shrinks && styles["shrinks"], extra);

/** A button; `busy` keeps its width and its focus while something runs. */
export function Button({
  look,
  small,
  wide,
  shrinks,
  busy,
  className,
  children,
  ...rest
}: Common & ComponentProps<"button"> & { busy?: boolean }) {
  return (
    <button
      type="button"
      {...rest}
      className={buttonClass({ look, small, wide, shrinks }, className)}
      aria-disabled={busy || rest["aria-disabled"] || undefined}
      aria-busy={busy || undefined}
      onClick={busy ? (event) => event.preventDefault() : rest.onClick}
    >
      {children}
    </button>
  );
}

/** A button that shows an icon alone; `label` is its name. */
export function IconButton({ label, children, className, ...rest }: ComponentProps<"button"> & { label: string }) {
  return (
    <button type="button" aria-label={label} title={label} {...rest} className={cx(styles["icon"], className)}>
      {children}
    </button>
  );
}

/** A link that leaves the application and looks like a button. */
export function ButtonAnchor({ look, small, wide, children, ...rest }: Common & ComponentProps<"a">) {
  return (
    <a {...rest} className={buttonClass({ look, small, wide })}>
      {children}
    </a>
  );
}
