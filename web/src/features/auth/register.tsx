import { useSuspenseQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { isError } from "manybase";
import { useState } from "react";
import { queryClient, setupStatus } from "../../app/queries";
import { FormProblem } from "../../components/form/form";
import { TextField } from "../../components/ui/field";
import { basePath } from "../../lib/server";
import { messages } from "../../messages";
import { control } from "../../session";
import { Card, CardFooter, CardForm, EmailField } from "./card";
import { flow, useSignIn, useTarget } from "./flow";

const words = messages.auth;

interface Registered {
  email: string;
  password: string;
}

/** After a registration: the address is to be confirmed, and the person may continue at once. */
function RegisteredCard({ account }: { account: Registered }) {
  const signIn = useSignIn();
  const navigate = useNavigate();
  const proceed = async () => {
    try {
      await signIn(account);
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
      <CardForm label={words.registered.title} action={words.registered.action} onSubmit={proceed} />
    </Card>
  );
}

export function RegisterPage() {
  const { data: status } = useSuspenseQuery(setupStatus);
  const [first] = useState(status.needsSetup);
  const target = useTarget();
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
    const accepted = await control.platformLogin({ email, password });
    if ("mfaRequired" in accepted) return void (await navigate({ to: "/sign-in" }));
    await navigate({ href: `${basePath}/?new=true` });
  };

  if (registered) return <RegisteredCard account={registered} />;
  return (
    <Card title={first ? words.first.title : words.registerTitle} text={first ? words.first.text : undefined}>
      <CardForm label={words.register} action={first ? words.first.action : words.register} onSubmit={submit}>
        <TextField label={words.optionalName} name="name" autoComplete="name" autoFocus />
        <EmailField />
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
      </CardForm>
      {!first && (
        <CardFooter>
          {words.haveAccount}{" "}
          <Link to="/sign-in" search={target}>
            {words.signIn}
          </Link>
          <br />
          <Link to="/accept-invite">{words.haveInvite}</Link>
        </CardFooter>
      )}
    </Card>
  );
}
