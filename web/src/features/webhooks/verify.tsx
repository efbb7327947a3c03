import { Panel, PanelBody } from "../../components/ui/panel";
import { Snippet } from "../../components/ui/snippet";
import { webhookMessages } from "../../messages/webhooks";
import { verifiers } from "./verifiers";

const words = webhookMessages.verify;

/** How the receiver of a webhook verifies what it gets. */
export function Verify() {
  return (
    <Panel title={webhookMessages.tabs.verify}>
      <PanelBody>
        <p>{words.text}</p>
        <Snippet title={words.title} forms={verifiers} />
        <p>{words.standard}</p>
      </PanelBody>
    </Panel>
  );
}
