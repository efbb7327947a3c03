import { Menu as Base } from "@base-ui/react/menu";
import { Check } from "lucide-react";
import { useRef, type ReactElement, type ReactNode } from "react";
import styles from "./menu.module.css";

interface MenuProps {
  /** The button that opens it. */
  trigger: ReactElement;
  children: ReactNode;
  align?: "start" | "end";
}

export function Menu({ trigger, children, align = "start" }: MenuProps) {
  // Next to its button, so that it belongs to the same part of the page for readers of the screen.
  const host = useRef<HTMLSpanElement>(null);
  return (
    <Base.Root>
      <Base.Trigger render={trigger} />
      <span ref={host} className={styles["host"]} />
      <Base.Portal container={host}>
        <Base.Positioner className={styles["positioner"]} sideOffset={4} align={align} collisionPadding={8}>
          <Base.Popup className={styles["popup"]}>{children}</Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}

/** An action; `render` makes it a link. */
export function MenuItem({ children, onClick, render, current }: {
  children: ReactNode;
  onClick?: () => void;
  render?: ReactElement;
  current?: boolean;
}) {
  return (
    <Base.Item className={styles["item"]} onClick={onClick} render={render} aria-current={current ? "page" : undefined}>
      {children}
    </Base.Item>
  );
}

export function MenuGroup({ label, children }: { label: string; children: ReactNode }) {
  return (
    <Base.Group className={styles["group"]}>
      <Base.GroupLabel className={styles["label"]}>{label}</Base.GroupLabel>
      {children}
    </Base.Group>
  );
}

/** One of several settings, which applies at once. */
export function MenuChoice<T extends string>({ label, value, choices, onChange }: {
  label: string;
  value: T;
  choices: { value: T; label: string }[];
  onChange(value: T): void;
}) {
  return (
    <Base.RadioGroup className={styles["group"]} value={value} onValueChange={(next) => onChange(next as T)} aria-label={label}>
      <div className={styles["label"]}>{label}</div>
      {choices.map((choice) => (
        <Base.RadioItem key={choice.value} value={choice.value} className={styles["item"]} closeOnClick>
          <span className={styles["check"]}>
            <Base.RadioItemIndicator>
              <Check size={14} aria-hidden />
            </Base.RadioItemIndicator>
          </span>
          {choice.label}
        </Base.RadioItem>
      ))}
    </Base.RadioGroup>
  );
}
