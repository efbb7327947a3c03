import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { useState } from "react";
import { me, queryClient, setupStatus } from "../../app/queries";
import { wordsOf } from "../../components/states/problem";
import { Panel, PanelBody } from "../../components/ui/panel";
import { Switch } from "../../components/ui/switch";
import { toast } from "../../components/ui/toast";
import { messages } from "../../messages";
import { control } from "../../session";
import styles from "./account.module.css";

const words = messages.account.mails;

/** Whether limits that are near or reached are mailed; absent without billing. */
export function Mails() {
  const { data: self } = useSuspenseQuery(me);
  const { data: server } = useQuery(setupStatus);
  const [busy, setBusy] = useState(false);
  if (!server?.billingEnabled || self.notifyLimits === undefined) return null;
  const change = async (notifyLimits: boolean) => {
    setBusy(true);
    try {
      await control.updateMe({ notifyLimits });
      await queryClient.invalidateQueries(me);
      toast(notifyLimits ? words.on : words.off);
    } catch (error) {
      toast(wordsOf(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <Panel title={words.title}>
      <PanelBody>
        <div className={styles["between"]}>
          <p className={styles["secondary"]}>{words.text}</p>
          <Switch label={words.switch} checked={self.notifyLimits} busy={busy} onChange={(on) => void change(on)} />
        </div>
      </PanelBody>
    </Panel>
  );
}
