import { useBlocker } from "@tanstack/react-router";
import { messages } from "../../messages";
import { Button } from "../ui/button";
import { Dialog, DialogActions } from "../ui/dialog";

interface Address {
  pathname: string;
  search: object;
}

interface LeaveGuardProps {
  when: boolean | (() => boolean);
  /** What of an address is the place that is left; without it the path, so that a tab of the same screen loses nothing. */
  place?(address: Address): string;
  /** Saves what can be saved before the question. */
  save?(): Promise<void>;
}

const pathOf = ({ pathname }: Address) => pathname;

/** A question before another screen takes the place of changes that are not saved, while `when` holds. */
export function LeaveGuard({ when, place = pathOf, save }: LeaveGuardProps) {
  const changed = () => (typeof when === "function" ? when() : when);
  const blocker = useBlocker({
    shouldBlockFn: async ({ current, next }) => {
      if (place(current) === place(next) || !changed()) return false;
      await save?.();
      return changed();
    },
    enableBeforeUnload: changed,
    withResolver: true,
  });
  if (blocker.status !== "blocked") return null;
  return (
    <Dialog open onClose={blocker.reset} title={messages.leave.title} description={messages.leave.form}>
      <DialogActions>
        <Button data-first onClick={blocker.reset}>
          {messages.leave.stay}
        </Button>
        <Button look="danger-filled" onClick={blocker.proceed}>
          {messages.leave.leave}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
