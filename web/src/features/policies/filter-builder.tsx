import { Plus } from "lucide-react";
import type { PolicySet } from "manybase/admin";
import { Fragment, useId, useRef, useState } from "react";
import { Button } from "../../components/ui/button";
import { policiesMessages } from "../../messages/policies";
import { FilterRow } from "./filter-row";
import { emptyCondition, ownerCondition, parseFilter, printFilter, setCondition, type Condition, type Rows } from "./model/filter";
import { sameJson, type JsonObject } from "./model/json";
import styles from "./policies.module.css";

const words = policiesMessages.form;

interface FilterBuilderProps {
  filter: JsonObject;
  fields: readonly string[];
  sets: readonly PolicySet[];
  /** Whether the rule sees values of the caller. */
  callers: boolean;
  onChange(filter: JsonObject): void;
}

/** The conditions of a filter, to be chosen; those that have no such form are named, and stay. */
export function FilterBuilder({ filter, fields, sets, callers, onChange }: FilterBuilderProps) {
  const fieldsId = useId();
  const group = useRef<HTMLDivElement>(null);
  // What was typed stays while it gives the filter of the owner: a field without a name yet has no place in a filter.
  const [typed, setTyped] = useState<{ rows: Rows; gives: JsonObject }>();
  const rows = typed && sameJson(typed.gives, filter) ? typed.rows : parseFilter(filter);
  if (!rows) return <p className={styles["hint"]}>{words.onlyJson}</p>;

  const set = (next: Rows) => {
    const kept = next.filter((row) => row.length > 0);
    const gives = printFilter(kept);
    setTyped({ rows: kept, gives });
    onChange(gives);
  };
  const change = (row: number, at: number, condition: Condition) =>
    set(rows.map((one, r) => (r === row ? one.map((each, i) => (i === at ? condition : each)) : one)));
  const remove = (row: number, at: number) => {
    set(rows.map((one, r) => (r === row ? one.filter((_, i) => i !== at) : one)));
    // What had the focus is gone.
    group.current?.focus();
  };
  // Without its last condition a rule would be open to all: that is chosen above, not by the way.
  const alone = rows.flat().length === 1;
  let number = 0;
  return (
    <div ref={group} tabIndex={-1} role="group" aria-label={words.conditions} className={styles["builder"]}>
      {rows.length > 1 && <p className={styles["hint"]}>{words.all}</p>}
      <datalist id={fieldsId}>
        {fields.map((field) => (
          <option key={field} value={field} />
        ))}
      </datalist>
      {rows.map((row, r) => (
        <div key={r} className={styles["alternatives"]}>
          {row.map((condition, at) => {
            const n = ++number;
            return (
              <Fragment key={at}>
                {at > 0 && <p className={styles["or"]}>{words.or}</p>}
                <FilterRow
                  label={words.condition(n)}
                  condition={condition}
                  fieldsId={fieldsId}
                  sets={sets}
                  callers={callers}
                  onChange={(next) => change(r, at, next)}
                  onRemove={alone ? undefined : () => remove(r, at)}
                  removeLabel={words.remove(n)}
                />
              </Fragment>
            );
          })}
          <Button
            small
            look="quiet"
            aria-label={words.addOrOf(number)}
            onClick={() => set(rows.map((one, i) => (i === r ? [...one, emptyCondition] : one)))}
          >
            {words.addOr}
          </Button>
        </div>
      ))}
      <div className={styles["adds"]}>
        {callers && (
          <Button small onClick={() => set([...rows, [ownerCondition()]])}>
            <Plus size={14} aria-hidden />
            {words.addOwner}
          </Button>
        )}
        {callers && sets.length > 0 && (
          <Button small onClick={() => set([...rows, [setCondition(fields.includes("teamId") ? "teamId" : "", sets[0]!.name)]])}>
            <Plus size={14} aria-hidden />
            {words.addSet}
          </Button>
        )}
        <Button small onClick={() => set([...rows, [emptyCondition]])}>
          <Plus size={14} aria-hidden />
          {words.addCondition}
        </Button>
      </div>
    </div>
  );
}
