import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { collectionsOf } from "../../components/data/queries";
import { useProject } from "../../app/project";
import { DialogForm } from "../../components/form/dialog-form";
import { FormProblem, type Values } from "../../components/form/form";
import { CheckboxField } from "../../components/ui/checkbox";
import { Dialog } from "../../components/ui/dialog";
import { CodeField, TextField } from "../../components/ui/field";
import { SelectField } from "../../components/ui/select-field";
import { schemaMessages } from "../../messages/schema";
import type { Json } from "../../lib/schema-fields";
import { draftOf, hasField, kinds, withField, type Kind } from "./fields";

const words = schemaMessages.field;

interface FieldDialogProps {
  schema: Json;
  /** The field that is changed; a new one without it. */
  name?: string;
  onChange(schema: Json): void;
  onClose(): void;
}

/** The common rules of one field of the first level, as a form. It changes the text, and saves nothing. */
export function FieldDialog({ schema, name, onChange, onClose }: FieldDialogProps) {
  const before = name === undefined ? undefined : draftOf(schema, name);
  const [kind, setKind] = useState<Kind>(before?.kind ?? "text");
  const { project, perms } = useProject();
  const { data = [] } = useQuery(collectionsOf(project.id, perms));
  const collections = data.map((one) => one.name);
  // A collection that does not exist any more is still what the field says.
  const names = before?.collection && !collections.includes(before.collection) ? [before.collection, ...collections] : collections;

  const submit = async (values: Values) => {
    const next = values["name"]?.trim() ?? "";
    if (!next) throw new FormProblem("name", words.nameMissing);
    if (next !== name && hasField(schema, next)) throw new FormProblem("name", words.nameTaken);
    const draft = {
      name: next,
      kind,
      required: values["required"] === "on",
      collection: values["collection"] ?? "",
      allowed: (values["allowed"] ?? "").split("\n").map((line) => line.trim()).filter(Boolean),
      description: values["description"]?.trim() ?? "",
    };
    onChange(withField(schema, draft, name));
    onClose();
  };

  const title = name === undefined ? words.addTitle : words.editTitle(name);
  return (
    <Dialog open onClose={onClose} title={title} description={words.text}>
      <DialogForm
        label={title}
        action={name === undefined ? words.addAction : words.editAction}
        onSubmit={submit}
        onClose={onClose}
      >
        <TextField label={words.name} name="name" defaultValue={name} autoComplete="off" autoCapitalize="none" spellCheck={false} mono />
        <SelectField
          label={words.kind}
          name="kind"
          value={kind}
          onChange={(next) => setKind(next as Kind)}
          options={kinds
            .filter((value) => value !== "other" || before?.kind === "other")
            .map((value) => ({ value, label: words.kinds[value] }))}
        />
        {kind === "reference" && (
          <SelectField
            label={words.collection}
            name="collection"
            hint={words.collectionHint}
            defaultValue={before?.collection}
            options={names.map((value) => ({ value, label: value }))}
          />
        )}
        {kind === "text" && (
          <CodeField label={words.allowed} name="allowed" hint={words.allowedHint} rows={3} defaultValue={before?.allowed.join("\n")} />
        )}
        <CheckboxField label={words.required} name="required" hint={words.requiredHint} defaultChecked={before?.required} />
        <TextField label={words.description} name="description" hint={words.descriptionHint} defaultValue={before?.description} autoComplete="off" />
      </DialogForm>
    </Dialog>
  );
}
