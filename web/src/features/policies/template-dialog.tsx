import type { PolicySet } from "manybase/admin";
import { useId, useState } from "react";
import { projectChanged } from "../../app/queries";
import { DialogForm } from "../../components/form/dialog-form";
import { FormProblem, type Values } from "../../components/form/form";
import { Dialog } from "../../components/ui/dialog";
import { TextField } from "../../components/ui/field";
import { policiesMessages } from "../../messages/policies";
import { defaultPolicy } from "./data";
import type { JsonObject } from "./model/json";
import { policyOf, type TeamAnswers, type TemplateName } from "./model/templates";
import type { Permission } from "./rights";
import { answerTeam, TeamFields } from "./team-fields";
import { WhoField } from "./who-field";

const words = policiesMessages.templates;

interface TemplateDialogProps {
  open: boolean;
  projectId: string;
  collection: string;
  may: Permission;
  fields: readonly string[];
  sets: readonly PolicySet[];
  onFill(policy: JsonObject): void;
  onClose(): void;
}

const needsPublic: readonly TemplateName[] = ["visitors", "published"];
const shown: readonly TemplateName[] = ["owner", "shared", "team", "readers", "visitors", "published", "all", "closed"];

/** Policies in words, to start from. What one needs to know it asks; sets that a team needs are made at once. */
function Templates({ projectId, collection, may, fields, sets, onFill, onClose }: Omit<TemplateDialogProps, "open">) {
  const [name, setName] = useState<TemplateName>("owner");
  const fieldsId = useId();
  const title = collection === defaultPolicy ? words.titleDefault : words.title(collection);
  const fill = async (values: Values) => {
    const published = (values["published"] ?? "").trim();
    if (name === "published" && !published) throw new FormProblem("published", words.required);
    let team: TeamAnswers = { field: "", readers: "", writers: "" };
    if (name === "team") {
      const answered = await answerTeam(projectId, may, sets, values);
      team = answered.team;
      if (answered.made) await projectChanged(projectId);
    }
    onFill(policyOf(name, { published, team }));
    onClose();
  };
  return (
    <DialogForm label={title} action={words.action} onSubmit={fill} onClose={onClose}>
      <WhoField<TemplateName>
        label={words.choices}
        value={name}
        onChange={setName}
        choices={shown
          .filter((one) => collection !== defaultPolicy || !needsPublic.includes(one))
          .map((value) => ({ value, label: words.names[value], hint: words.hints[value] }))}
      />
      {name === "published" && (
        <TextField label={words.published} name="published" defaultValue="published" mono list={fieldsId} autoComplete="off" />
      )}
      {name === "team" && <TeamFields projectId={projectId} may={may} fields={fields} fieldsId={fieldsId} sets={sets} />}
      <datalist id={fieldsId}>
        {fields.map((field) => (
          <option key={field} value={field} />
        ))}
      </datalist>
    </DialogForm>
  );
}

export function TemplateDialog({ open, ...rest }: TemplateDialogProps) {
  const title = rest.collection === defaultPolicy ? words.titleDefault : words.title(rest.collection);
  return (
    <Dialog open={open} onClose={rest.onClose} title={title} description={words.text}>
      {open && <Templates {...rest} />}
    </Dialog>
  );
}
