import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { messages } from "../../messages";
import { control } from "../../session";
import { Card, CardFooter, CardForm, EmailField } from "./card";
import { flow, useTarget } from "./flow";

const words = messages.auth.forgotPage;

export function ForgotPage() {
  const target = useTarget();
  const [sentTo, setSentTo] = useState<string>();
  const submit = async ({ email = "" }: Record<string, string>) => {
    flow.email = email;
    await control.platformRequestPasswordReset({ email });
    setSentTo(email);
  };
  return (
    <Card title={words.title} text={sentTo === undefined ? words.text : undefined}>
      {sentTo === undefined ? (
        <CardForm label={words.title} action={words.action} onSubmit={submit}>
          <EmailField autoFocus />
        </CardForm>
      ) : (
        <p role="status">{words.sent(sentTo)}</p>
      )}
      <CardFooter>
        <Link to="/sign-in" search={target}>
          {words.back}
        </Link>
      </CardFooter>
    </Card>
  );
}
