import { useState } from "react";
import { CodeEditor } from "../../components/editor/code-editor";
import { ConfirmDialog } from "../../components/form/confirm-dialog";
import { LeaveGuard } from "../../components/form/leave-guard";
import { Alert } from "../../components/states/alert";
import { ProblemText } from "../../components/states/problem";
import { Badge } from "../../components/ui/badge";
import { Button } from "../../components/ui/button";
import { Panel, PanelBody } from "../../components/ui/panel";
import { toast } from "../../components/ui/toast";
import { schemaMessages as words } from "../../messages/schema";
import { CheckResult } from "./check-result";
import { FieldList } from "./field-list";
import type { Json } from "../../lib/schema-fields";
import { keywords } from "./keywords";
import { removeSchema } from "./queries";
import { ReviewDialog } from "./review";
import styles from "./schema.module.css";
import { useDraft } from "./use-draft";

interface WorkbenchProps {
  slug: string;
  projectId: string;
  collection: string;
  stored: Json | null;
  /** The text to begin with, where there is no schema yet. */
  begun: Json | undefined;
  manages: boolean;
  mayCheck: boolean;
  /** Called where neither a schema nor a text is left. */
  onEmpty(): void;
}

/** The text of a schema, the fields that it describes, and what is done with it. */
export function Workbench({ slug, projectId, collection, stored, begun, manages, mayCheck, onEmpty }: WorkbenchProps) {
  const draft = useDraft({ projectId, collection, stored, begun, mayCheck });
  const [asking, setAsking] = useState<"discard" | "remove">();
  const { text, schema, problems, general, changed, checked, busy } = draft;
  const save = async (nevertheless?: boolean) => {
    if (await draft.save(nevertheless)) toast(words.saved(collection));
  };
  const discard = async () => {
    draft.discard();
    if (stored === null) onEmpty();
  };
  const remove = async () => {
    await removeSchema(projectId, collection);
    draft.discard();
    onEmpty();
    toast(words.removed(collection));
  };

  const actions = manages && (
    <span className={styles["toolbar"]}>
      {changed && <Badge tone="warn">{words.unsaved}</Badge>}
      {stored !== null && !changed && (
        <Button small look="danger" onClick={() => setAsking("remove")}>
          {words.remove}
        </Button>
      )}
      {changed && (
        <Button small onClick={() => setAsking("discard")}>
          {words.discard}
        </Button>
      )}
      {mayCheck && (
        <Button small busy={busy === "check"} aria-disabled={!schema || undefined} onClick={() => void draft.check()}>
          {words.check}
        </Button>
      )}
      <Button
        small
        look="primary"
        busy={busy === "save"}
        aria-disabled={!changed || !schema || undefined}
        onClick={() => changed && void save()}
      >
        {words.save}
      </Button>
    </span>
  );

  return (
    <div className={styles["columns"]}>
      <div className={styles["text"]}>
        <Panel title={words.text} aside={actions}>
          <PanelBody>
            {general !== undefined && (
              <Alert>
                <ProblemText error={general} />
              </Alert>
            )}
            <CodeEditor
              label={words.editor(collection)}
              value={text}
              language="json"
              rows={24}
              readOnly={!manages}
              problems={problems}
              complete={keywords}
              {...(manages ? { onChange: draft.change, onSave: () => changed && void save() } : {})}
            />
          </PanelBody>
        </Panel>
        {checked && (
          <Panel title={words.checkTitle}>
            <PanelBody>
              <CheckResult slug={slug} collection={collection} result={checked.result} older={checked.text !== text} />
            </PanelBody>
          </Panel>
        )}
      </div>
      <FieldList schema={schema} onChange={manages ? draft.changeTo : undefined} />
      <ReviewDialog slug={slug} collection={collection} draft={draft} onSave={() => void save(true)} />
      <ConfirmDialog
        open={asking === "discard"}
        title={words.discard}
        action={words.discard}
        danger
        onConfirm={discard}
        onClose={() => setAsking(undefined)}
      >
        {words.discardText}
      </ConfirmDialog>
      <ConfirmDialog
        open={asking === "remove"}
        title={words.removeTitle(collection)}
        action={words.remove}
        danger
        onConfirm={remove}
        onClose={() => setAsking(undefined)}
      >
        {words.removeText}
      </ConfirmDialog>
      <LeaveGuard when={changed} />
    </div>
  );
}
