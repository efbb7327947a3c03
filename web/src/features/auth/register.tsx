import { useSuspenseQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { isError } from "manybase";
import { useState } from "react";
import { queryClient, setupStatus } from "../../app/queries";
import { Form, FormProblem } from "../../components/form/form";
import { Button } from "../../components/ui/button";
import { TextField } from "../../components/ui/field";
import { basePath } from "../../lib/server";
import { messages } from "../../messages";
import { control, session, withCookie } from "../../session";
import { Card, CardFooter } from "./card";
import { flow, useContinue, useRedirect } from "./flow";

const words = messages.auth;

interface Registered {
  email: string;
  password: string;
}

/** After a registration: the address is to be confirmed, and the person may continue at once. */
function RegisteredCard({ account }: { account: Registered }) {
  const proceed = useContinue();
  const navigate = useNavigate();
  const signIn = async () => {
    try {
      await proceed(await control.platformLogin(account, withCookie));
    } catch (error) {
      if (!isError(error, "INVALID_CREDENTIALS")) throw error;
      // The address had an account before.
      flow.email = account.email;
      await navigate({ to: "/sign-in" });
    }
  };
  return (
    <Card title={words.registered.title} text={words.registered.text(account.email)}>
      <p>{words.registered.now}</p>
      <Form label={words.registered.title} onSubmit={signIn}>
        {(busy) => (
          <Button type="submit" look="primary" wide busy={busy} autoFocus>
            {words.registered.action}
          </Button>
        )}
      </Form>
    </Card>
  );
}

export function RegisterPage() {
  const { data: status } = useSuspenseQuery(setupStatus);
  const [first] = useState(status.needsSetup);
  const redirect = useRedirect();
  const navigate = useNavigate();
  const [registered, setRegistered] = useState<Registered>();

  const submit = async ({ email = "", password = "", name = "", setupCode }: Record<string, string>) => {
    flow.email = email;
    try {
      await control.platformRegister({
        email,
        password,
        ...(name.trim() ? { name } : {}),
        ...(setupCode ? { setupCode: setupCode.trim() } : {}),
      });
    } catch (error) {
      const refused = isError(error, "FORBIDDEN") && error.details.length === 0;
      throw refused ? new FormProblem("", words.inviteOnly) : error;
    }
    await queryClient.invalidateQueries(setupStatus);
    if (!first) return setRegistered({ email, password });
    const response = await control.platformLogin({ email, password }, withCookie);
    if ("mfaRequired" in response) return void (await navigate({ to: "/sign-in" }));
    session.adopt(response);
    await navigate({ href: `${basePath}/?new=true` });
  };

  if (registered) return <RegisteredCard account={registered} />;
  return (
    <Card title={first ? words.first.title : words.registerTitle} text={first ? words.first.text : undefined}>
      <Form label={words.register} onSubmit={submit}>
        {(busy) => (
          <>
            <TextField label={words.optionalName} name="name" autoComplete="name" autoFocus />
            <TextField
              label={words.email}
              name="email"
              type="email"
              autoComplete="username"
              defaultValue={flow.email}
              required
            />
            <TextField
              label={words.password}
              name="password"
              type="password"
              autoComplete="new-password"
              hint={words.passwordRule}
              required
            />
            {first && status.setupCodeRequired && (
              <TextField
                label={words.first.setupCode}
                name="setupCode"
                hint={words.first.setupHint}
                autoComplete="off"
                autoCapitalize="none"
                spellCheck={false}
                mono
                required
              />
            )}
            <Button type="submit" look="primary" wide busy={busy}>
              {first ? words.first.action : words.register}
            </Button>
          </>
        )}
      </Form>
      {!first && (
        <CardFooter>
          {words.haveAccount}{" "}
          <Link to="/sign-in" search={redirect ? { redirect } : {}}>
            {words.signIn}
          </Link>
        </CardFooter>
      )}
    </Card>
  );
}
