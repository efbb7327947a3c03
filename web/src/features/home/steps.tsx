import { Check, Circle } from "lucide-react";
import type { Project } from "manybase/control";
import { useState, type ReactNode } from "react";
import { NewKey } from "../../components/keys/new-key";
import { Panel } from "../../components/ui/panel";
import { Button } from "../../components/ui/button";
import { cx } from "../../lib/class-names";
import { can } from "../../lib/permissions";
import { messages } from "../../messages";
import { NewCollection, NewDocument, StartPolicy } from "./dialogs";
import type { Facts } from "./facts";
import styles from "./home.module.css";

const words = messages.home.steps;

type Opened = "collection" | "policy" | "document" | "key";

function Step({ done, title, text, action }: { done: boolean; title: string; text: string; action?: ReactNode }) {
  const Icon = done ? Check : Circle;
  return (
    <li className={cx(styles["step"], done && styles["done"])}>
      <Icon size={16} strokeWidth={1.75} aria-hidden />
      <span>
        <b>{title}</b> <span className="visually-hidden">({done ? words.isDone : words.isOpen})</span>
        <span className={styles["secondary"]}>{text}</span>
      </span>
      {action}
    </li>
  );
}

/** What comes first in a new project; each step is done by what the project holds. */
export function Steps({ project, facts, perms }: { project: Project; facts: Facts; perms: readonly string[] }) {
  const [opened, open] = useState<Opened>();
  const close = () => open(undefined);
  const { subject } = facts;
  const collection = facts.collections.length > 0;
  const done = [collection, facts.policy, facts.document, facts.key, facts.called];
  const next = done.indexOf(false);
  const active = project.status === "active";
  const button = (at: number, which: Opened, permission: string, title: string): ReactNode =>
    active && !done[at] && can(perms, permission) ? (
      <Button small look={at === next ? "primary" : "default"} onClick={() => open(which)} aria-label={title}>
        {messages.home.steps.open}
      </Button>
    ) : undefined;
  const props = { projectId: project.id, onClose: close };

  return (
    <Panel title={words.title} aside={<span className={styles["secondary"]}>{words.done(done.filter(Boolean).length, done.length)}</span>}>
      <ol className={styles["steps"]}>
        <Step
          done={collection}
          title={words.collection}
          text={words.collectionText}
          action={button(0, "collection", "collections:manage", words.collection)}
        />
        <Step
          done={facts.policy}
          title={words.policy}
          text={words.policyText}
          action={subject && button(1, "policy", "policies:manage", words.policy)}
        />
        <Step
          done={facts.document}
          title={words.document}
          text={words.documentText}
          action={subject && button(2, "document", `data:${subject}:create`, words.document)}
        />
        <Step
          done={facts.key}
          title={words.key}
          text={words.keyText}
          action={button(3, "key", "keys:manage", words.key)}
        />
        <Step done={facts.called} title={words.call} text={words.callText} />
      </ol>
      {opened === "collection" && <NewCollection {...props} />}
      {opened === "policy" && subject && <StartPolicy {...props} collection={subject} />}
      {opened === "document" && subject && <NewDocument {...props} collection={subject} />}
      {opened === "key" && <NewKey {...props} />}
    </Panel>
  );
}
