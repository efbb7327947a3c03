import { useState } from "react";
import { adminOf } from "../../app/queries";
import { ConfirmDialog } from "../../components/form/confirm-dialog";
import { Button } from "../../components/ui/button";
import { toast } from "../../components/ui/toast";
import { functionMessages } from "../../messages/functions";
import { refresh } from "./queries";

const words = functionMessages.one;

/** Turns a flow into its code, after a question. `onDone` is called once it is code. */
export function ToCode({ projectId, name, onDone }: { projectId: string; name: string; onDone?(): Promise<void> }) {
  const [open, setOpen] = useState(false);
  const turn = async () => {
    await adminOf(projectId).updateFunction(name, { flow: null });
    await onDone?.();
    await refresh(projectId);
    toast(words.flowDone);
  };
  return (
    <>
      <Button onClick={() => setOpen(true)}>{words.flowToCode}</Button>
      <ConfirmDialog open={open} title={words.flowTitle} action={words.flowAction} onConfirm={turn} onClose={() => setOpen(false)}>
        {words.flowConfirm}
      </ConfirmDialog>
    </>
  );
}
