import { DialogForm } from "../../../components/form/dialog-form";
import { FormProblem } from "../../../components/form/form";
import { Dialog } from "../../../components/ui/dialog";
import { TextField } from "../../../components/ui/field";
import { flowMessages as words } from "../../../messages/flow";

interface Props {
  id: string;
  isFree(id: string): boolean;
  onRename(id: string): void;
  onClose(): void;
}

/** Gives a node another id. */
export function RenameDialog({ id, isFree, onRename, onClose }: Props) {
  const title = words.renameTitle(id);
  const submit = async (values: Record<string, string>) => {
    const next = values["id"]?.trim() ?? "";
    if (!isFree(next)) throw new FormProblem("id", words.idTaken);
    onRename(next);
    onClose();
  };
  return (
    <Dialog open onClose={onClose} title={title}>
      <DialogForm label={title} action={words.renameAction} onSubmit={submit} onClose={onClose}>
        <TextField label={words.id} name="id" defaultValue={id} hint={words.idHint} autoComplete="off" autoCapitalize="none" spellCheck={false} mono />
      </DialogForm>
    </Dialog>
  );
}
