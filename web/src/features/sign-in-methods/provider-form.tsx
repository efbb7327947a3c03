import type { OauthConfig, OauthProviderBody } from "manybase/admin";
import { useState } from "react";
import { adminOf } from "../../app/queries";
import { DialogForm } from "../../components/form/dialog-form";
import { FormProblem, type Values } from "../../components/form/form";
import { Alert } from "../../components/states/alert";
import { CheckboxField } from "../../components/ui/checkbox";
import { Dialog } from "../../components/ui/dialog";
import { TextField } from "../../components/ui/field";
import { toast } from "../../components/ui/toast";
import { providerLabel } from "../../lib/format";
import { signInMessages } from "../../messages/sign-in-methods";
import { oauthChanged } from "./api";
import { Callback } from "./callback";
import { isOidc, methodsOf, oidcNamed } from "./providers";

const words = signInMessages.form;
/** In the address, for a provider that is not stored yet. */
export const newProvider = "new";

interface FormProps {
  projectId: string;
  config: OauthConfig;
  /** A provider, or `newProvider`. */
  provider: string;
  onClose(): void;
}

/** The settings of a provider. Its secret is written and never read: an empty field keeps the stored one. */
export function ProviderForm({ projectId, config, provider, onClose }: FormProps) {
  const isNew = provider === newProvider;
  const stored = methodsOf(config).find((one) => one.provider === provider)?.stored;
  const [issuer, setIssuer] = useState(stored?.issuer ?? "");
  const hasSecret = stored?.clientSecret.configured === true;
  const moved = hasSecret && isOidc(provider) && issuer.trim() !== stored.issuer;
  const title = isNew ? words.newTitle : words.title(providerLabel(provider));

  const save = async (values: Values) => {
    const { name = "", clientId = "", clientSecret = "" } = values;
    const target = isNew ? oidcNamed(name.trim()) : provider;
    if (target === undefined) throw new FormProblem("name", words.badName);
    if (isNew && config.providers.some((one) => one.provider === target)) throw new FormProblem("name", words.taken);
    const body: OauthProviderBody = { clientId: clientId.trim(), enabled: values["enabled"] === "on" };
    if (clientSecret) body.clientSecret = clientSecret;
    if (isOidc(target)) body.issuer = issuer.trim();
    await adminOf(projectId).setOauthProvider(target, body);
    await oauthChanged(projectId);
    toast(words.saved(providerLabel(target)));
    onClose();
  };

  return (
    <Dialog open onClose={onClose} title={title}>
      <DialogForm label={title} action={words.action} onSubmit={save} onClose={onClose}>
        {isNew && (
          <TextField label={words.name} name="name" hint={words.nameHint} autoComplete="off" autoCapitalize="none" spellCheck={false} mono />
        )}
        {isNew ? <p>{signInMessages.callbackNew}</p> : <Callback baseUrl={config.baseUrl} provider={provider} hint />}
        {(isNew || isOidc(provider)) && (
          <TextField
            label={words.issuer}
            name="issuer"
            hint={words.issuerHint}
            type="url"
            autoComplete="off"
            mono
            value={issuer}
            onChange={(event) => setIssuer(event.target.value)}
          />
        )}
        <TextField
          label={words.clientId}
          name="clientId"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          mono
          defaultValue={stored?.clientId}
        />
        {moved && <Alert tone="warn">{words.issuerChanged}</Alert>}
        <TextField
          label={words.clientSecret}
          name="clientSecret"
          type="password"
          autoComplete="new-password"
          mono
          hint={hasSecret && !moved ? words.secretKept : words.secretNew}
        />
        <CheckboxField name="enabled" label={words.enabled} defaultChecked={stored?.enabled ?? true} />
      </DialogForm>
    </Dialog>
  );
}
