import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { adminOf } from "../../app/queries";
import { DialogForm } from "../../components/form/dialog-form";
import type { Values } from "../../components/form/form";
import { CheckboxField } from "../../components/ui/checkbox";
import { Dialog } from "../../components/ui/dialog";
import { TextField } from "../../components/ui/field";
import { SelectField } from "../../components/ui/select-field";
import { toast } from "../../components/ui/toast";
import { functionMessages } from "../../messages/functions";
import { CollectionNames } from "./collection-names";
import { atFields } from "./problems";
import { refresh } from "./queries";
import { flowFor, templates, type TemplateKey } from "./templates";

const words = functionMessages.new;

interface Props {
  projectId: string;
  perms: readonly string[];
  onClose(): void;
}

/** Creates a function from a template, and opens it. */
export function NewFunction({ projectId, perms, onClose }: Props) {
  const [key, choose] = useState<TemplateKey>("insert");
  const navigate = useNavigate({ from: "/p/$slug/functions" });
  const template = templates.find((one) => one.key === key)!;
  const create = async (values: Values) => {
    const { name = "" } = values;
    const value = (template.field && values[template.field]) ?? "";
    const flow = values["flow"] === undefined ? undefined : flowFor(template, value);
    try {
      const body = flow ?? template.make(value);
      await adminOf(projectId).createFunction({ name, ...body });
    } catch (error) {
      throw atFields(error);
    }
    await refresh(projectId);
    toast(words.done(name));
    const to = flow ? "/p/$slug/functions/$name/flow" : "/p/$slug/functions/$name";
    await navigate({ to, params: (old) => ({ ...old, name }), search: {} });
  };
  return (
    <Dialog open onClose={onClose} title={words.title}>
      <DialogForm label={words.title} action={words.action} onSubmit={create} onClose={onClose}>
        <SelectField
          label={words.template}
          name="template"
          value={key}
          onChange={(next) => choose(next as TemplateKey)}
          options={templates.map((one) => ({ value: one.key, label: words.templates[one.key].label }))}
          hint={words.templates[key].hint}
        />
        <TextField label={words.name} name="name" hint={words.nameHint} autoComplete="off" autoCapitalize="none" spellCheck={false} mono />
        {template.field === "collection" && (
          <>
            <TextField label={words.collection} name="collection" list="new-function-collections" autoComplete="off" autoCapitalize="none" mono />
            <CollectionNames id="new-function-collections" projectId={projectId} perms={perms} />
          </>
        )}
        {template.field === "path" && (
          <TextField label={words.path} name="path" defaultValue="/" hint={functionMessages.settings.pathHint} autoComplete="off" mono />
        )}
        {template.field === "schedule" && (
          <TextField label={words.schedule} name="schedule" defaultValue="@hourly" hint={functionMessages.settings.scheduleHint} autoComplete="off" mono />
        )}
        {flowFor(template, "") && <CheckboxField name="flow" label={words.flow} hint={words.flowHint} />}
      </DialogForm>
    </Dialog>
  );
}
