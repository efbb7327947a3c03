import type { AuditEntry } from "manybase/admin";
import { Button } from "../ui/button";
import { CopyButton } from "../ui/copy-button";
import { Facts, type Fact } from "../ui/facts";
import { SidePanel } from "../ui/side-panel";
import { Snippet } from "../ui/snippet";
import { printJson } from "../../lib/json";
import { formatUtc } from "../../lib/format";
import { auditMessages as words } from "../../messages/audit";
import styles from "./audit.module.css";
import { actorOf, type AuditFilter } from "./log";

interface DetailsProps {
  entry: AuditEntry;
  onClose(): void;
  onFilter(filter: AuditFilter): void;
}

/** All of one entry. */
export function Details({ entry, onClose, onFilter }: DetailsProps) {
  const actor = [actorOf(entry, words.system), entry.actor.id, entry.actor.kind];
  const text = (label: string, value: string): Fact => [label, <bdi>{value}</bdi>];
  return (
    <SidePanel title={entry.action} onClose={onClose}>
      <div className={styles["details"]}>
        <Facts
          rows={[
            text(words.at, formatUtc(entry.at)),
            text(words.target, entry.target),
            text(words.actor, actor.filter((one, at) => one && actor.indexOf(one) === at).join(" · ")),
            text(words.ip, entry.ip),
            text(words.id, entry.id),
            [
              words.request,
              <span className={styles["request"]}>
                <code>{entry.requestId}</code>
                {entry.requestId && <CopyButton text={entry.requestId} label={words.copyRequest} />}
              </span>,
            ],
          ]}
        />
        <Snippet title={words.details} wrap forms={[{ label: words.details, text: printJson(entry.details) }]} />
        <div className={styles["buttons"]}>
          <Button small onClick={() => onFilter({ action: entry.action })}>
            {words.sameAction}
          </Button>
          <Button small onClick={() => onFilter({ target: entry.target })}>
            {words.sameTarget}
          </Button>
          {entry.actor.id && (
            <Button small onClick={() => onFilter({ actor: entry.actor.id })}>
              {words.sameActor}
            </Button>
          )}
        </div>
      </div>
    </SidePanel>
  );
}
