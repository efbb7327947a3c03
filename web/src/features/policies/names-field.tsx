import { useState } from "react";
import { TextField } from "../../components/ui/field";

const namesOf = (text: string): string[] =>
  text
    .split(",")
    .map((one) => one.trim())
    .filter(Boolean);
const same = (a: readonly string[], b: readonly string[]) => a.length === b.length && a.every((one, at) => one === b[at]);

/** A list of names as a line of text, with commas between them. */
export function NamesField({ label, hint, name, value, onChange }: {
  label: string;
  hint?: string;
  name: string;
  value: readonly string[];
  onChange(names: string[]): void;
}) {
  const [typed, setTyped] = useState("");
  // What was typed stays while it is this list, with its spaces and an unfinished end.
  const text = same(namesOf(typed), value) ? typed : value.join(", ");
  return (
    <TextField
      label={label}
      hint={hint}
      name={name}
      mono
      autoComplete="off"
      autoCapitalize="none"
      spellCheck={false}
      value={text}
      onChange={(event) => {
        setTyped(event.target.value);
        onChange(namesOf(event.target.value));
      }}
    />
  );
}
