import { useQuery } from "@tanstack/react-query";
import type { PolicyTrialResult } from "manybase/admin";
import { Ban, CircleCheck, Play } from "lucide-react";
import { useImperativeHandle, useRef, useState, type Ref } from "react";
import { adminOf } from "../../app/queries";
import { Form, FormProblem } from "../../components/form/form";
import { Button } from "../../components/ui/button";
import { Panel, PanelBody } from "../../components/ui/panel";
import { SelectField } from "../../components/ui/select-field";
import { cx } from "../../lib/class-names";
import { policiesMessages } from "../../messages/policies";
import { rolesOf } from "./data";
import type { Draft } from "./draft";
import { problemsOf, type RuleProblems } from "./model/problems";
import { sameJson, type Json } from "./model/json";
import { callerKinds, TrialProblem, trialRequest, type TrialForm } from "./model/trial";
import styles from "./policies.module.css";
import type { Permission } from "./rights";
import { StepList } from "./step-list";
import { TrialFields } from "./trial-fields";

const words = policiesMessages.trial;

export interface TesterHandle {
  run(): void;
}

interface TesterProps {
  projectId: string;
  collection: string;
  may: Permission;
  draft: Draft;
  form: TrialForm;
  onChange(form: TrialForm): void;
  /** Keeps the request as a stored test; absent where the person may not. */
  onKeep?(form: TrialForm, result: PolicyTrialResult): void;
  /** What the server finds wrong in the draft. */
  onProblems(problems: RuleProblems): void;
  handle: Ref<TesterHandle>;
}

/** What the outcome of a request is called. */
export function outcomeOf({ allowed, status }: Pick<PolicyTrialResult, "allowed" | "status">): string {
  if (allowed) return words.outcome.allowed(status);
  if (status === 200) return words.outcome.unlisted;
  return status === 404 ? words.outcome.hidden : words.outcome.refused(status);
}

export function Outcome({ result }: { result: Pick<PolicyTrialResult, "allowed" | "status"> }) {
  const Icon = result.allowed ? CircleCheck : Ban;
  return (
    <p role="status" className={cx(styles["outcome"], styles[result.allowed ? "allowed" : "refused"])}>
      <Icon size={16} strokeWidth={1.75} aria-hidden />
      {outcomeOf(result)}
    </p>
  );
}

/** Tries one request against the draft or the saved policy, and shows each step of its evaluation. */
export function Tester({ projectId, collection, may, draft, form, onChange, onKeep, onProblems, handle }: TesterProps) {
  const roles = useQuery(rolesOf(projectId, may)).data ?? [];
  const [against, setAgainst] = useState<"draft" | "saved">("draft");
  const [done, setDone] = useState<{ form: TrialForm; policy: Json | undefined; result: PolicyTrialResult }>();
  const box = useRef<HTMLDivElement>(null);
  const isDraft = draft.changed && against === "draft";
  // The draft decides only where it differs: the saved policy may be the default one.
  const policy = isDraft ? draft.policy : undefined;
  useImperativeHandle(handle, () => ({ run: () => box.current?.querySelector("form")?.requestSubmit() }), []);

  const submit = async () => {
    if (isDraft && draft.unfinished.length) throw new FormProblem("", policiesMessages.unfinishedDraft);
    if ((form.caller === "user" && !form.user) || (form.caller === "key" && !form.key)) {
      throw new FormProblem("caller", words.choose);
    }
    try {
      const result = await adminOf(projectId).testPolicy(trialRequest(form, collection, policy));
      setDone({ form, policy, result });
    } catch (error) {
      if (error instanceof TrialProblem) throw new FormProblem(error.field, error.message);
      const found = problemsOf(error, "/policy");
      if (!found.all) throw error;
      onProblems(found.rules);
      throw new FormProblem("", words.wrongDraft);
    }
  };
  const stale = done && (done.form !== form || !sameJson(done.policy, policy));
  return (
    <div ref={box}>
      <Panel title={words.title}>
        <PanelBody>
          <Form label={words.title} onSubmit={submit}>
            {(busy) => (
              <>
                <TrialFields
                  projectId={projectId}
                  collection={collection}
                  may={may}
                  roles={roles}
                  kinds={callerKinds}
                  form={form}
                  onChange={(change) => onChange({ ...form, ...change })}
                />
                {draft.changed && (
                  <SelectField
                    label={words.against}
                    name="against"
                    value={against}
                    options={[
                      { value: "draft", label: words.draft },
                      { value: "saved", label: words.savedOne },
                    ]}
                    onChange={(value) => setAgainst(value as typeof against)}
                  />
                )}
                <Button type="submit" busy={busy}>
                  <Play size={14} aria-hidden />
                  {words.run}
                </Button>
              </>
            )}
          </Form>
          {done && (
            <div className={styles["result"]}>
              <Outcome result={done.result} />
              {stale && <p className={styles["hint"]}>{words.stale}</p>}
              <StepList steps={done.result.steps} />
              {done.result.notChecked && (
                <p className={styles["hint"]}>
                  {words.notChecked} {done.result.notChecked.map((one) => words.checks[one] ?? one).join(", ")}.
                </p>
              )}
              {onKeep && done.form.caller !== "key" && (
                <p>
                  <Button small onClick={() => onKeep(done.form, done.result)}>
                    {words.keep}
                  </Button>
                </p>
              )}
            </div>
          )}
        </PanelBody>
      </Panel>
    </div>
  );
}
