import { filesOf } from "../../app/client";
import { DialogForm } from "../../components/form/dialog-form";
import { FormProblem, type Values } from "../../components/form/form";
import { Dialog } from "../../components/ui/dialog";
import { TextField } from "../../components/ui/field";
import { toast } from "../../components/ui/toast";
import { fileMessages } from "../../messages/files";
import { pathIn } from "./model";
import { filesChanged } from "./queries";

const words = fileMessages.folderDialog;

/** Creates a folder in the open one; its name may have several parts. */
export function NewFolder({ projectId, bucket, folder, onClose }: {
  projectId: string;
  bucket: string;
  folder: string;
  onClose(): void;
}) {
  const create = async ({ folder: name = "" }: Values) => {
    if (!name.trim()) throw new FormProblem("folder", words.empty);
    await filesOf(projectId, bucket).createFolder(pathIn(folder, name));
    await filesChanged(projectId, bucket);
    toast(words.done(name));
    onClose();
  };
  return (
    <Dialog open onClose={onClose} title={words.title}>
      <DialogForm label={words.title} action={words.action} onSubmit={create} onClose={onClose}>
        <TextField label={words.name} name="folder" autoComplete="off" />
      </DialogForm>
    </Dialog>
  );
}
