import { isError } from "manybase";
import type { TotpEnrollment } from "manybase/control";
import { useState } from "react";
import { me, queryClient } from "../../app/queries";
import { DialogForm } from "../../components/form/dialog-form";
import { FormProblem, type Values } from "../../components/form/form";
import { wordsOf } from "../../components/states/problem";
import { Badge } from "../../components/ui/badge";
import { Button, ButtonAnchor } from "../../components/ui/button";
import { CopyButton } from "../../components/ui/copy-button";
import { Dialog, DialogActions } from "../../components/ui/dialog";
import { TextField } from "../../components/ui/field";
import { Panel, PanelBody } from "../../components/ui/panel";
import { Snippet } from "../../components/ui/snippet";
import { toast } from "../../components/ui/toast";
import { messages } from "../../messages";
import { control } from "../../session";
import styles from "./account.module.css";

const words = messages.account.factor;

/** Runs a call with a code; a wrong code is an error at its field. */
async function withCode<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    if (isError(error, "INVALID_CREDENTIALS")) throw new FormProblem("code", messages.auth.secondFactor.wrong);
    throw error;
  }
}

function CodeInput({ label }: { label: string }) {
  return <TextField label={label} name="code" autoComplete="one-time-code" autoCapitalize="none" spellCheck={false} mono />;
}

/** The key for the app, then the code that shows that it works, then the recovery codes. */
function SwitchOn({ enrollment, onClose }: { enrollment: TotpEnrollment; onClose(): void }) {
  const [codes, setCodes] = useState<string[]>();
  const activate = async ({ code = "" }: Values) => {
    const { recoveryCodes } = await withCode(control.platformActivateTotp({ code: code.trim() }));
    setCodes(recoveryCodes);
    await queryClient.invalidateQueries(me);
  };
  if (codes) {
    return (
      <Dialog open onClose={onClose} title={words.codesTitle} description={words.codesText}>
        <Snippet title={words.codes} forms={[{ label: words.codesTitle, text: codes.join("\n") }]} />
        <DialogActions>
          <Button look="primary" onClick={onClose} data-first>
            {words.finished}
          </Button>
        </DialogActions>
      </Dialog>
    );
  }
  return (
    <Dialog open onClose={onClose} title={words.enrollTitle} description={words.enrollText}>
      <div>
        <p className={styles["secondary"]}>{words.secret}</p>
        <div className={styles["secret"]}>
          <code>{enrollment.secret}</code>
          <CopyButton text={enrollment.secret} label={words.copySecret} />
        </div>
      </div>
      <ButtonAnchor href={enrollment.otpauthUrl}>{words.openApp}</ButtonAnchor>
      <DialogForm label={words.enrollTitle} action={words.switchOn} onSubmit={activate} onClose={onClose}>
        <CodeInput label={words.code} />
      </DialogForm>
    </Dialog>
  );
}

function SwitchOff({ onClose }: { onClose(): void }) {
  const disable = async ({ code = "" }: Values) => {
    await withCode(control.platformDisableTotp({ code: code.trim() }));
    await queryClient.invalidateQueries(me);
    toast(words.isOff);
    onClose();
  };
  return (
    <Dialog open onClose={onClose} title={words.offTitle} description={words.offDescription}>
      <DialogForm label={words.offTitle} action={words.switchOff} danger onSubmit={disable} onClose={onClose}>
        <CodeInput label={messages.auth.secondFactor.code} />
      </DialogForm>
    </Dialog>
  );
}

export function SecondFactor({ enabled }: { enabled: boolean }) {
  const [enrollment, setEnrollment] = useState<TotpEnrollment>();
  const [off, setOff] = useState(false);
  const enroll = async () => {
    try {
      setEnrollment(await control.platformEnrollTotp());
    } catch (error) {
      toast(wordsOf(error));
    }
  };
  return (
    <Panel title={words.title} aside={<Badge tone={enabled ? "good" : "plain"}>{enabled ? words.on : words.off}</Badge>}>
      <PanelBody>
        <div className={styles["between"]}>
          <p className={styles["secondary"]}>{enabled ? words.onText : words.offText}</p>
          {enabled ? (
            <Button look="danger" onClick={() => setOff(true)}>
              {words.switchOff}
            </Button>
          ) : (
            <Button onClick={() => void enroll()}>{words.switchOn}</Button>
          )}
        </div>
      </PanelBody>
      {enrollment && <SwitchOn enrollment={enrollment} onClose={() => setEnrollment(undefined)} />}
      {off && <SwitchOff onClose={() => setOff(false)} />}
    </Panel>
  );
}
