import { Navigate, useNavigate } from "@tanstack/react-router";
import { isError } from "manybase";
import { useState } from "react";
import { FormProblem } from "../../components/form/form";
import { Button } from "../../components/ui/button";
import { TextField } from "../../components/ui/field";
import { messages } from "../../messages";
import { Card, CardForm } from "./card";
import { flow, useArrive, useTarget } from "./flow";

const words = messages.auth.secondFactor;
const digits = 6;

export function SecondFactorPage() {
  const search = useTarget();
  const [verify] = useState(() => flow.verify);
  const [recovery, setRecovery] = useState(false);
  const arrive = useArrive();
  const navigate = useNavigate();
  if (!verify) return <Navigate to="/sign-in" search={search} replace />;

  const submit = async ({ code = "" }: Record<string, string>) => {
    try {
      await verify(code.trim());
      await arrive();
    } catch (error) {
      if (isError(error, "INVALID_CREDENTIALS")) throw new FormProblem("code", words.wrong);
      if (!isError(error, "UNAUTHENTICATED")) throw error;
      flow.verify = undefined;
      flow.notice = words.late;
      await navigate({ to: "/sign-in", search });
    }
  };

  return (
    <Card title={words.title} text={recovery ? words.recoveryText : words.text}>
      <CardForm key={String(recovery)} label={words.title} action={words.action} onSubmit={submit}>
        <TextField
          label={recovery ? words.recovery : words.code}
          name="code"
          inputMode={recovery ? "text" : "numeric"}
          autoComplete={recovery ? "off" : "one-time-code"}
          autoCapitalize="none"
          spellCheck={false}
          mono
          autoFocus
          required
          onPaste={(event) => {
            // A code is complete once it is pasted.
            const text = event.clipboardData.getData("text").replace(/\s/g, "");
            if (recovery || !new RegExp(`^\\d{${digits}}$`).test(text)) return;
            event.preventDefault();
            event.currentTarget.value = text;
            event.currentTarget.form?.requestSubmit();
          }}
        />
      </CardForm>
      <Button look="quiet" wide onClick={() => setRecovery(!recovery)}>
        {recovery ? words.useApp : words.useRecovery}
      </Button>
    </Card>
  );
}
