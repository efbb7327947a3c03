import type { Webhook } from "manybase/admin";
import { Alert } from "../../components/states/alert";
import { Facts } from "../../components/ui/facts";
import { Panel, PanelBody } from "../../components/ui/panel";
import { Time } from "../../components/ui/relative-time";
import { messages } from "../../messages";
import { webhookMessages as words } from "../../messages/webhooks";
import styles from "./webhooks.module.css";

const Line = ({ text }: { text: string }) => (
  <code>
    <bdi>{text}</bdi>
  </code>
);

function Lines({ lines }: { lines: readonly string[] }) {
  if (lines.length === 0) return messages.none;
  return (
    <ul className={styles["lines"]}>
      {lines.map((line) => (
        <li key={line}>
          <Line text={line} />
        </li>
      ))}
    </ul>
  );
}

/** The settings of a webhook, to read. */
export function WebhookFacts({ webhook }: { webhook: Webhook }) {
  const { form, settings } = words;
  return (
    <>
      {!webhook.fields && <Alert tone="warn">{form.wholeWarning}</Alert>}
      <Panel title={words.tabs.settings}>
        <PanelBody>
          <Facts
            rows={[
              [form.collection, <bdi>{webhook.collection}</bdi>],
              [words.columns.events, webhook.events.join(", ")],
              [form.url, <Line text={webhook.url} />],
              [words.columns.sends, webhook.fields ? <Lines lines={webhook.fields} /> : words.whole],
              [settings.headers, <Lines lines={Object.entries(webhook.headers).map(([name, value]) => `${name}: ${String(value)}`)} />],
              [settings.secret, webhook.secret.configured ? settings.configured : words.noSecret],
              [settings.created, <Time at={webhook.createdAt} />],
              [settings.changed, <Time at={webhook.updatedAt} />],
            ]}
          />
        </PanelBody>
      </Panel>
    </>
  );
}
