import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import type { Webhook, WebhookDelivery } from "manybase/admin";
import { useState } from "react";
import { useProject } from "../../app/project";
import { adminOf, queryClient } from "../../app/queries";
import { ConfirmDialog } from "../../components/form/confirm-dialog";
import { Page } from "../../components/shell/page";
import { ShowCall } from "../../components/shell/show-call";
import { UnopenedPage } from "../../components/shell/unopened-page";
import { Alert } from "../../components/states/alert";
import { ErrorState } from "../../components/states/problem";
import { Badge } from "../../components/ui/badge";
import { Button, buttonClass } from "../../components/ui/button";
import { Tabs } from "../../components/ui/tabs";
import { toast } from "../../components/ui/toast";
import { can } from "../../lib/permissions";
import { webhookMessages as words } from "../../messages/webhooks";
import { webhookCalls } from "./calls";
import { Deliveries, Failure } from "./deliveries";
import { EditWebhook } from "./form";
import { deliveriesOf, webhookOf, webhooksOf } from "./queries";
import { RotateSecret, ShownSecret } from "./secret";
import { WebhookFacts } from "./facts";
import { Verify } from "./verify";

interface PartProps {
  projectId: string;
  slug: string;
  perms: readonly string[];
  webhook: Webhook;
}

/** Sends a test or a delivery again, and keeps what became of it. */
function useSending(projectId: string, name: string) {
  const [busy, setBusy] = useState(false);
  const [refused, setRefused] = useState<{ title: string; delivery: WebhookDelivery }>();
  const [problem, setProblem] = useState<unknown>();
  const send = async (again?: WebhookDelivery) => {
    setBusy(true);
    setRefused(undefined);
    setProblem(undefined);
    try {
      const admin = adminOf(projectId);
      const { delivery } = await (again ? admin.redeliver(name, again.id) : admin.testWebhook(name));
      await queryClient.invalidateQueries(deliveriesOf(projectId, name));
      if (delivery.status === "failed") setRefused({ title: again ? words.failedResend : words.failedTest, delivery });
      else toast((again ? words.resent : words.tested)(delivery.responseStatus ?? 0, delivery.durationMs));
    } catch (error) {
      setProblem(error);
    } finally {
      setBusy(false);
    }
  };
  return { busy, refused, problem, send };
}

function Opened({ projectId, slug, perms, webhook }: PartProps) {
  const { name } = webhook;
  const mayManage = can(perms, "webhooks:manage");
  const { tab = "deliveries" } = useSearch({ from: "/inside/p/$slug/webhooks/$name" });
  const navigate = useNavigate();
  const [dialog, setDialog] = useState<"edit" | "rotate" | "delete">();
  const [secret, setSecret] = useState<string>();
  const { busy, refused, problem, send } = useSending(projectId, name);
  const close = () => setDialog(undefined);
  const remove = async () => {
    await adminOf(projectId).deleteWebhook(name);
    await queryClient.invalidateQueries({ ...webhooksOf(projectId), exact: true });
    toast(words.remove.done(name));
    await navigate({ to: "/p/$slug/webhooks", params: { slug } });
  };
  return (
    <Page
      title={name}
      about={<Badge tone={webhook.enabled ? "good" : "plain"}>{webhook.enabled ? words.on : words.off}</Badge>}
      actions={
        <>
          <ShowCall calls={webhookCalls(name, mayManage)} />
          {mayManage && (
            <>
              <Button look="danger" onClick={() => setDialog("delete")}>
                {words.remove.action}
              </Button>
              <Button onClick={() => setDialog("rotate")}>{words.secret.rotate}</Button>
              <Button onClick={() => setDialog("edit")}>{words.edit}</Button>
              {webhook.secret.configured && (
                <Button look="primary" busy={busy} onClick={() => void send()}>
                  {words.test}
                </Button>
              )}
            </>
          )}
        </>
      }
    >
      {!webhook.secret.configured && <Alert tone="warn">{words.secret.missing}</Alert>}
      {problem !== undefined && <ErrorState error={problem} />}
      {refused && (
        <Alert>
          <p>
            {refused.title} {refused.delivery.responseStatus}
          </p>
          <Failure delivery={refused.delivery} />
        </Alert>
      )}
      <Tabs
        label={words.tabs.label}
        value={tab}
        onChange={(next) => void navigate({ from: "/p/$slug/webhooks/$name", search: { tab: next } })}
        items={(["deliveries", "settings", "verify"] as const).map((value) => ({ value, label: words.tabs[value] }))}
      >
        {tab === "deliveries" && (
          <Deliveries
            projectId={projectId}
            name={name}
            busy={busy}
            {...(mayManage && webhook.secret.configured && { redeliver: (one: WebhookDelivery) => void send(one) })}
          />
        )}
        {tab === "settings" && <WebhookFacts webhook={webhook} />}
        {tab === "verify" && <Verify />}
      </Tabs>
      {dialog === "edit" && <EditWebhook projectId={projectId} perms={perms} webhook={webhook} onClose={close} />}
      {dialog === "rotate" && <RotateSecret projectId={projectId} name={name} onRotated={setSecret} onClose={close} />}
      {secret !== undefined && <ShownSecret secret={secret} onClose={() => setSecret(undefined)} />}
      <ConfirmDialog
        open={dialog === "delete"}
        title={words.remove.title(name)}
        action={words.remove.action}
        danger
        onConfirm={remove}
        onClose={close}
      >
        <p>{words.remove.text}</p>
      </ConfirmDialog>
    </Page>
  );
}

/** A webhook: its deliveries, settings, and how its receiver verifies them. */
export function WebhookPage() {
  const { project, perms } = useProject();
  const { name } = useParams({ from: "/inside/p/$slug/webhooks/$name" });
  const mayRead = can(perms, "webhooks:read");
  const query = useQuery({ ...webhookOf(project.id, name), enabled: mayRead });
  if (query.data) {
    return <Opened key={name} projectId={project.id} slug={project.slug} perms={perms} webhook={query.data} />;
  }
  return (
    <UnopenedPage
      title={name}
      queries={[query]}
      lacks={mayRead ? undefined : "webhooks:read"}
      missing={{
        title: words.missing,
        text: words.missingText,
        action: (
          <Link to="/p/$slug/webhooks" params={{ slug: project.slug }} className={buttonClass({})}>
            {words.toList}
          </Link>
        ),
      }}
    />
  );
}
