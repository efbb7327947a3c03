import { useNavigate } from "@tanstack/react-router";
import { isError } from "manybase";
import { useState } from "react";
import { adminOf } from "../../app/queries";
import { DialogForm } from "../../components/form/dialog-form";
import { FormProblem, type Values } from "../../components/form/form";
import { Button } from "../../components/ui/button";
import { CheckboxField } from "../../components/ui/checkbox";
import { Dialog } from "../../components/ui/dialog";
import { TextField } from "../../components/ui/field";
import { SecretDialog } from "../../components/ui/secret-once";
import { toast } from "../../components/ui/toast";
import { usersMessages } from "../../messages/users";
import { usersChanged } from "./api";
import { makePassword } from "./password";
import styles from "./users.module.css";

const words = usersMessages.form;

interface Created {
  id: string;
  password: string;
}

function ShowPassword({ password, onClose }: { password: string; onClose(): void }) {
  const { title, hint, finished, password: label } = usersMessages.issued;
  return (
    <SecretDialog title={title} label={label} value={password} hint={hint} finished={finished} onClose={onClose} />
  );
}

/** Creates a user, shows a password that was generated once, and opens the user. */
export function NewUser({ projectId, slug, onClose }: { projectId: string; slug: string; onClose(): void }) {
  const navigate = useNavigate();
  const [password, setPassword] = useState("");
  const [generated, setGenerated] = useState("");
  const [created, setCreated] = useState<Created>();
  const open = (user: string) => void navigate({ to: "/p/$slug/users/$user", params: { slug, user } });
  const generate = () => {
    const made = makePassword();
    setPassword(made);
    setGenerated(made);
  };

  const create = async (values: Values) => {
    const { email = "", name = "" } = values;
    try {
      const { user } = await adminOf(projectId).createUser({
        email,
        password,
        emailVerified: values["emailVerified"] === "on",
        ...(name.trim() ? { name } : {}),
      });
      toast(words.done(user.email));
      await usersChanged(projectId);
      if (password === generated) setCreated({ id: user.id, password });
      else open(user.id);
    } catch (error) {
      if (isError(error, "EMAIL_TAKEN")) throw new FormProblem("email", error.message);
      throw error;
    }
  };

  if (created) return <ShowPassword password={created.password} onClose={() => open(created.id)} />;
  return (
    <Dialog open onClose={onClose} title={words.title}>
      <DialogForm label={words.title} action={words.action} onSubmit={create} onClose={onClose}>
        <TextField label={words.email} name="email" type="email" autoComplete="off" />
        <TextField label={words.name} name="name" autoComplete="off" />
        <div className={styles["password"]}>
          <TextField
            label={words.password}
            name="password"
            type={password && password === generated ? "text" : "password"}
            hint={words.passwordHint}
            autoComplete="new-password"
            spellCheck={false}
            mono
            value={password}
            onChange={(event) => setPassword(event.target.value)}
          />
          <Button onClick={generate}>{words.generate}</Button>
        </div>
        <CheckboxField name="emailVerified" label={words.verified} hint={words.verifiedHint} />
      </DialogForm>
    </Dialog>
  );
}
