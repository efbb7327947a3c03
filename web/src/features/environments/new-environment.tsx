import type { Project, ProjectWarning } from "manybase/control";
import { useState } from "react";
import { projects, queryClient } from "../../app/queries";
import { DialogForm } from "../../components/form/dialog-form";
import type { Values } from "../../components/form/form";
import { addressOf, withAddress } from "../../components/own-database/address";
import { Connected } from "../../components/own-database/connected";
import { OwnDatabasePart } from "../../components/own-database/own-database-part";
import { Button } from "../../components/ui/button";
import { ColourChoice } from "../../components/ui/colour-choice";
import { Dialog, DialogActions } from "../../components/ui/dialog";
import { TextField } from "../../components/ui/field";
import { isColour } from "../../components/ui/tile";
import { toast } from "../../components/ui/toast";
import { environmentsMessages as words } from "../../messages/environments";
import { control } from "../../session";
import styles from "./environments.module.css";
import { partedWarnings } from "./warnings";

/** What a new environment did not get. */
function Warnings({ of }: { of: readonly ProjectWarning[] }) {
  return (
    <ul aria-label={words.notCopied} className={styles["warnings"]}>
      {of.map(({ message }) => (
        <li key={message}>
          <bdi>{message}</bdi>
        </li>
      ))}
    </ul>
  );
}

/** Creates an environment, here or on its owner's database, and shows what was not copied. */
export function NewEnvironment({ open, root, onClose }: { open: boolean; root: Project; onClose(): void }) {
  const [made, setMade] = useState<Project>();
  const create = async (values: Values) => {
    const { environment = "", color } = values;
    const mongoUrl = addressOf(values);
    const creation = control.createEnvironment(root.id, {
      environment: environment.trim(),
      ...(isColour(color) ? { color } : {}),
      ...(mongoUrl === undefined ? {} : { mongoUrl }),
    });
    const { project } = await withAddress(creation);
    await queryClient.invalidateQueries(projects);
    if (project.byo || project.warnings?.length) return setMade(project);
    toast(words.created(environment));
    onClose();
  };
  const close = () => {
    setMade(undefined);
    onClose();
  };
  if (made?.byo) {
    const [notCopied, ofDatabase] = partedWarnings(made.warnings ?? []);
    return (
      <Connected project={made} warnings={ofDatabase} onClose={close}>
        {notCopied.length > 0 && (
          <>
            <p>{words.warningsText}</p>
            <Warnings of={notCopied} />
          </>
        )}
      </Connected>
    );
  }
  if (made) {
    return (
      <Dialog key="made" open onClose={close} title={words.warningsTitle(made.environment ?? made.name)} description={words.warningsText}>
        <Warnings of={made.warnings ?? []} />
        <DialogActions>
          <Button look="primary" onClick={close} data-first>
            {words.understood}
          </Button>
        </DialogActions>
      </Dialog>
    );
  }
  return (
    <Dialog open={open} onClose={onClose} title={words.createTitle} description={words.createText}>
      <DialogForm label={words.createTitle} action={words.action} onSubmit={create} onClose={onClose}>
        <TextField label={words.label} name="environment" hint={words.labelHint} autoComplete="off" autoCapitalize="none" mono />
        <ColourChoice label={words.colour} name="color" of={root.name} initial={null} />
        <OwnDatabasePart />
      </DialogForm>
    </Dialog>
  );
}
