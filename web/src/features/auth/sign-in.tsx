import { useSuspenseQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { isError } from "manybase";
import { useEffect, useRef, useState } from "react";
import { setupStatus } from "../../app/queries";
import { Form, FormProblem } from "../../components/form/form";
import { Alert } from "../../components/states/alert";
import { ProblemText } from "../../components/states/problem";
import { Button, ButtonAnchor } from "../../components/ui/button";
import { TextField } from "../../components/ui/field";
import { providerLabel } from "../../lib/format";
import { basePath } from "../../lib/server";
import { messages } from "../../messages";
import { control, session, withCookie } from "../../session";
import { Card, CardFooter } from "./card";
import { flow, providerAddress, rememberProvider, takeFragment, useContinue, useRedirect } from "./flow";
import styles from "./card.module.css";

const words = messages.auth;

/** Ends a provider's sign-in, whose result is in the address; gives what went wrong. */
function useProviderResult(): unknown {
  const navigate = useNavigate();
  const [problem, setProblem] = useState<unknown>();
  const done = useRef(false);
  useEffect(() => {
    if (done.current) return;
    done.current = true;
    const taken = takeFragment();
    if (!taken) return;
    const { values, redirect } = taken;
    const reason = values.get("mb_error");
    const mfa = values.get("mb_mfa");
    const refresh = values.get("mb_refresh");
    if (reason) setProblem(new Error(words.reasons[reason] ?? words.reasonUnknown));
    else if (mfa) {
      flow.mfaToken = mfa;
      void navigate({ to: "/second-factor", search: redirect && redirect !== "/" ? { redirect } : {} });
    } else if (refresh) {
      session.adoptRefreshToken(refresh).then(() => navigate({ href: basePath + (redirect ?? "/") }), setProblem);
    }
  }, [navigate]);
  return problem;
}

export function SignInPage() {
  const { data: status } = useSuspenseQuery(setupStatus);
  const redirect = useRedirect();
  const search = redirect ? { redirect } : {};
  const proceed = useContinue();
  const problem = useProviderResult();
  const [notice] = useState(() => flow.notice);
  useEffect(() => void (flow.notice = undefined), []);

  const submit = async ({ email = "", password = "" }: Record<string, string>) => {
    flow.email = email;
    try {
      await proceed(await control.platformLogin({ email, password }, withCookie));
    } catch (error) {
      throw isError(error, "INVALID_CREDENTIALS") ? new FormProblem("", words.wrong) : error;
    }
  };

  return (
    <Card title={words.signInTitle}>
      {notice !== undefined && <Alert tone="warn">{notice}</Alert>}
      {problem !== undefined && (
        <Alert>
          <ProblemText error={problem} />
        </Alert>
      )}
      {status.oauthProviders.length > 0 && (
        <>
          <div className={styles["providers"]}>
            {status.oauthProviders.map((provider) => (
              <ButtonAnchor key={provider} wide href={providerAddress(provider)} onClick={() => rememberProvider(redirect)}>
                {words.withProvider(providerLabel(provider))}
              </ButtonAnchor>
            ))}
          </div>
          <div className={styles["or"]}>{words.or}</div>
        </>
      )}
      <Form label={words.signIn} onSubmit={submit}>
        {(busy) => (
          <>
            <TextField
              label={words.email}
              name="email"
              type="email"
              autoComplete="username"
              defaultValue={flow.email}
              autoFocus
              required
            />
            <TextField label={words.password} name="password" type="password" autoComplete="current-password" required />
            <Button type="submit" look="primary" wide busy={busy}>
              {words.signIn}
            </Button>
          </>
        )}
      </Form>
      <CardFooter>
        <Link to="/forgot" search={search}>
          {words.forgot}
        </Link>
      </CardFooter>
      <CardFooter>
        {words.noAccount}{" "}
        <Link to="/register" search={search}>
          {words.register}
        </Link>
      </CardFooter>
    </Card>
  );
}
