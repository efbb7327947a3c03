import type { StoredFile } from "manybase";
import { filesOf } from "../../app/client";
import { DialogForm } from "../../components/form/dialog-form";
import { FormProblem, type Values } from "../../components/form/form";
import { JsonField } from "../../components/form/json-field";
import { Dialog } from "../../components/ui/dialog";
import { toast } from "../../components/ui/toast";
import { printJson, type Fields } from "../../lib/json";
import { fileMessages } from "../../messages/files";
import { metadataOf, nameOf } from "./model";
import { filesChanged } from "./queries";

const words = fileMessages.metadata;

/** Edits the metadata of a file as JSON. */
export function MetadataDialog({ projectId, bucket, file, onClose }: {
  projectId: string;
  bucket: string;
  file: StoredFile;
  onClose(): void;
}) {
  const name = nameOf(file.path);
  const save = async ({ metadata = "" }: Values) => {
    let value: Fields;
    try {
      value = metadataOf(metadata);
    } catch (error) {
      throw new FormProblem("metadata", (error as Error).message);
    }
    await filesOf(projectId, bucket).setMetadata(file.path, value);
    await filesChanged(projectId, bucket);
    toast(words.saved(name));
    onClose();
  };
  return (
    <Dialog open onClose={onClose} title={words.title(name)} description={words.text} wide>
      <DialogForm label={words.title(name)} action={words.action} onSubmit={save} onClose={onClose}>
        <JsonField label={words.label} name="metadata" initial={printJson(file.metadata ?? {})} />
      </DialogForm>
    </Dialog>
  );
}
