import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { UserPlus } from "lucide-react";
import { useState } from "react";
import { me } from "../../app/queries";
import { ConfirmDialog } from "../../components/form/confirm-dialog";
import { DialogForm } from "../../components/form/dialog-form";
import type { Values } from "../../components/form/form";
import { Changes, useReview } from "../../components/form/review";
import { ShowCall } from "../../components/shell/show-call";
import { ErrorState } from "../../components/states/problem";
import { Skeleton } from "../../components/states/skeleton";
import { Badge } from "../../components/ui/badge";
import { Button } from "../../components/ui/button";
import { Dialog } from "../../components/ui/dialog";
import { TextField } from "../../components/ui/field";
import { Panel, PanelBody } from "../../components/ui/panel";
import { Table } from "../../components/ui/table";
import { toast } from "../../components/ui/toast";
import { operatorMessages } from "../../messages/operator";
import { control } from "../../session";
import { OperatorPage } from "./operator-page";
import styles from "./operator.module.css";
import { operatorChanged, operatorsOf } from "./queries";

const words = operatorMessages.operators;

function Add({ onClose }: { onClose(): void }) {
  const [review, question] = useReview();
  const add = async (values: Values) => {
    const email = values["email"]?.trim() ?? "";
    const changes = [{ label: words.role, before: words.usual, after: words.all }];
    if (email && !(await review({ title: words.question(email), action: words.addAction, changes }))) return;
    const { operator } = await control.addOperator({ email });
    await operatorChanged();
    toast(operator.status === "active" ? words.added(operator.email) : words.invited(operator.email));
    onClose();
  };
  return (
    <Dialog open onClose={onClose} title={words.add} description={words.addText}>
      <DialogForm label={words.add} action={words.review} onSubmit={add} onClose={onClose}>
        <TextField label={words.emailLabel} name="email" type="email" autoComplete="off" />
      </DialogForm>
      {question}
    </Dialog>
  );
}

function Revoke({ email, onClose }: { email: string; onClose(): void }) {
  const revoke = async () => {
    await control.revokeOperator(email);
    await operatorChanged();
    toast(words.revoked(email));
  };
  const question = words.revokeQuestion(email);
  return (
    <ConfirmDialog open title={question} action={words.revoke} danger onConfirm={revoke} onClose={onClose}>
      <Changes label={question} changes={[{ label: words.invitation, before: words.pending, after: words.none }]} />
    </ConfirmDialog>
  );
}

/** Who operates the server, and who is invited to. */
export function OperatorsPage() {
  const query = useQuery(operatorsOf);
  const { data: self } = useSuspenseQuery(me);
  const search = useSearch({ from: "/inside/operator/operators" });
  const navigate = useNavigate();
  const [revoking, setRevoking] = useState<string>();
  const setNew = (on: boolean) => void navigate({ to: "/operator/operators", search: on ? { new: true } : {}, replace: true });
  return (
    <OperatorPage
      title={words.title}
      actions={
        <>
          <ShowCall
            calls={[
              {
                title: words.calls.list,
                method: "GET",
                path: "/control/admin/operators",
                sdk: "const { operators } = await control.listOperators();",
              },
              {
                title: words.calls.add,
                method: "POST",
                path: "/control/admin/operators",
                body: { email: "ada@example.com" },
                sdk: 'const { operator } = await control.addOperator({ email: "ada@example.com" });',
              },
              {
                title: words.calls.revoke,
                method: "DELETE",
                path: "/control/admin/operators/ada%40example.com",
                sdk: 'await control.revokeOperator("ada@example.com");',
              },
            ]}
          />
          <Button look="primary" onClick={() => setNew(true)}>
            <UserPlus size={16} strokeWidth={1.75} aria-hidden />
            {words.add}
          </Button>
        </>
      }
    >
      <p className={styles["secondary"]}>{words.text}</p>
      <Panel title={words.list}>
        {query.data ? (
          <Table
            label={words.list}
            columns={[words.email, words.status, ""]}
            rows={query.data.map(({ email, userId, status }) => ({
              key: email,
              cells: [
                <span className={styles["badges"]}>
                  <bdi className={styles["cut"]} title={email}>
                    {email}
                  </bdi>
                  {userId === self.user.id && <Badge tone="info">{words.you}</Badge>}
                </span>,
                <Badge tone={status === "active" ? "good" : "warn"}>{words.statuses[status]}</Badge>,
                status === "pending" && (
                  <Button small look="danger" aria-label={words.revokeNamed(email)} onClick={() => setRevoking(email)}>
                    {words.revoke}
                  </Button>
                ),
              ],
            }))}
          />
        ) : (
          <PanelBody>
            {query.isError ? <ErrorState error={query.error} onRetry={() => void query.refetch()} /> : <Skeleton rows={3} height={32} />}
          </PanelBody>
        )}
      </Panel>
      {search.new && <Add onClose={() => setNew(false)} />}
      {revoking !== undefined && <Revoke email={revoking} onClose={() => setRevoking(undefined)} />}
    </OperatorPage>
  );
}
