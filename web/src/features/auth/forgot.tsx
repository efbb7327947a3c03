import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { Form } from "../../components/form/form";
import { Button } from "../../components/ui/button";
import { TextField } from "../../components/ui/field";
import { messages } from "../../messages";
import { control } from "../../session";
import { Card, CardFooter } from "./card";
import { flow, useRedirect } from "./flow";

const words = messages.auth.forgotPage;

export function ForgotPage() {
  const redirect = useRedirect();
  const [sentTo, setSentTo] = useState<string>();
  const submit = async ({ email = "" }: Record<string, string>) => {
    flow.email = email;
    await control.platformRequestPasswordReset({ email });
    setSentTo(email);
  };
  return (
    <Card title={words.title} text={sentTo === undefined ? words.text : undefined}>
      {sentTo === undefined ? (
        <Form label={words.title} onSubmit={submit}>
          {(busy) => (
            <>
              <TextField
                label={messages.auth.email}
                name="email"
                type="email"
                autoComplete="username"
                defaultValue={flow.email}
                autoFocus
                required
              />
              <Button type="submit" look="primary" wide busy={busy}>
                {words.action}
              </Button>
            </>
          )}
        </Form>
      ) : (
        <p role="status">{words.sent(sentTo)}</p>
      )}
      <CardFooter>
        <Link to="/sign-in" search={redirect ? { redirect } : {}}>
          {words.back}
        </Link>
      </CardFooter>
    </Card>
  );
}
