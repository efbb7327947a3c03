import { Link } from "@tanstack/react-router";
import type { Change } from "manybase";
import { useState } from "react";
import { CodeEditor } from "../../components/editor/code-editor";
import { Badge, type Tone } from "../../components/ui/badge";
import { Button } from "../../components/ui/button";
import { Facts } from "../../components/ui/facts";
import { printJson, type Fields } from "../../lib/json";
import { apiMessages } from "../../messages/api";
import styles from "./api.module.css";
import type { Line } from "./received";

const words = apiMessages.realtime;
const clock = new Intl.DateTimeFormat("en", { hour: "2-digit", minute: "2-digit", second: "2-digit", fractionalSecondDigits: 3, hourCycle: "h23" });
const tones: Record<Change<Fields>["type"], Tone> = { insert: "good", update: "info", replace: "info", delete: "bad", leave: "warn" };
const maxRows = 16;

function Details({ change }: { change: Change<Fields> }) {
  const text = change.document && printJson(change.document);
  return (
    <div className={styles["details"]}>
      <Facts rows={[[words.position, <code className={styles["position"]}>{change.position}</code>]]} />
      {text !== undefined ? (
        <CodeEditor
          label={words.documentOf(change.documentId)}
          value={text}
          language="json"
          readOnly
          rows={Math.min(maxRows, text.split("\n").length)}
        />
      ) : (
        <p className={styles["hint"]}>{words.noDocument[change.type === "leave" ? "leave" : "delete"]}</p>
      )}
    </div>
  );
}

interface RowProps {
  line: Line;
  slug: string;
  /** Whether the person opens documents of a collection. */
  mayRead(collection: string): boolean;
}

function Row({ line, slug, mayRead }: RowProps) {
  const [open, setOpen] = useState(false);
  const at = new Date(line.at);
  const time = (
    <time dateTime={at.toISOString()} title={at.toISOString()} className={styles["time"]}>
      {clock.format(at)}
    </time>
  );
  if ("note" in line) {
    return (
      <li className={styles["line"]}>
        {time}
        <Badge tone="warn">{words.noteNames[line.note]}</Badge>
        <span>{words.notes[line.note]}</span>
      </li>
    );
  }
  const { change } = line;
  const { type, collection, documentId: id } = change;
  const name = <bdi>{id}</bdi>;
  return (
    <li className={styles["line"]}>
      {time}
      <Badge tone={tones[type]}>{type}</Badge>
      <span className={styles["subject"]} title={id}>
        <span className={styles["hint"]}>{collection}</span>{" "}
        {type !== "delete" && mayRead(collection) ? (
          <Link to="/p/$slug/data/$collection/documents/$id" params={{ slug, collection, id }}>
            {name}
          </Link>
        ) : (
          <code>{name}</code>
        )}
      </span>
      <Button small look="quiet" aria-expanded={open} aria-label={words.detailsOf(type, id)} onClick={() => setOpen(!open)}>
        {words.details}
      </Button>
      {open && <Details change={change} />}
    </li>
  );
}

/** What was received, newest first. */
export function ReceivedList({ lines, ...rest }: { lines: readonly Line[] } & Omit<RowProps, "line">) {
  return (
    <ol aria-label={words.received} className={styles["lines"]}>
      {lines.map((line) => (
        <Row key={line.number} line={line} {...rest} />
      ))}
    </ol>
  );
}
