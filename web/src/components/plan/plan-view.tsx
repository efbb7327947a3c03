import { useState } from "react";
import { planMessages as words } from "../../messages/plan";
import { DiffView } from "../editor/diff-view";
import { Badge, type Tone } from "../ui/badge";
import { Button } from "../ui/button";
import { CheckboxField } from "../ui/checkbox";
import { Panel, PanelBody } from "../ui/panel";
import { differs, sectionsOf, sideOf, type Change, type Plan } from "./plan";
import styles from "./plan.module.css";

/** As many changes of a section are shown at first. */
const shownChanges = 50;
const tones: Record<Change["action"], Tone> = { create: "good", update: "info", unchanged: "plain" };
const labelOf = (section: string) => words.sections[section] ?? section;

/** One change; its sides are compared once it is opened. */
function ChangeLine({ change }: { change: Change }) {
  const [open, setOpen] = useState(false);
  const { section, name, action, before, after } = change;
  return (
    <details open={open} onToggle={(event) => setOpen(event.currentTarget.open)} className={styles["change"]}>
      <summary>
        <Badge tone={tones[action]}>{words.actions[action]}</Badge> <bdi>{name}</bdi>
      </summary>
      {open && (
        <DiffView
          label={words.change(labelOf(section), name)}
          before={sideOf(before)}
          after={sideOf(after)}
          language={section === "functions" ? "javascript" : "json"}
        />
      )}
    </details>
  );
}

function Section({ name, changes }: { name: string; changes: Change[] }) {
  const [shown, setShown] = useState(shownChanges);
  return (
    <section aria-label={labelOf(name)} className={styles["section"]}>
      <h3>
        {labelOf(name)} <span>{changes.length.toLocaleString("en")}</span>
      </h3>
      {changes.slice(0, shown).map((change) => (
        <ChangeLine key={change.name} change={change} />
      ))}
      {changes.length > shown && (
        <Button small onClick={() => setShown(shown + 10 * shownChanges)}>
          {words.more(changes.length - shown)}
        </Button>
      )}
    </section>
  );
}

/** What a plan changes: counts, then each change by section with before and after. */
export function PlanView({ plan }: { plan: Plan }) {
  const [all, setAll] = useState(false);
  const { create, update, unchanged } = plan.summary;
  return (
    <Panel
      title={words.title}
      aside={
        <span role="status" className={styles["counts"]}>
          <Badge tone="good">{words.create(create)}</Badge>
          <Badge tone="info">{words.update(update)}</Badge>
          <Badge>{words.unchanged(unchanged)}</Badge>
        </span>
      }
    >
      <PanelBody>
        <p className={styles["secondary"]}>{differs(plan) ? words.keeps : words.nothing}</p>
        {unchanged > 0 && <CheckboxField label={words.showUnchanged} name="unchanged" checked={all} onChange={setAll} />}
        {sectionsOf(plan, all).map(([name, changes]) => (
          <Section key={name} name={name} changes={changes} />
        ))}
      </PanelBody>
    </Panel>
  );
}
