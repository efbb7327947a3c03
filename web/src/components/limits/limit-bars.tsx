import { cx } from "../../lib/class-names";
import { roundSize } from "../../lib/size";
import { limitsMessages as words } from "../../messages/limits";
import { Badge } from "../ui/badge";
import styles from "./limits.module.css";
import type { Allowance } from "./limits";

const exactly = (n: number) => n.toLocaleString("en");

function Bar({ name, used, limit, state }: Allowance) {
  const text = (n: number) => (name === "storageBytes" ? roundSize(n) : exactly(n));
  const label = words.limits[name];
  const inWords = (show: (n: number) => string) => (limit === null ? words.unlimited(show(used)) : words.of(show(used), show(limit)));
  return (
    <li>
      <div className={styles["line"]}>
        <span className={styles["label"]}>
          {label} {state !== "free" && <Badge tone={state === "near" ? "warn" : "bad"}>{words[state]}</Badge>}
        </span>
        <span className={styles["number"]} title={inWords(exactly)}>
          {inWords(text)}
        </span>
      </div>
      {limit !== null && (
        <progress
          className={cx(styles["bar"], styles[state])}
          aria-label={label}
          max={Math.max(1, limit)}
          value={Math.min(used, Math.max(1, limit))}
        />
      )}
    </li>
  );
}

/** What is used of limits, as bars with figures; hovering shows sizes in bytes. */
export function LimitBars({ allowances }: { allowances: readonly Allowance[] }) {
  return (
    <ul className={styles["allowances"]}>
      {allowances.map((each) => (
        <Bar key={each.name} {...each} />
      ))}
    </ul>
  );
}
