import { adminOf, projectChanged } from "../../app/queries";
import { DialogForm } from "../../components/form/dialog-form";
import { FormProblem, type Values } from "../../components/form/form";
import { Dialog } from "../../components/ui/dialog";
import { Choices, CodeField, TextField } from "../../components/ui/field";
import { toast } from "../../components/ui/toast";
import { messages } from "../../messages";
import { startPolicies } from "./policies";

interface DialogProps {
  projectId: string;
  onClose(): void;
}
type OfCollection = DialogProps & { collection: string };

export function NewCollection({ projectId, onClose }: DialogProps) {
  const words = messages.home.collectionDialog;
  const create = async ({ name = "" }: Values) => {
    await adminOf(projectId).createCollection({ name });
    await projectChanged(projectId);
    toast(words.done(name));
    onClose();
  };
  return (
    <Dialog open onClose={onClose} title={words.title}>
      <DialogForm label={words.title} action={words.action} onSubmit={create} onClose={onClose}>
        <TextField label={words.name} name="name" hint={words.hint} autoComplete="off" autoCapitalize="none" mono />
      </DialogForm>
    </Dialog>
  );
}

export function StartPolicy({ projectId, collection, onClose }: OfCollection) {
  const words = messages.home.policyDialog;
  const save = async ({ policy = "owner" }: Values) => {
    await adminOf(projectId).setPolicy(collection, startPolicies[policy]!);
    await projectChanged(projectId);
    toast(words.done(collection));
    onClose();
  };
  return (
    <Dialog open onClose={onClose} title={words.title(collection)} description={words.text}>
      <DialogForm label={words.title(collection)} action={words.action} onSubmit={save} onClose={onClose}>
        <Choices
          label={words.choices}
          name="policy"
          initial="owner"
          choices={[
            { value: "owner", label: words.owner, hint: words.ownerHint },
            { value: "readers", label: words.members, hint: words.membersHint },
            { value: "shared", label: words.open, hint: words.openHint },
          ]}
        />
      </DialogForm>
    </Dialog>
  );
}

export function NewDocument({ projectId, collection, onClose }: OfCollection) {
  const words = messages.home.documentDialog;
  const create = async ({ body = "" }: Values) => {
    let document: unknown;
    try {
      document = JSON.parse(body);
    } catch (error) {
      throw new FormProblem("body", words.notJson((error as Error).message));
    }
    if (typeof document !== "object" || document === null || Array.isArray(document)) {
      throw new FormProblem("body", words.notObject);
    }
    await adminOf(projectId).adminCreateDocument(collection, { ...document });
    await projectChanged(projectId);
    toast(words.done);
    onClose();
  };
  return (
    <Dialog open onClose={onClose} title={words.title(collection)}>
      <DialogForm label={words.title(collection)} action={words.action} onSubmit={create} onClose={onClose}>
        <CodeField label={words.body} name="body" defaultValue={'{\n  "title": "A first document"\n}'} />
      </DialogForm>
    </Dialog>
  );
}
