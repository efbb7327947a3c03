import { limitNames, type LimitName } from "../../components/limits/limits";
import { TextField } from "../../components/ui/field";
import { operatorMessages } from "../../messages/operator";

const words = operatorMessages.limits;

interface FieldsProps {
  /** What each field holds at first. */
  initial(name: LimitName): string;
  /** What holds where the field is empty. */
  placeholder?(name: LimitName): string;
}

/** A field for each limit of a plan. */
export function LimitFields({ initial, placeholder }: FieldsProps) {
  return limitNames.map((name) => (
    <TextField
      key={name}
      label={words.names[name]}
      name={name}
      hint={name === "storageBytes" ? words.sizeHint : words.hint}
      defaultValue={initial(name)}
      placeholder={placeholder?.(name)}
      autoComplete="off"
      spellCheck={false}
    />
  ));
}
