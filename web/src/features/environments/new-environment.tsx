import type { Project } from "manybase/control";
import { useState } from "react";
import { projects, queryClient } from "../../app/queries";
import { DialogForm } from "../../components/form/dialog-form";
import type { Values } from "../../components/form/form";
import { Button } from "../../components/ui/button";
import { ColourChoice } from "../../components/ui/colour-choice";
import { Dialog, DialogActions } from "../../components/ui/dialog";
import { TextField } from "../../components/ui/field";
import { isColour } from "../../components/ui/tile";
import { toast } from "../../components/ui/toast";
import { environmentsMessages as words } from "../../messages/environments";
import { control } from "../../session";
import styles from "./environments.module.css";

/** Creates an environment, and shows what was not copied. */
export function NewEnvironment({ open, root, onClose }: { open: boolean; root: Project; onClose(): void }) {
  const [made, setMade] = useState<Project>();
  const create = async ({ environment = "", color }: Values) => {
    const { project } = await control.createEnvironment(root.id, {
      environment: environment.trim(),
      ...(isColour(color) ? { color } : {}),
    });
    await queryClient.invalidateQueries(projects);
    if (project.warnings?.length) return setMade(project);
    toast(words.created(environment));
    onClose();
  };
  const close = () => {
    setMade(undefined);
    onClose();
  };
  if (made) {
    return (
      <Dialog key="made" open onClose={close} title={words.warningsTitle(made.environment ?? made.name)} description={words.warningsText}>
        <ul className={styles["warnings"]}>
          {made.warnings?.map((warning) => (
            <li key={warning.message}>
              <bdi>{warning.message}</bdi>
            </li>
          ))}
        </ul>
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
      </DialogForm>
    </Dialog>
  );
}
