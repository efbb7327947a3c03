import type { Integration } from "manybase/admin";
import { Alert } from "../../components/states/alert";
import { Badge } from "../../components/ui/badge";
import { Facts, type Fact } from "../../components/ui/facts";
import { Panel, PanelBody } from "../../components/ui/panel";
import { Time } from "../../components/ui/relative-time";
import { integrationMessages } from "../../messages/integrations";
import type { Provider } from "./catalogue";
import styles from "./integrations.module.css";
import { headersSecret, storedSecrets } from "./secrets";
import { inConfig, secretLabel, shownText } from "./texts";

const { form, settings: words } = integrationMessages;

function Secret({ name, stored }: { name: string; stored: readonly string[] }) {
  const own = name === headersSecret ? stored.filter((one) => one.startsWith(`${headersSecret}/`)) : stored.filter((one) => one === name);
  if (own.length === 0) return <Badge>{form.unset}</Badge>;
  return (
    <>
      <Badge tone="good">{words.set}</Badge>{" "}
      {name === headersSecret && (
        <code>
          <bdi>{own.map(secretLabel).join(", ")}</bdi>
        </code>
      )}
    </>
  );
}

/** The settings of an integration, to read: its secrets by whether they are set. */
export function IntegrationFacts({ integration, provider }: { integration: Integration; provider: Provider }) {
  const stored = storedSecrets(integration.secrets);
  const config = provider.config.map((field): Fact => {
    const text = shownText(field, integration.config[field.name]);
    return [
      inConfig(field).label,
      text ? (
        <code className={styles["value"]}>
          <bdi>{text}</bdi>
        </code>
      ) : (
        form.unset
      ),
    ];
  });
  return (
    <>
      {provider.secrets.length > 0 && stored.length === 0 && <Alert tone="warn">{words.noSecrets}</Alert>}
      <Panel title={words.title}>
        <PanelBody>
          <Facts
            rows={[
              [words.provider, provider.label],
              ...config,
              ...provider.secrets.map((name): Fact => [secretLabel(name), <Secret name={name} stored={stored} />]),
              [words.created, <Time at={integration.createdAt} />],
              [words.changed, <Time at={integration.updatedAt} />],
            ]}
          />
        </PanelBody>
      </Panel>
    </>
  );
}
