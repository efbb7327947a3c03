import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Ellipsis } from "lucide-react";
import type { Project } from "manybase/control";
import { useState } from "react";
import { adminOf, projectChanged } from "../../app/queries";
import { collectionsOf } from "../../components/data/queries";
import { owns, useProject } from "../../app/project";
import { ConfirmDialog } from "../../components/form/confirm-dialog";
import { DialogForm } from "../../components/form/dialog-form";
import { FormProblem, type Values } from "../../components/form/form";
import { IconButton } from "../../components/ui/button";
import { CheckboxField } from "../../components/ui/checkbox";
import { Dialog } from "../../components/ui/dialog";
import { Choices, CodeField, TextField } from "../../components/ui/field";
import { Menu, MenuItem } from "../../components/ui/menu";
import { toast } from "../../components/ui/toast";
import { exactJson, isObject, type Fields } from "../../lib/json";
import { collectionMessages } from "../../messages/data";
import { inferSchema } from "./schema";

interface DialogProps {
  project: Project;
  onClose(): void;
}

function sampleOf(text: string): Fields {
  const words = collectionMessages.createDialog;
  let sample: unknown;
  try {
    sample = exactJson.parse(text);
  } catch (error) {
    throw new FormProblem("body", words.notJson((error as Error).message));
  }
  if (!isObject(sample)) throw new FormProblem("body", words.notObject);
  return sample;
}

/** Creates a collection, empty or from a sample, and opens it. */
export function NewCollection({ project, onClose }: DialogProps) {
  const words = collectionMessages.createDialog;
  const navigate = useNavigate();
  const [fromSample, setFromSample] = useState(false);
  const create = async ({ name = "", start, body = "" }: Values) => {
    const admin = adminOf(project.id);
    const sample = start === "sample" ? sampleOf(body) : undefined;
    await admin.createCollection({ name });
    if (sample) {
      try {
        await admin.setSchema(name, inferSchema(sample));
        await admin.adminCreateDocument(name, sample);
      } catch (error) {
        // Nothing half made is left, so that the form can be sent again.
        await admin.deleteCollection(name);
        throw error;
      }
    }
    await projectChanged(project.id);
    toast(words.done(name));
    onClose();
    await navigate({ to: "/p/$slug/data/$collection", params: { slug: project.slug, collection: name } });
  };
  return (
    <Dialog open onClose={onClose} title={collectionMessages.create} description={project.byo ? words.own : undefined}>
      <DialogForm label={collectionMessages.create} action={words.action} onSubmit={create} onClose={onClose}>
        <TextField label={words.name} name="name" hint={words.hint} autoComplete="off" autoCapitalize="none" mono />
        <div onChange={(event) => setFromSample((event.target as HTMLInputElement).value === "sample")}>
          <Choices
            label={words.start}
            name="start"
            initial="empty"
            choices={[
              { value: "empty", label: words.empty, hint: words.emptyHint },
              { value: "sample", label: words.sample, hint: words.sampleHint },
            ]}
          />
        </div>
        {fromSample && <CodeField label={words.body} name="body" defaultValue={'{\n  "title": "A first document"\n}'} />}
      </DialogForm>
    </Dialog>
  );
}

function Rename({ project, name, onClose }: DialogProps & { name: string }) {
  const words = collectionMessages.renameDialog;
  const navigate = useNavigate();
  const rename = async ({ to = "" }: Values) => {
    await adminOf(project.id).renameCollection(name, { to });
    onClose();
    await navigate({ to: "/p/$slug/data/$collection", params: { slug: project.slug, collection: to }, replace: true });
    await projectChanged(project.id);
    toast(words.done(to));
  };
  return (
    <Dialog open onClose={onClose} title={words.title(name)}>
      <DialogForm label={words.title(name)} action={words.action} onSubmit={rename} onClose={onClose}>
        <TextField label={words.name} name="to" hint={words.hint} defaultValue={name} autoComplete="off" autoCapitalize="none" mono />
      </DialogForm>
    </Dialog>
  );
}

function Remove({ project, name, onClose }: DialogProps & { name: string }) {
  const words = collectionMessages.removeDialog;
  const navigate = useNavigate();
  const { perms } = useProject();
  const { data: collections } = useQuery(collectionsOf(project.id, perms));
  const [drops, setDrops] = useState(false);
  const remove = async () => {
    await adminOf(project.id).deleteCollection(name, drops ? { data: "drop" } : {});
    await navigate({ to: "/p/$slug/data", params: { slug: project.slug }, replace: true });
    await projectChanged(project.id);
    toast(words.done(name));
  };
  return (
    <ConfirmDialog open danger title={words.title(name)} action={words.action} typed={name} onConfirm={remove} onClose={onClose}>
      {project.byo ? (
        <>
          <p>{drops ? words.dropText : words.ownText}</p>
          {owns(project) && <CheckboxField label={words.drop} name="drop" hint={words.dropHint} checked={drops} onChange={setDrops} />}
        </>
      ) : (
        words.text(collections?.find((one) => one.name === name)?.documents)
      )}
    </ConfirmDialog>
  );
}

/** What can be done with a whole collection. */
export function CollectionMenu({ project, name }: { project: Project; name: string }) {
  const [open, setOpen] = useState<"rename" | "remove">();
  const close = () => setOpen(undefined);
  return (
    <>
      <Menu
        trigger={
          <IconButton label={collectionMessages.more(name)}>
            <Ellipsis size={16} strokeWidth={1.75} aria-hidden />
          </IconButton>
        }
      >
        <MenuItem onClick={() => setOpen("rename")}>{collectionMessages.rename}</MenuItem>
        <MenuItem onClick={() => setOpen("remove")}>{collectionMessages.remove}</MenuItem>
      </Menu>
      {open === "rename" && <Rename project={project} name={name} onClose={close} />}
      {open === "remove" && <Remove project={project} name={name} onClose={close} />}
    </>
  );
}
