import { useSuspenseQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { isError } from "manybase";
import { useEffect, useRef, useState } from "react";
import { setupStatus } from "../../app/queries";
import { FormProblem } from "../../components/form/form";
import { Alert } from "../../components/states/alert";
import { ProblemText } from "../../components/states/problem";
import { Button } from "../../components/ui/button";
import { TextField } from "../../components/ui/field";
import { providerLabel } from "../../lib/format";
import { messages } from "../../messages";
import { control } from "../../session";
import { Card, CardFooter, CardForm, EmailField } from "./card";
import { flow, openProvider, useArrive, useSecondFactor, useSignIn, useTarget } from "./flow";
import styles from "./card.module.css";

const words = messages.auth;

/** Ends a provider's sign-in, whose result is in the address; gives what went wrong. */
function useProviderResult(): unknown {
  const arrive = useArrive();
  const askFactor = useSecondFactor();
  const [problem, setProblem] = useState<unknown>();
  const done = useRef(false);
  useEffect(() => {
    if (done.current) return;
    done.current = true;
    const complete = async () => {
      const result = await control.completeOauth();
      if (result) await (result.mfa ? askFactor(result.mfa.verify) : arrive());
    };
    complete().catch((error: unknown) => {
      const refused = isError(error, "OAUTH_FAILED");
      setProblem(refused ? new Error(words.reasons[error.message] ?? words.reasonUnknown) : error);
    });
  }, [arrive, askFactor]);
  return problem;
}

export function SignInPage() {
  const { data: status } = useSuspenseQuery(setupStatus);
  const target = useTarget();
  const signIn = useSignIn();
  const problem = useProviderResult();
  const [notice] = useState(() => flow.notice);
  useEffect(() => void (flow.notice = undefined), []);

  const submit = async ({ email = "", password = "" }: Record<string, string>) => {
    flow.email = email;
    try {
      await signIn({ email, password });
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
              <Button key={provider} wide onClick={() => openProvider(provider, target)}>
                {words.withProvider(providerLabel(provider))}
              </Button>
            ))}
          </div>
          <div className={styles["or"]}>{words.or}</div>
        </>
      )}
      <CardForm label={words.signIn} onSubmit={submit}>
        <EmailField autoFocus />
        <TextField label={words.password} name="password" type="password" autoComplete="current-password" required />
      </CardForm>
      <CardFooter>
        <Link to="/forgot" search={target}>
          {words.forgot}
        </Link>
      </CardFooter>
      <CardFooter>
        {words.noAccount}{" "}
        <Link to="/register" search={target}>
          {words.register}
        </Link>
      </CardFooter>
    </Card>
  );
}
