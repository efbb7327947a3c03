import { useEffect, useMemo, useRef, useState } from "react";
import type { DocumentTab } from "../../app/routes/data";
import { adminOf } from "../../app/queries";
import { CodeEditor } from "../../components/editor/code-editor";
import { Form, FormProblem, type Values } from "../../components/form/form";
import { Button } from "../../components/ui/button";
import { Tabs, type TabItem } from "../../components/ui/tabs";
import { toast } from "../../components/ui/toast";
import { printJson, sameJson, type Fields } from "../../lib/json";
import { can } from "../../lib/permissions";
import { documentMessages } from "../../messages/documents";
import { DocumentForm, documentOfValues } from "./document-form";
import styles from "./documents.module.css";
import { Links } from "./links";
import { parsed } from "./parsed";
import { documentsChanged } from "./queries";
import { fieldsOf, ownFields, patchOf, serverFields, type Schema } from "./values";

const words = documentMessages.panel;

/** The collection of a document, and who looks at it. */
export interface DocumentProps {
  projectId: string;
  slug: string;
  perms: readonly string[];
  collection: string;
  schema: Schema;
}

type View = "form" | DocumentTab;

const views: readonly TabItem<View>[] = [
  { value: "form", label: words.form },
  { value: "json", label: words.json },
  { value: "links", label: words.links },
];

interface EditorProps extends DocumentProps {
  document: Fields;
  dirty: { current: boolean };
  /** The tab at the beginning. */
  tab: DocumentTab | undefined;
  onTab(tab: DocumentTab | undefined): void;
}

/** The document as a form or as JSON, and what it is linked with. Only what changed is saved. */
export function DocumentEditor({ document, dirty, tab, onTab, ...rest }: EditorProps) {
  const { projectId, perms, collection, schema } = rest;
  // What is compared with: the document as it was opened, or saved.
  const [base, setBase] = useState(document);
  const [draft, setDraft] = useState(document);
  const [view, setView] = useState<View>(tab ?? "form");
  const [text, setText] = useState(() => printJson(document));
  const [typed, setTyped] = useState(false);
  const [problem, setProblem] = useState<string>();
  const host = useRef<HTMLDivElement>(null);
  const names = useMemo(() => fieldsOf(schema, [draft]).filter((name) => !serverFields.has(name)), [schema, draft]);
  const mayUpdate = can(perms, `data:${collection}:update`);

  // Nothing is typed here: another person's change is taken over.
  useEffect(() => {
    if (dirty.current || sameJson(document, base)) return;
    setBase(document);
    setDraft(document);
    setText(printJson(document));
  }, [document, base, dirty]);
  useEffect(() => {
    dirty.current = typed || !sameJson(draft, base);
  });

  const current = (values: Values): Fields =>
    view === "json" ? parsed(text) : view === "form" ? documentOfValues(draft, schema, names, values) : draft;
  const change = (next: View) => {
    try {
      const form = host.current!.querySelector("form")!;
      const values = Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, String(value)]));
      const whole = current(values);
      setDraft(whole);
      setText(printJson(whole));
      setTyped(false);
      setProblem(undefined);
      setView(next);
      onTab(next === "form" ? undefined : next);
    } catch (error) {
      setProblem(error instanceof FormProblem && error.field ? `${error.field}: ${error.message}` : (error as Error).message);
    }
  };
  const save = async (values: Values) => {
    setProblem(undefined);
    const next = current(values);
    for (const name of serverFields) {
      if (!sameJson(next[name], base[name])) throw new FormProblem("", words.fixed(name));
    }
    const patch = patchOf(ownFields(base), ownFields(next));
    if (!patch) throw new FormProblem("", words.nothingChanged);
    const id = String(base["id"]);
    if (can(perms, `data:${collection}:read`)) {
      const { document: stored } = await adminOf(projectId).adminGetDocument(collection, id);
      if (stored.updatedAt !== base["updatedAt"]) {
        setBase({ ...base, updatedAt: stored.updatedAt });
        setDraft({ ...next, updatedAt: stored.updatedAt });
        setText(printJson({ ...next, updatedAt: stored.updatedAt }));
        throw new FormProblem("", words.newer);
      }
    }
    const saved = (await adminOf(projectId).adminUpdateDocument(collection, id, { ...patch })).document as Fields;
    setBase(saved);
    setDraft(saved);
    setText(printJson(saved));
    setTyped(false);
    dirty.current = false;
    toast(words.saved);
    await documentsChanged(projectId, collection);
  };

  return (
    <div ref={host} onInput={() => view === "form" && setTyped(true)}>
      <Form label={collection} onSubmit={save}>
        {(busy) => (
          <>
            {problem && <p role="alert" className={styles["problem"]}>{problem}</p>}
            <Tabs label={words.views} value={view} onChange={change} items={views}>
              {view === "links" ? (
                <Links {...rest} document={draft} />
              ) : (
                <fieldset disabled={!mayUpdate} className={styles["fields"]}>
                  {view === "form" ? (
                    // Another saved state makes the fields again.
                    <DocumentForm {...rest} key={String(base["updatedAt"])} document={draft} names={names} onChoose={() => setTyped(true)} />
                  ) : (
                    <CodeEditor
                      label={words.json}
                      value={text}
                      onChange={(next) => {
                        setText(next);
                        setTyped(true);
                      }}
                      language="json"
                      rows={20}
                      readOnly={!mayUpdate}
                      onSave={() => host.current?.querySelector("form")?.requestSubmit()}
                    />
                  )}
                </fieldset>
              )}
            </Tabs>
            {mayUpdate && view !== "links" && (
              <div className={styles["buttons"]}>
                <Button type="submit" look="primary" busy={busy}>
                  {words.save}
                </Button>
              </div>
            )}
          </>
        )}
      </Form>
    </div>
  );
}
