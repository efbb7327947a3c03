import { ManybaseError, isError } from "manybase";
import type { VectorField } from "manybase/admin";
import { useRef, useState, type FormEvent } from "react";
import { useFieldPaths } from "../../components/data/schema";
import { DialogForm } from "../../components/form/dialog-form";
import { FormProblem, type Values } from "../../components/form/form";
import { Alert } from "../../components/states/alert";
import { Dialog } from "../../components/ui/dialog";
import { Choices, CodeField, TextField } from "../../components/ui/field";
import { SelectField } from "../../components/ui/select-field";
import { toast } from "../../components/ui/toast";
import { vectorMessages } from "../../messages/vectors";
import { effectOf, fieldOf, formPath, graphOptions, isWrong, vectorOf, type Effect } from "./model";
import { setFields } from "./queries";
import styles from "./vectors.module.css";

const words = vectorMessages.dialog;
const ranges = { m: [4, 64, 16], efConstruction: [16, 1000, 200], efSearch: [10, 1000, 300] } as const;

/** Counts the numbers of a vector that is pasted; it is not a part of the form. */
function Sample({ onCount }: { onCount(n: number): void }) {
  const [result, setResult] = useState("");
  const count = (text: string) => {
    const vector = vectorOf(text);
    setResult(text.trim() ? (vector ? words.counted(vector.length) : words.notVector) : "");
    if (vector) onCount(vector.length);
  };
  return (
    <details className={styles["more"]}>
      <summary>{words.sample}</summary>
      <div>
        <CodeField label={words.sample} name="sample" hint={words.sampleHint} rows={3} onChange={(event) => count(event.target.value)} />
        <p role="status" className={styles["secondary"]}>
          {result}
        </p>
      </div>
    </details>
  );
}

function SourceFields({ field }: { field: VectorField | undefined }) {
  const paths = useFieldPaths();
  const hint = paths.length ? `${words.sourceHint.slice(0, -1)} (${paths.slice(0, 8).join(", ")}).` : words.sourceHint;
  return (
    <>
      <CodeField label={words.source} name="source" hint={hint} rows={3} defaultValue={field?.source?.fields.join("\n")} />
      <CodeField label={words.template} name="template" hint={words.templateHint} rows={2} defaultValue={field?.source?.template} />
    </>
  );
}

interface FieldDialogProps {
  projectId: string;
  collection: string;
  fields: readonly VectorField[];
  /** The field that is changed; a new one without it. */
  field?: VectorField | undefined;
  onClose(): void;
}

/** Adds or changes one vector field of a collection. */
export function FieldDialog({ projectId, collection, fields, field, onClose }: FieldDialogProps) {
  const [mode, setMode] = useState(field?.mode ?? "manual");
  const [dimensions, setDimensions] = useState(field ? String(field.dimensions) : "");
  const [effect, setEffect] = useState<Effect>();
  const more = useRef<HTMLDetailsElement>(null);
  const at = field ? fields.indexOf(field) : fields.length;

  const changed = (event: FormEvent) => {
    const form = (event.target as Element).closest("form");
    if (!form) return;
    const values = Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, String(value)]));
    setMode(values["mode"] === "auto" ? "auto" : "manual");
    const next = fieldOf(values);
    setEffect(field && !isWrong(next) ? effectOf(field, next) : undefined);
  };

  const save = async (values: Values) => {
    const next = fieldOf(values);
    if (isWrong(next)) {
      if (more.current?.querySelector(`[name="${next.field}"]`)) more.current.open = true;
      throw new FormProblem(next.field, next.message);
    }
    if (fields.some((one) => one !== field && one.name === next.name)) throw new FormProblem("name", words.nameTaken);
    try {
      await setFields(projectId, collection, fields.toSpliced(at, field ? 1 : 0, next as VectorField));
    } catch (error) {
      if (!isError(error, "VALIDATION")) throw error;
      const { status, code, message, requestId } = error;
      const details = error.details.map(({ path, message: text }) => ({ path: formPath(path, at), message: text }));
      if (details.some(({ path }) => graphOptions.some((option) => path === `/${option}`))) more.current!.open = true;
      throw new ManybaseError(status, code, message, { details, ...(requestId ? { requestId } : {}) });
    }
    toast(vectorMessages.saved(next.name));
    onClose();
  };

  const title = field ? words.editTitle(field.name) : words.addTitle;
  return (
    <Dialog open onClose={onClose} title={title} wide>
      <DialogForm label={title} action={field ? words.editAction : words.addAction} onSubmit={save} onClose={onClose}>
        <div className={styles["fields"]} onInput={changed}>
          <TextField
            label={words.name}
            name="name"
            hint={words.nameHint}
            defaultValue={field?.name}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            mono
          />
          <Choices
            label={words.mode}
            name="mode"
            initial={mode}
            choices={[
              { value: "manual", label: words.manual, hint: words.manualHint },
              { value: "auto", label: words.auto, hint: words.autoHint },
            ]}
          />
          {mode === "auto" && <SourceFields field={field} />}
          <TextField
            label={words.dimensions}
            name="dimensions"
            hint={words.dimensionsHint}
            inputMode="numeric"
            autoComplete="off"
            value={dimensions}
            onChange={(event) => setDimensions(event.target.value)}
          />
          <Sample onCount={(n) => setDimensions(String(n))} />
          <SelectField
            label={words.metric}
            name="metric"
            hint={words.metricHint}
            defaultValue={field?.metric ?? "cosine"}
            options={(["cosine", "dot", "euclidean"] as const).map((value) => ({ value, label: vectorMessages.metrics[value] }))}
          />
          <details ref={more} className={styles["more"]}>
            <summary>{words.more}</summary>
            <div>
              <p className={styles["secondary"]}>{words.graphHint}</p>
              {graphOptions.map((option) => (
                <TextField
                  key={option}
                  label={words[option]}
                  name={option}
                  hint={words.range(ranges[option])}
                  inputMode="numeric"
                  autoComplete="off"
                  defaultValue={field?.index?.[option]}
                />
              ))}
            </div>
          </details>
          {effect && <Alert tone="warn">{words.effects[effect]}</Alert>}
        </div>
      </DialogForm>
    </Dialog>
  );
}
