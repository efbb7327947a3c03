import { useRef, useState } from "react";
import { adminOf } from "../../app/queries";
import { CodeEditor } from "../../components/editor/code-editor";
import { Form } from "../../components/form/form";
import { LeaveGuard } from "../../components/form/leave-guard";
import { Button } from "../../components/ui/button";
import { SidePanel } from "../../components/ui/side-panel";
import { toast } from "../../components/ui/toast";
import { documentMessages } from "../../messages/documents";
import type { DocumentProps } from "./document-editor";
import styles from "./documents.module.css";
import { parsed } from "./parsed";
import { placeOf } from "./place";
import { documentsChanged } from "./queries";

const words = documentMessages.panel;

interface NewProps extends DocumentProps {
  onClose(): void;
  onCreated(id: string): void;
}

/** A new document, as JSON. */
export function NewDocumentPanel({ projectId, collection, onClose, onCreated }: NewProps) {
  const empty = "{\n  \n}";
  const [text, setText] = useState(empty);
  const dirty = useRef(false);
  const form = useRef<HTMLDivElement>(null);
  dirty.current = text !== empty;
  const create = async () => {
    const { document } = await adminOf(projectId).adminCreateDocument(collection, parsed(text));
    dirty.current = false;
    setText(empty);
    await documentsChanged(projectId, collection);
    toast(words.created);
    onCreated(String(document.id));
  };
  return (
    <SidePanel title={documentMessages.create} onClose={onClose}>
      <div ref={form}>
        <Form label={documentMessages.create} onSubmit={create}>
          {(busy) => (
            <>
              <CodeEditor label={words.json} value={text} onChange={setText} language="json" rows={16} onSave={() => form.current?.querySelector("form")?.requestSubmit()} />
              <div className={styles["buttons"]}>
                <Button type="submit" look="primary" busy={busy}>
                  {words.add}
                </Button>
              </div>
            </>
          )}
        </Form>
      </div>
      <LeaveGuard when={() => dirty.current} place={placeOf} />
    </SidePanel>
  );
}
