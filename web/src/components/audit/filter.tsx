import { Form, type Values } from "../form/form";
import { Button } from "../ui/button";
import { TextField } from "../ui/field";
import { auditMessages as words } from "../../messages/audit";
import styles from "./audit.module.css";
import type { AuditFilter } from "./log";

/** Chooses entries by action, target and actor. */
export function Filter({ filter, onFilter }: { filter: AuditFilter; onFilter(filter: AuditFilter): void }) {
  const apply = async (values: Values) => {
    const value = (name: string) => values[name]?.trim() || undefined;
    onFilter({ action: value("action"), target: value("target"), actor: value("actor") });
  };
  const field = (name: keyof AuditFilter, label: string, hint: string) => (
    <TextField label={label} name={name} hint={hint} defaultValue={filter[name]} autoComplete="off" autoCapitalize="none" spellCheck={false} />
  );
  return (
    <Form label={words.filter} onSubmit={apply}>
      {() => (
        <div className={styles["filter"]}>
          {field("action", words.action, words.actionHint)}
          {field("target", words.target, words.targetHint)}
          {field("actor", words.actor, words.actorHint)}
          <Button type="submit">{words.apply}</Button>
        </div>
      )}
    </Form>
  );
}
