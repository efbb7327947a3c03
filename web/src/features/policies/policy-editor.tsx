import { useQuery } from "@tanstack/react-query";
import type { PolicyTrialResult } from "manybase/admin";
import { GitCompare, LayoutTemplate } from "lucide-react";
import { useRef, useState } from "react";
import { adminOf, projectChanged } from "../../app/queries";
import { ConfirmDialog } from "../../components/form/confirm-dialog";
import { DiffView } from "../../components/editor/diff-view";
import { LeaveGuard } from "../../components/form/leave-guard";
import { Alert } from "../../components/states/alert";
import { ProblemText } from "../../components/states/problem";
import { Button } from "../../components/ui/button";
import { Dialog } from "../../components/ui/dialog";
import { toast } from "../../components/ui/toast";
import { policiesMessages } from "../../messages/policies";
import { defaultPolicy, fieldsOf, rolesOf, setsOf } from "./data";
import { useDraft, type TextName } from "./draft";
import { printRule, type JsonObject } from "./model/json";
import { problemsOf, type RuleProblems } from "./model/problems";
import { isPublic, ruleNames } from "./model/rules";
import type { TrialForm } from "./model/trial";
import styles from "./policies.module.css";
import type { Permission } from "./rights";
import { RuleList } from "./rule-list";
import { RulePane, titleOf } from "./rule-pane";
import { TemplateDialog } from "./template-dialog";
import { Tester, type TesterHandle } from "./tester";

const words = policiesMessages;

interface PolicyEditorProps {
  projectId: string;
  /** A collection's name, or that of the default policy. */
  collection: string;
  may: Permission;
  saved: JsonObject;
  /** Whether there is a policy here that is saved. */
  own: boolean;
  /** Opens with the templates. */
  startOpen: boolean;
  onRemoved(): void;
  rule: TextName;
  onOpen(rule: TextName): void;
  /** The request that the tester begins with. */
  trial: TrialForm;
  onTrial(form: TrialForm): void;
  onKeep?(form: TrialForm, result: PolicyTrialResult): void;
}

/** The rules of a policy, one of them open, and the tester next to them. */
export function PolicyEditor({ projectId, collection, may, saved, own, startOpen, onRemoved, rule, onOpen, trial, onTrial, onKeep }: PolicyEditorProps) {
  const draft = useDraft(saved);
  const [problems, setProblems] = useState<RuleProblems>({});
  const [failed, setFailed] = useState<unknown>();
  const [busy, setBusy] = useState(false);
  const [open, setOpen] = useState<"start" | "review" | "remove" | undefined>(startOpen ? "start" : undefined);
  const tester = useRef<TesterHandle>(null);
  const fields = useQuery(fieldsOf(projectId, collection, may)).data ?? [];
  const sets = useQuery(setsOf(projectId)).data ?? [];
  const roles = useQuery(rolesOf(projectId, may)).data ?? [];
  const manages = may("policies:manage");
  const tries = collection !== defaultPolicy && may(`data:${collection}:read`);
  const wrong = ruleNames.filter((name) => problems[name]);

  const show = (found: RuleProblems) => {
    setProblems(found);
    const first = ruleNames.find((name) => found[name]);
    if (first && !(rule !== "whole" && found[rule])) onOpen(first);
  };
  const savable = manages && (draft.changed || !own) && draft.unfinished.length === 0;
  const save = async () => {
    if (busy || !savable) return;
    setBusy(true);
    setFailed(undefined);
    setProblems({});
    try {
      await adminOf(projectId).setPolicy(collection, draft.policy);
      await projectChanged(projectId);
      setOpen(undefined);
      toast(words.saved);
    } catch (error) {
      const found = problemsOf(error);
      show(found.rules);
      if (!found.all) setFailed(error);
      setOpen(undefined);
    } finally {
      setBusy(false);
    }
  };
  const remove = async () => {
    await adminOf(projectId).removePolicy(collection);
    draft.reset();
    onRemoved();
    await projectChanged(projectId);
    toast(words.remove.done);
  };
  const run = () => tester.current?.run();

  return (
    <div className={styles["editor"]}>
      {manages && (
        <div role="toolbar" aria-label={words.title} className={styles["toolbar"]}>
          <Button onClick={() => setOpen("start")}>
            <LayoutTemplate size={16} strokeWidth={1.75} aria-hidden />
            {words.start}
          </Button>
          {own && (
            <Button look="danger" onClick={() => setOpen("remove")}>
              {words.remove.action}
            </Button>
          )}
          <span className={styles["space"]} />
          {draft.changed && <Button onClick={draft.reset}>{words.discard}</Button>}
          {draft.changes.length > 0 && (
            <Button onClick={() => setOpen("review")}>
              <GitCompare size={16} strokeWidth={1.75} aria-hidden />
              {words.review(draft.changes.length)}
            </Button>
          )}
          <Button
            look="primary"
            busy={busy}
            disabled={!savable}
            onClick={() => void save()}
          >
            {words.save}
          </Button>
        </div>
      )}
      {draft.outdated && (
        <Alert tone="warn">
          <p>{words.elsewhere}</p>
          <p>
            <Button small onClick={draft.reset}>
              {words.takeSaved}
            </Button>
          </p>
        </Alert>
      )}
      {draft.unfinished.length > 0 && <Alert tone="warn">{words.unfinished(draft.unfinished.map(titleOf))}</Alert>}
      {wrong.length > 0 && <Alert>{words.refused(wrong.map(titleOf))}</Alert>}
      {failed !== undefined && (
        <Alert>
          <ProblemText error={failed} />
        </Alert>
      )}
      <div className={tries ? styles["columns"] : styles["twoColumns"]}>
        <RuleList collection={collection} draft={draft} problems={problems} current={rule} onOpen={onOpen} />
        <RulePane
          name={collection === defaultPolicy && rule !== "whole" && isPublic(rule) ? "read" : rule}
          draft={draft}
          problems={problems}
          readOnly={!manages}
          collection={collection}
          fields={fields}
          sets={sets}
          roles={roles}
          onSave={() => void save()}
          onRun={run}
        />
        {tries && (
          <Tester
            projectId={projectId}
            collection={collection}
            may={may}
            draft={draft}
            form={trial}
            onChange={onTrial}
            onKeep={onKeep}
            onProblems={show}
            handle={tester}
          />
        )}
      </div>

      <TemplateDialog
        open={open === "start"}
        projectId={projectId}
        collection={collection}
        may={may}
        fields={fields}
        sets={sets}
        onFill={draft.setPolicy}
        onClose={() => setOpen(undefined)}
      />
      <Dialog open={open === "review"} onClose={() => setOpen(undefined)} title={words.reviewTitle} wide>
        <DiffView label={words.reviewLabel} language="json" before={printRule(saved)} after={printRule(draft.policy)} />
      </Dialog>
      <ConfirmDialog
        open={open === "remove"}
        title={words.remove.title}
        action={words.remove.action}
        danger
        onConfirm={remove}
        onClose={() => setOpen(undefined)}
      >
        {collection === defaultPolicy ? words.remove.textDefault : words.remove.text}
      </ConfirmDialog>
      <LeaveGuard when={draft.changed} />
    </div>
  );
}
