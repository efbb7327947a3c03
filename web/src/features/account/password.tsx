import { isError } from "manybase";
import { useState } from "react";
import { queryClient } from "../../app/queries";
import { DialogForm } from "../../components/form/dialog-form";
import { FormProblem, type Values } from "../../components/form/form";
import { Button } from "../../components/ui/button";
import { Dialog } from "../../components/ui/dialog";
import { TextField } from "../../components/ui/field";
import { Panel, PanelBody } from "../../components/ui/panel";
import { toast } from "../../components/ui/toast";
import { messages } from "../../messages";
import { control } from "../../session";
import { sessions } from "./sessions";
import styles from "./account.module.css";

const words = messages.account.password;

/** Changes the password of who is signed in. */
export function Password({ email }: { email: string }) {
  const [open, setOpen] = useState(false);
  const close = () => setOpen(false);
  const change = async ({ current = "", password = "" }: Values) => {
    try {
      await control.platformChangePassword({ current, password });
    } catch (error) {
      if (isError(error, "INVALID_CREDENTIALS")) throw new FormProblem("current", words.wrong);
      throw error;
    }
    close();
    toast(words.changed);
    await queryClient.invalidateQueries(sessions);
  };
  return (
    <Panel title={words.title}>
      <PanelBody>
        <div className={styles["between"]}>
          <p className={styles["secondary"]}>{words.text}</p>
          <Button onClick={() => setOpen(true)}>{words.change}</Button>
        </div>
      </PanelBody>
      {open && (
        <Dialog open onClose={close} title={words.change}>
          <DialogForm label={words.change} action={words.change} onSubmit={change} onClose={close} passing>
            <TextField label={words.current} name="current" type="password" autoComplete="current-password" />
            {/* For a manager of passwords, which keeps the new one with it. */}
            <input type="email" name="username" autoComplete="username" value={email} readOnly hidden />
            <TextField label={words.next} name="password" type="password" autoComplete="new-password" hint={words.nextHint} />
          </DialogForm>
        </Dialog>
      )}
    </Panel>
  );
}
