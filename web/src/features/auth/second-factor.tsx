import { Navigate, useNavigate } from "@tanstack/react-router";
import { isError } from "manybase";
import { useState } from "react";
import { Form, FormProblem } from "../../components/form/form";
import { Button } from "../../components/ui/button";
import { TextField } from "../../components/ui/field";
import { messages } from "../../messages";
import { control, withCookie } from "../../session";
import { Card } from "./card";
import { flow, useContinue, useRedirect } from "./flow";

const words = messages.auth.secondFactor;
const digits = 6;

export function SecondFactorPage() {
  const redirect = useRedirect();
  const search = redirect ? { redirect } : {};
  const [mfaToken] = useState(flow.mfaToken);
  const [recovery, setRecovery] = useState(false);
  const proceed = useContinue();
  const navigate = useNavigate();
  if (!mfaToken) return <Navigate to="/sign-in" search={search} replace />;

  const submit = async ({ code = "" }: Record<string, string>) => {
    try {
      await proceed(await control.platformVerifySecondFactor({ mfaToken, code: code.trim() }, withCookie));
    } catch (error) {
      if (isError(error, "INVALID_CREDENTIALS")) throw new FormProblem("code", words.wrong);
      if (!isError(error, "UNAUTHENTICATED")) throw error;
      flow.mfaToken = undefined;
      flow.notice = words.late;
      await navigate({ to: "/sign-in", search });
    }
  };

  return (
    <Card title={words.title} text={recovery ? words.recoveryText : words.text}>
      <Form key={String(recovery)} label={words.title} onSubmit={submit}>
        {(busy) => (
          <>
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
            <Button type="submit" look="primary" wide busy={busy}>
              {words.action}
            </Button>
          </>
        )}
      </Form>
      <Button look="quiet" wide onClick={() => setRecovery(!recovery)}>
        {recovery ? words.useApp : words.useRecovery}
      </Button>
    </Card>
  );
}
