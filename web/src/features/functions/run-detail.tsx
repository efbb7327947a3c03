import type { FunctionRun, FunctionRunLine } from "manybase/admin";
import { useState } from "react";
import { Badge, type Tone } from "../../components/ui/badge";
import { Button } from "../../components/ui/button";
import { CopyButton } from "../../components/ui/copy-button";
import { Time } from "../../components/ui/relative-time";
import { Table } from "../../components/ui/table";
import { Tabs } from "../../components/ui/tabs";
import { printJson } from "../../lib/json";
import { functionMessages } from "../../messages/functions";
import { visibleText } from "./problems";
import styles from "./functions.module.css";

const words = functionMessages.runs;
/** Longer texts are shown in part, with a button for the rest. */
const maxShown = 2_000;

const tones: Record<string, Tone> = { success: "good", error: "bad", timeout: "bad", aborted: "warn", skipped: "warn" };

export const RunStatus = ({ status }: { status: string }) => (
  <Badge tone={tones[status] ?? "plain"}>{words.status[status] ?? status}</Badge>
);

/** A text of a function, cut where it is long. */
function LongText({ text }: { text: string }) {
  const [whole, show] = useState(false);
  if (whole || text.length <= maxShown) return <bdi>{visibleText(text)}</bdi>;
  return (
    <>
      <bdi>{visibleText(text.slice(0, maxShown))}…</bdi>{" "}
      <Button small onClick={() => show(true)}>
        {words.whole(text.length)}
      </Button>
    </>
  );
}

const clock = new Intl.DateTimeFormat("en", { hour: "2-digit", minute: "2-digit", second: "2-digit", fractionalSecondDigits: 3, hour12: false });
const levels: Record<string, string | undefined> = { info: styles["info"], warn: styles["warn"], error: styles["bad"] };

/** Lines of a run's console. */
export function LogLines({ label, lines }: { label: string; lines: readonly FunctionRunLine[] }) {
  return (
    <div role="log" aria-live="off" aria-label={label} tabIndex={0} className={styles["log"]}>
      <ol>
        {lines.map((line, at) => (
          <li key={at}>
            <time dateTime={line.at}>{clock.format(new Date(line.at))}</time>
            <span className={levels[line.level]}>{line.level}</span>
            <span className={styles["text"]}>
              <LongText text={line.message} />
            </span>
          </li>
        ))}
      </ol>
    </div>
  );
}

function Calls({ calls }: { calls: NonNullable<FunctionRun["calls"]> }) {
  return (
    <div className={styles["framed"]}>
      <Table
        label={words.calls}
        columns={Object.values(words.call)}
        figures={[words.call.ms]}
        rows={calls.map((call, at) => ({
          key: String(at),
          cells: [
            words.kinds[call.kind] ?? call.kind,
            <bdi>{call.name}</bdi>,
            <code>
              <bdi>{call.detail}</bdi>
            </code>,
            functionMessages.ms(call.ms),
            <Badge tone={call.outcome === "ok" ? "good" : "bad"}>{call.outcome}</Badge>,
          ],
        }))}
      />
    </div>
  );
}

type Part = "log" | "result" | "calls";

interface Props {
  run: FunctionRun;
  busy: boolean;
  /** Repeats it, where the log has its event. */
  onAgain?: (() => void) | undefined;
  onOpen(id: string): void;
}

/** One run: how it ended, its log, its result and its calls. */
export function RunDetail({ run, busy, onAgain, onOpen }: Props) {
  const [part, choose] = useState<Part>("log");
  const calls = run.calls ?? [];
  return (
    <section aria-label={words.open} className={styles["detail"]}>
      <header className={styles["facts"]}>
        <RunStatus status={run.status} />
        <span>{words.triggers[run.trigger] ?? run.trigger}</span>
        <span>{functionMessages.ms(run.durationMs)}</span>
        <Time at={run.startedAt} />
        {run.attempt !== undefined && <span>{words.attempt(run.attempt)}</span>}
        {run.retryOf !== undefined && (
          <button type="button" className={styles["link"]} onClick={() => onOpen(run.retryOf!)}>
            {words.before}
          </button>
        )}
        <span className={styles["id"]}>
          <code>{run.id}</code>
          <CopyButton text={run.id} label={words.copyId} />
        </span>
        {onAgain && (
          <Button small busy={busy} onClick={onAgain}>
            {words.again}
          </Button>
        )}
      </header>
      {run.error !== undefined && (
        <pre tabIndex={0} role="region" aria-label={words.error} className={styles["error"]}>
          <LongText text={run.error} />
        </pre>
      )}
      <Tabs<Part>
        label={words.tabs}
        value={part}
        onChange={choose}
        items={[
          { value: "log", label: words.log, count: run.logs.length },
          { value: "result", label: words.result },
          { value: "calls", label: words.calls, count: calls.length },
        ]}
      >
        {part === "log" &&
          (run.logs.length > 0 ? (
            <LogLines label={words.log} lines={run.logs} />
          ) : (
            <p>{run.status === "timeout" ? words.lostLog : words.noLog}</p>
          ))}
        {part === "result" &&
          (run.result === undefined ? (
            <p>{words.noResult}</p>
          ) : (
            <pre tabIndex={0} role="region" aria-label={words.resultOf} className={styles["result"]}>
              <LongText text={printJson(run.result)} />
            </pre>
          ))}
        {part === "calls" && (calls.length > 0 ? <Calls calls={calls} /> : <p>{words.noCalls}</p>)}
      </Tabs>
    </section>
  );
}
