import { useQuery } from "@tanstack/react-query";
import type { AuditEntry, Plan, User } from "manybase/control";
import { useState } from "react";
import { ConfirmDialog } from "../../components/form/confirm-dialog";
import { PageForm } from "../../components/form/page-form";
import { Changes, useReview } from "../../components/form/review";
import type { Values } from "../../components/form/form";
import { ErrorState } from "../../components/states/problem";
import { Skeleton } from "../../components/states/skeleton";
import { Button } from "../../components/ui/button";
import { Time } from "../../components/ui/relative-time";
import { toast } from "../../components/ui/toast";
import { operatorMessages } from "../../messages/operator";
import { control } from "../../session";
import { LimitFields } from "./limit-fields";
import { limitChanges, limitText, limitsOf, pinnedBy } from "./limits";
import styles from "./operator.module.css";
import { atFields } from "./problems";
import { lastPinOf, operatorChanged } from "./queries";

const words = operatorMessages.user.pinned;

/** What is known of the limits that are pinned now. */
function Known({ last }: { last: AuditEntry | null | "off" }) {
  if (last === null || last === "off") return <p className={styles["secondary"]}>{last === null ? words.unknown : words.off}</p>;
  const by = last.actor.email || words.system;
  return (
    <p className={styles["secondary"]}>
      <bdi>{words.known(last.action === "limits.pinned" ? "pinned" : "cleared", by)}</bdi>, <Time at={last.at} />.
    </p>
  );
}

function Clear({ user, plan, last }: { user: User; plan: Plan; last: AuditEntry }) {
  const [open, setOpen] = useState(false);
  const clear = async () => {
    await control.clearLimits(user.id);
    await operatorChanged();
    toast(words.cleared(user.email));
  };
  const question = words.clearQuestion(user.email);
  return (
    <>
      <Button look="danger" onClick={() => setOpen(true)}>
        {words.clear}
      </Button>
      <ConfirmDialog open={open} title={question} action={words.clear} danger onConfirm={clear} onClose={() => setOpen(false)}>
        <p>{words.clearText}</p>
        <Changes label={question} changes={limitChanges(pinnedBy(last), {}, plan.limits)} />
      </ConfirmDialog>
    </>
  );
}

function LimitsForm({ user, plan, last }: { user: User; plan: Plan; last: AuditEntry | null | "off" }) {
  const [review, question] = useReview();
  const before = last === "off" ? {} : pinnedBy(last);
  const pin = async (values: Values) => {
    const limits = limitsOf(values);
    const changes = limitChanges(before, limits, plan.limits);
    if (changes.length === 0) return toast(operatorMessages.nothingChanged);
    if (!(await review({ title: words.question(user.email), action: words.action, changes }))) return false;
    try {
      await control.setLimits(user.id, { limits });
    } catch (error) {
      throw atFields(error);
    }
    await operatorChanged();
    return toast(words.done(user.email));
  };
  return (
    <>
      <PageForm label={words.title} action={words.action} onSubmit={pin}>
        <LimitFields
          initial={(name) => {
            const own = before[name];
            return own === undefined ? "" : limitText(name, own);
          }}
          placeholder={(name) => words.placeholder(limitText(name, plan.limits[name]))}
        />
      </PageForm>
      {question}
    </>
  );
}

/** The limits that are pinned for a user, as far as the audit record holds their changes: no other route has them. */
export function UserLimits({ user, plan }: { user: User; plan: Plan }) {
  const query = useQuery(lastPinOf(user.id));
  const last = query.data;
  return (
    <section aria-label={words.title} className={styles["section"]}>
      <div className={styles["between"]}>
        <h3>{words.title}</h3>
        {last && last !== "off" && last.action === "limits.pinned" && <Clear user={user} plan={plan} last={last} />}
      </div>
      <p className={styles["secondary"]}>{words.text}</p>
      {plan.grandfather && <p className={styles["secondary"]}>{words.earlier}</p>}
      {query.isError && <ErrorState error={query.error} onRetry={() => void query.refetch()} />}
      {query.isPending && <Skeleton rows={6} height={48} />}
      {last !== undefined && (
        <>
          <Known last={last} />
          <LimitsForm key={last === "off" ? last : last?.id} user={user} plan={plan} last={last} />
        </>
      )}
    </section>
  );
}
