import type { OauthConfig, OauthProvider } from "manybase/admin";
import { useState } from "react";
import { adminOf } from "../../app/queries";
import { wordsOf } from "../../components/states/problem";
import { Badge } from "../../components/ui/badge";
import { Button } from "../../components/ui/button";
import { Facts } from "../../components/ui/facts";
import { Panel } from "../../components/ui/panel";
import { Switch } from "../../components/ui/switch";
import { toast } from "../../components/ui/toast";
import { providerLabel } from "../../lib/format";
import { signInMessages as words } from "../../messages/sign-in-methods";
import { oauthChanged } from "./api";
import { Callback } from "./callback";
import { methodsOf, type Method } from "./providers";
import styles from "./sign-in-methods.module.css";

interface ListProps {
  projectId: string;
  config: OauthConfig;
  /** Whether the caller may change them. */
  writes: boolean;
  onEdit(provider: string): void;
  /** At the end of the heading. */
  aside?: React.ReactNode;
}

function State({ stored }: { stored: OauthProvider | undefined }) {
  if (!stored) return <Badge>{words.notSetUp}</Badge>;
  return (
    <>
      <Badge tone={stored.enabled ? "good" : "plain"}>{stored.enabled ? words.on : words.off}</Badge>{" "}
      {!stored.clientSecret.configured && <Badge tone="warn">{words.noSecret}</Badge>}
    </>
  );
}

function Row({ projectId, config, method, writes, onEdit }: ListProps & { method: Method }) {
  const [busy, setBusy] = useState(false);
  const { provider, stored } = method;
  const name = providerLabel(provider);
  const turn = async (enabled: boolean) => {
    setBusy(true);
    try {
      const { clientId, issuer } = stored!;
      await adminOf(projectId).setOauthProvider(provider, { clientId, enabled, ...(issuer ? { issuer } : {}) });
      await oauthChanged(projectId);
      toast(enabled ? words.enabled(name) : words.disabled(name));
    } catch (error) {
      toast(wordsOf(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <li className={styles["method"]}>
      <div className={styles["head"]}>
        <h3>
          <bdi>{name}</bdi>
        </h3>
        <State stored={stored} />
        <span className={styles["space"]} />
        {writes && stored && <Switch label={words.enable(name)} checked={stored.enabled} busy={busy} onChange={(on) => void turn(on)} />}
        {writes && (
          <Button small aria-label={stored ? words.editNamed(name) : words.setUpNamed(name)} onClick={() => onEdit(provider)}>
            {stored ? words.edit : words.setUp}
          </Button>
        )}
      </div>
      {stored && (
        <Facts
          rows={[
            stored.issuer && [words.issuer, <code>{stored.issuer}</code>],
            [words.client, <code>{stored.clientId}</code>],
          ]}
        />
      )}
      <Callback baseUrl={config.baseUrl} provider={provider} />
    </li>
  );
}

/** The providers with their state and the address to register. */
export function ProviderList(props: ListProps) {
  return (
    <Panel title={words.providers} aside={props.aside}>
      <ul>
        {methodsOf(props.config).map((method) => (
          <Row key={method.provider} {...props} method={method} />
        ))}
      </ul>
    </Panel>
  );
}
