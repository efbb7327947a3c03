import { useNavigate } from "@tanstack/react-router";
import { projects, queryClient } from "../../app/queries";
import { DialogForm } from "../../components/form/dialog-form";
import { Dialog } from "../../components/ui/dialog";
import { TextField } from "../../components/ui/field";
import { toast } from "../../components/ui/toast";
import { messages } from "../../messages";
import { control } from "../../session";

const words = messages.projects;

/** Creates a project and opens it. */
export function NewProject({ open, onClose }: { open: boolean; onClose(): void }) {
  const navigate = useNavigate();
  const create = async ({ name = "" }: Record<string, string>) => {
    const { project } = await control.createProject({ name });
    await queryClient.fetchQuery({ ...projects, staleTime: 0 });
    toast(project.warnings?.length ? [words.warnings, ...project.warnings].join(" ") : words.created(project.name));
    await navigate({ to: "/p/$slug", params: { slug: project.slug } });
  };
  return (
    <Dialog open={open} onClose={onClose} title={words.createTitle} description={words.createText}>
      <DialogForm label={words.createTitle} action={words.action} onSubmit={create} onClose={onClose}>
        <TextField label={words.name} name="name" hint={words.nameHint} autoComplete="off" required />
      </DialogForm>
    </Dialog>
  );
}
