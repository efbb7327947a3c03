import { Link } from "@tanstack/react-router";
import type { Function as ServerFunction } from "manybase/admin";
import type { ReactNode } from "react";
import { CodeEditor } from "../../components/editor/code-editor";
import { Alert } from "../../components/states/alert";
import { ProblemText } from "../../components/states/problem";
import { buttonClass } from "../../components/ui/button";
import { Panel } from "../../components/ui/panel";
import { functionMessages } from "../../messages/functions";
import { suggestionsOf } from "./complete";
import { Newer } from "./newer";
import { codeProblems } from "./problems";
import { ToCode } from "./to-code";
import type { Code } from "./use-code";
import styles from "./functions.module.css";

const words = functionMessages.one;

interface Props {
  projectId: string;
  one: ServerFunction;
  code: Code;
  mayManage: boolean;
  collections: readonly string[];
  onRun?(): void;
  /** The event next to the code. */
  event: ReactNode;
  /** The log below. */
  runs: ReactNode;
}

/** The code with the event that it is run with, and its runs below. */
export function CodeTab({ projectId, one, code, mayManage, collections, onRun, event, runs }: Props) {
  const problems = codeProblems(code.problem);
  const editable = mayManage && one.flow === null;
  return (
    <>
      {one.flow !== null && (
        <div className={styles["notice"]}>
          <p>{words.flowText}</p>
          <div className={styles["choices"]}>
            <Link from="/p/$slug/functions/$name" to="/p/$slug/functions/$name/flow" search={{}} className={buttonClass({})}>
              {words.flowOpen}
            </Link>
            {mayManage && <ToCode projectId={projectId} name={one.name} />}
          </div>
        </div>
      )}
      {!mayManage && <p className={styles["notice"]}>{words.readOnly}</p>}
      {code.newer && (
        <Newer
          version={code.newer.version}
          theirs={code.newer.code}
          mine={code.text}
          language="javascript"
          busy={code.busy}
          onOverwrite={() => void code.save(true)}
          onDiscard={() => void code.discard()}
        />
      )}
      <div className={styles["work"]}>
        <div className={styles["code"]}>
          <CodeEditor
            label={words.codeOf(one.name)}
            value={code.text}
            onChange={code.change}
            language="javascript"
            readOnly={!editable}
            rows={24}
            problems={problems}
            complete={suggestionsOf(collections)}
            onSave={() => void code.save()}
            onRun={onRun}
          />
          {code.problem !== undefined && (
            <Alert>
              <ProblemText error={code.problem} />
            </Alert>
          )}
        </div>
        <Panel title={functionMessages.event.title}>{event}</Panel>
      </div>
      {runs}
    </>
  );
}
