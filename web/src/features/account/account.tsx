import { useSuspenseQuery } from "@tanstack/react-query";
import { useState } from "react";
import { me } from "../../app/queries";
import { Page } from "../../components/shell/page";
import { ShowCall } from "../../components/shell/show-call";
import { wordsOf } from "../../components/states/problem";
import { Alert } from "../../components/states/alert";
import { Badge } from "../../components/ui/badge";
import { Button } from "../../components/ui/button";
import { CheckboxField } from "../../components/ui/checkbox";
import { Choices } from "../../components/ui/field";
import { Panel, PanelBody } from "../../components/ui/panel";
import { Avatar } from "../../components/ui/tile";
import { toast } from "../../components/ui/toast";
import { formatMoment } from "../../lib/format";
import { chooseScheme, schemeChoice, type SchemeChoice } from "../../lib/scheme";
import { chooseLetters, lettersOn } from "../../lib/shortcuts";
import { messages } from "../../messages";
import { paletteMessages } from "../../messages/palette";
import { control } from "../../session";
import { Password } from "./password";
import { Mails } from "./mails";
import { Providers } from "./providers";
import { SecondFactor } from "./second-factor";
import { Sessions } from "./sessions";
import styles from "./account.module.css";

const words = messages.account;

function Unverified({ email }: { email: string }) {
  const [sent, setSent] = useState(false);
  const send = async () => {
    try {
      await control.platformRequestVerification({ email });
      setSent(true);
      toast(words.sent(email));
    } catch (error) {
      toast(wordsOf(error));
    }
  };
  return (
    <Alert tone="warn">
      {words.unverified}{" "}
      {!sent && (
        <Button small onClick={() => void send()}>
          {words.sendAgain}
        </Button>
      )}
    </Alert>
  );
}

/** Light, dark or the system's. */
function Colours() {
  const [initial] = useState(schemeChoice);
  return (
    <Panel title={words.colours.title}>
      <PanelBody>
        <div className={styles["colours"]} onChange={(event) => chooseScheme((event.target as HTMLInputElement).value as SchemeChoice)}>
          <Choices
            label={words.colours.text}
            name="scheme"
            initial={initial}
            choices={(["light", "dark", "system"] as const).map((value) => ({
              value,
              label: messages.shell.schemes[value],
            }))}
          />
        </div>
      </PanelBody>
    </Panel>
  );
}

/** Whether single letters are shortcuts. */
function Letters() {
  const [on, setOn] = useState(lettersOn);
  const { title, label, hint } = paletteMessages.letters;
  const choose = (next: boolean) => {
    chooseLetters(next);
    setOn(next);
  };
  return (
    <Panel title={title}>
      <PanelBody>
        <CheckboxField name="letters" label={label} hint={hint} checked={on} onChange={choose} />
      </PanelBody>
    </Panel>
  );
}

export function AccountPage() {
  const { data } = useSuspenseQuery(me);
  const { user } = data;
  return (
    <Page
      narrow
      title={words.title}
      actions={
        <ShowCall
          calls={[
            { title: words.title, method: "GET", path: "/control/me", sdk: "const { user, memberships } = await control.me();" },
            {
              title: words.sessions.title,
              method: "GET",
              path: "/control/auth/sessions",
              sdk: "const { sessions } = await control.platformListSessions();",
            },
          ]}
        />
      }
    >
      <section className={styles["person"]}>
        <Avatar name={user.name || user.email} />
        <div>
          <p className={styles["name"]}>
            <b>
              <bdi>{user.name || user.email}</bdi>
            </b>
            {user.platformRole === "super-admin" && <Badge tone="info">{words.superAdmin}</Badge>}
          </p>
          <p className={styles["secondary"]}>
            <bdi>{user.email}</bdi> · {words.since(formatMoment(user.createdAt))}
          </p>
        </div>
      </section>
      {!user.emailVerified && <Unverified email={user.email} />}
      <Password email={user.email} />
      <SecondFactor enabled={user.mfaEnabled} />
      <Sessions />
      <Providers />
      <Mails />
      <Colours />
      <Letters />
    </Page>
  );
}
