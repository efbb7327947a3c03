import { useSyncExternalStore } from "react";
import { ProblemText } from "../../components/states/problem";
import { Badge, type Tone } from "../../components/ui/badge";
import { Button } from "../../components/ui/button";
import { Panel } from "../../components/ui/panel";
import { roundSize } from "../../lib/size";
import { fileMessages } from "../../messages/files";
import { isOpen, uploads, type Entry, type Status } from "./uploads";
import styles from "./files.module.css";

const words = fileMessages.uploads;
const tones: Record<Status, Tone> = {
  waiting: "plain",
  running: "info",
  paused: "warn",
  done: "good",
  failed: "bad",
  cancelled: "plain",
};

function Action({ entry, label, onClick }: { entry: Entry; label: string; onClick: () => void }) {
  return (
    <Button small aria-label={words.named(label, entry.path)} onClick={onClick}>
      {label}
    </Button>
  );
}

function Line({ entry }: { entry: Entry }) {
  const { id, path, status, sent, total } = entry;
  return (
    <li>
      <div className={styles["bar"]}>
        <span className={styles["path"]}>
          <bdi>{path}</bdi> <Badge tone={tones[status]}>{words.status[status]}</Badge>
        </span>
        <span className={styles["group"]}>
          {status === "running" && entry.resumable && <Action entry={entry} label={words.pause} onClick={() => uploads.pause(id)} />}
          {status === "paused" && <Action entry={entry} label={words.resume} onClick={() => uploads.resume(id)} />}
          {status === "failed" && <Action entry={entry} label={words.retry} onClick={() => uploads.retry(id)} />}
          {isOpen(status) && <Action entry={entry} label={words.cancel} onClick={() => uploads.cancel(id)} />}
        </span>
      </div>
      {isOpen(status) && <progress aria-label={words.progress(path)} max={Math.max(1, total)} value={sent} />}
      {isOpen(status) && <p className={styles["secondary"]}>{words.of(roundSize(sent), roundSize(total))}</p>}
      {status === "failed" && <ProblemText error={entry.error} />}
    </li>
  );
}

/** The uploads of this tab into a bucket. */
export function UploadList({ projectId, bucket }: { projectId: string; bucket: string }) {
  const all = useSyncExternalStore(uploads.subscribe, uploads.get);
  const own = all.filter((one) => one.projectId === projectId && one.bucket === bucket);
  if (own.length === 0) return null;
  return (
    <Panel
      title={words.title}
      aside={
        own.some(({ status }) => !isOpen(status)) && (
          <Button small onClick={() => uploads.clear()}>
            {words.clear}
          </Button>
        )
      }
    >
      <ul className={styles["uploads"]}>
        {own.map((entry) => (
          <Line key={entry.id} entry={entry} />
        ))}
      </ul>
    </Panel>
  );
}
