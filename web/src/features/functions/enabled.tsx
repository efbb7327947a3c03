import { adminOf } from "../../app/queries";
import { StoredSwitch } from "../../components/form/stored-switch";
import { functionMessages as words } from "../../messages/functions";
import { refresh } from "./queries";

interface Props {
  projectId: string;
  name: string;
  enabled: boolean;
  /** Gets why a change failed, and undefined when the next one begins. */
  onProblem(error: unknown): void;
}

/** Enables and disables a function at once. */
export function EnabledSwitch({ projectId, name, enabled, onProblem }: Props) {
  const store = async (next: boolean) => {
    await adminOf(projectId).updateFunction(name, { enabled: next });
    await refresh(projectId);
  };
  return <StoredSwitch label={words.enable(name)} checked={enabled} onStore={store} onProblem={onProblem} />;
}
