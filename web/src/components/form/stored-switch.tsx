import { useMutation } from "@tanstack/react-query";
import { Switch } from "../ui/switch";

interface Props {
  label: string;
  checked: boolean;
  /** Stores the setting, and reads again what shows it. */
  onStore(checked: boolean): Promise<void>;
  /** Gets why a change failed, and undefined when the next one begins. */
  onProblem(error: unknown): void;
}

/** A switch whose setting is stored at once. */
export function StoredSwitch({ label, checked, onStore, onProblem }: Props) {
  const change = useMutation({
    mutationFn: onStore,
    onMutate: () => onProblem(undefined),
    onError: onProblem,
  });
  const shown = change.isPending ? change.variables : checked;
  return <Switch label={label} checked={shown} busy={change.isPending} onChange={(next) => change.mutate(next)} />;
}
