import { adminOf } from "../../app/queries";
import { ConfirmDialog } from "../../components/form/confirm-dialog";
import { SecretDialog } from "../../components/ui/secret-once";
import { webhookMessages } from "../../messages/webhooks";
import { webhooksChanged } from "./queries";

const words = webhookMessages.secret;

/** The secret of a webhook, this once. */
export function ShownSecret({ secret, onClose }: { secret: string; onClose(): void }) {
  return (
    <SecretDialog
      title={words.title}
      label={words.label}
      value={secret}
      hint={words.hint}
      forms={[{ label: words.env, text: `WEBHOOK_SECRET=${secret}` }]}
      finished={words.finished}
      onClose={onClose}
    />
  );
}

interface RotateProps {
  projectId: string;
  name: string;
  /** Gets the secret, which nothing else keeps. */
  onRotated(secret: string): void;
  onClose(): void;
}

/** Asks, then gives the webhook another secret. */
export function RotateSecret({ projectId, name, onRotated, onClose }: RotateProps) {
  const rotate = async () => {
    const { secret } = await adminOf(projectId).rotateWebhookSecret(name);
    await webhooksChanged(projectId);
    onRotated(secret);
  };
  return (
    <ConfirmDialog open title={words.rotateTitle(name)} action={words.rotate} danger onConfirm={rotate} onClose={onClose}>
      <p>{words.rotateText}</p>
    </ConfirmDialog>
  );
}
