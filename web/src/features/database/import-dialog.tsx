import type { IntrospectionImport, IntrospectionReport } from "manybase/admin";
import { useState } from "react";
import { adminOf, projectChanged } from "../../app/queries";
import { DialogForm } from "../../components/form/dialog-form";
import { FormProblem, type Values } from "../../components/form/form";
import { JsonField } from "../../components/form/json-field";
import { CheckboxField } from "../../components/ui/checkbox";
import { Dialog } from "../../components/ui/dialog";
import { Choices, TextField } from "../../components/ui/field";
import { toast } from "../../components/ui/toast";
import { isObject, printJson } from "../../lib/json";
import { readJson } from "../../lib/json-source";
import { ownDatabaseMessages } from "../../messages/own-database";

const words = ownDatabaseMessages.import;

/** The body of an import by the values of the form; throws where the schema is not one. */
function importOf({ name = "", start, schema = "", preImages }: Values): IntrospectionImport {
  const body: IntrospectionImport = { name: name.trim() };
  if (preImages === "on") body.preImages = true;
  if (start === "none") return { ...body, schema: false };
  const read = readJson(schema);
  if (read.problem) throw new FormProblem("schema", words.notJson);
  if (!isObject(read.value)) throw new FormProblem("schema", words.notObject);
  return { ...body, schema: read.value };
}

interface ImportDialogProps {
  projectId: string;
  report: IntrospectionReport;
  /** Whether the database can keep pre-images. */
  preImages: boolean;
  onClose(): void;
}

/** Imports a collection of the database, with the schema of the report, changed or not, or with none. */
export function ImportDialog({ projectId, report, preImages, onClose }: ImportDialogProps) {
  const [none, setNone] = useState(false);
  const source = report.collection;
  const submit = async (values: Values) => {
    const { collection } = await adminOf(projectId).importIntrospected(source, importOf(values));
    await projectChanged(projectId);
    toast(words.done(collection));
    onClose();
  };
  return (
    <Dialog open onClose={onClose} title={words.title(source)} description={words.text} wide>
      <DialogForm label={words.title(source)} action={words.action} onSubmit={submit} onClose={onClose}>
        <TextField label={words.name} name="name" hint={words.nameHint} defaultValue={source} autoComplete="off" autoCapitalize="none" spellCheck={false} mono />
        <div onChange={(event) => (event.target as HTMLInputElement).name === "start" && setNone((event.target as HTMLInputElement).value === "none")}>
          <Choices
            label={words.schema}
            name="start"
            initial="inferred"
            choices={[
              { value: "inferred", label: words.inferred, hint: words.inferredHint },
              { value: "none", label: words.noSchema, hint: words.noSchemaHint },
            ]}
          />
        </div>
        {!none && <JsonField label={words.json} name="schema" initial={printJson(report.schema, { width: 60 })} rows={10} />}
        {preImages && report.problems.some(({ code }) => code === "no-pre-images") && (
          <CheckboxField label={words.preImages} name="preImages" hint={words.preImagesHint} />
        )}
      </DialogForm>
    </Dialog>
  );
}
