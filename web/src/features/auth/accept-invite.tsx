import { Link } from "@tanstack/react-router";
import { FormProblem, type Values } from "../../components/form/form";
import { TextField } from "../../components/ui/field";
import { messages } from "../../messages";
import { inviteMessages as words } from "../../messages/invite";
import { control } from "../../session";
import { Card, CardFooter, CardForm } from "./card";
import { useArrive, useSecondFactor } from "./flow";
import { inviteToken } from "./invite";

/** Makes the account of an invited address, and signs it in. */
export function AcceptInvitePage() {
  const arrive = useArrive();
  const secondFactor = useSecondFactor();
  const accept = async ({ token = "", password = "", name = "" }: Values) => {
    const read = inviteToken(token);
    if (read === undefined) throw new FormProblem("token", words.noLink);
    const accepted = await control.acceptInvite({ token: read, password, ...(name.trim() ? { name } : {}) });
    if (!("mfaRequired" in accepted)) return arrive();
    const { mfaToken } = accepted;
    return secondFactor((code) => control.platformVerifySecondFactor({ mfaToken, code }));
  };
  return (
    <Card title={words.title} text={words.text}>
      <CardForm label={words.title} action={words.action} onSubmit={accept}>
        <TextField label={words.link} name="token" hint={words.linkHint} autoComplete="off" spellCheck={false} mono autoFocus />
        <TextField label={messages.auth.optionalName} name="name" autoComplete="name" />
        <TextField
          label={messages.auth.password}
          name="password"
          type="password"
          autoComplete="new-password"
          hint={messages.auth.passwordRule}
          required
        />
      </CardForm>
      <CardFooter>
        <Link to="/sign-in">{words.back}</Link>
      </CardFooter>
    </Card>
  );
}
