import { FileUp } from "lucide-react";
import { isError } from "manybase";
import type { Project } from "manybase/control";
import { useRef, useState, type DragEvent } from "react";
import { adminOf, projectChanged } from "../../app/queries";
import { CodeEditor } from "../../components/editor/code-editor";
import { LeaveGuard } from "../../components/form/leave-guard";
import { PlanOptions, PlanProblems } from "../../components/plan/plan-problems";
import { differs, queryOf, type Accepted, type ConfigDocument, type Planned } from "../../components/plan/plan";
import { PlanView } from "../../components/plan/plan-view";
import { Button } from "../../components/ui/button";
import { Panel, PanelBody } from "../../components/ui/panel";
import { toast } from "../../components/ui/toast";
import { cx } from "../../lib/class-names";
import { lineOf } from "../../lib/pointer-lines";
import { configurationMessages } from "../../messages/configuration";
import styles from "./configuration.module.css";
import { maxBytes, readDocument, type Mistake } from "./document";

const words = configurationMessages.import;

/** A plan with the text that it was made of. */
interface OfText extends Planned {
  document: ConfigDocument;
  text: string;
}

/** The problems of the server's refusal, at their lines. */
function mistakesOf(error: unknown, text: string): Mistake[] {
  if (!isError(error, "VALIDATION")) return [];
  return error.details.map(({ path, message }) => ({ line: lineOf(text, path), message: `${path} ${message}` }));
}

/** Imports a configuration: its text, the plan, then all of it. */
export function Import({ project }: { project: Project }) {
  const [text, setText] = useState("");
  const [accepted, setAccepted] = useState<Accepted>({ allowMissing: false, skipTests: false });
  const [planned, setPlanned] = useState<OfText>();
  const [error, setError] = useState<unknown>();
  const [mistakes, setMistakes] = useState<Mistake[]>([]);
  const [busy, setBusy] = useState<"plan" | "apply">();
  const [over, setOver] = useState(false);
  const file = useRef<HTMLInputElement>(null);
  const admin = adminOf(project.id);

  const forget = () => {
    setPlanned(undefined);
    setError(undefined);
    setMistakes([]);
  };
  const plan = async () => {
    if (busy) return;
    forget();
    const read = readDocument(text);
    if ("mistake" in read) return setMistakes([read.mistake]);
    setBusy("plan");
    try {
      let digest = "";
      const onResponse = (response: Response) => void (digest = response.headers.get("plan-digest") ?? "");
      const result = await admin.importConfiguration(read.document, { dryRun: "1", ...queryOf(accepted) }, { onResponse });
      setPlanned({ plan: result.plan, digest, text, document: read.document });
    } catch (failed) {
      setError(failed);
      setMistakes(mistakesOf(failed, text));
    } finally {
      setBusy(undefined);
    }
  };
  const apply = async ({ document, digest }: OfText) => {
    if (busy) return;
    setBusy("apply");
    setError(undefined);
    try {
      await admin.importConfiguration(document, { plan: digest, ...queryOf(accepted) });
      await projectChanged(project.id);
      toast(words.done);
      setText("");
      forget();
    } catch (failed) {
      setError(failed);
    } finally {
      setBusy(undefined);
    }
  };
  const take = async (given: File | undefined) => {
    if (!given) return;
    forget();
    if (given.size > maxBytes) return setMistakes([{ line: 1, message: words.tooLarge }]);
    try {
      setText(new TextDecoder("utf-8", { fatal: true }).decode(await given.arrayBuffer()));
    } catch {
      setMistakes([{ line: 1, message: words.notText }]);
    }
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    void take(event.dataTransfer.files[0]);
  };
  const current = planned?.text === text ? planned : undefined;

  return (
    <>
      <Panel
        title={words.title}
        aside={
          <span className={styles["actions"]}>
            <input
              ref={file}
              type="file"
              accept=".json,application/json"
              hidden
              aria-label={words.choose}
              onChange={(event) => {
                void take(event.target.files?.[0]);
                event.target.value = "";
              }}
            />
            <Button onClick={() => file.current?.click()}>
              <FileUp size={16} strokeWidth={1.75} aria-hidden />
              {words.choose}
            </Button>
          </span>
        }
      >
        <PanelBody>
          <p className={styles["secondary"]}>
            {words.text} {words.keeps}
          </p>
          <div
            className={cx(styles["drop"], over && styles["over"])}
            onDragOver={(event) => {
              event.preventDefault();
              setOver(true);
            }}
            onDragLeave={() => setOver(false)}
            onDrop={drop}
          >
            <CodeEditor label={words.title} value={text} onChange={setText} language="json" rows={16} problems={mistakes} onRun={() => void plan()} />
          </div>
          <PlanOptions
            accepted={accepted}
            onChange={(next) => {
              setAccepted(next);
              setPlanned(undefined);
            }}
          />
          {planned && !current && (
            <p role="status" className={styles["secondary"]}>
              {words.edited}
            </p>
          )}
          <div className={styles["actions"]}>
            <Button look={current ? "default" : "primary"} busy={busy === "plan"} disabled={!text.trim()} onClick={() => void plan()}>
              {current ? words.replan : words.plan}
            </Button>
          </div>
        </PanelBody>
      </Panel>
      {error !== undefined && <PlanProblems error={error} />}
      {current && (
        <>
          <PlanView key={current.digest} plan={current.plan} />
          {differs(current.plan) && (
            <div className={styles["actions"]}>
              <Button look="primary" busy={busy === "apply"} onClick={() => void apply(current)}>
                {words.apply}
              </Button>
            </div>
          )}
        </>
      )}
      <LeaveGuard when={text.trim() !== ""} />
    </>
  );
}
