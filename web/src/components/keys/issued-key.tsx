import { keysMessages } from "../../messages/keys";
import { curlOf } from "../shell/show-call";
import { SecretDialog } from "../ui/secret-once";
import { trialOf, type Scope } from "./scopes";

const words = keysMessages.issued;

interface IssuedProps {
  /** The raw key. */
  value: string;
  scopes: readonly Scope[];
  /** A collection for the call that tries it. */
  collection: string | undefined;
  onClose(): void;
}

/** Shows a new key once, as a line of a file, and in a call that shows that it works. */
export function IssuedKey({ value, scopes, collection = "books", onClose }: IssuedProps) {
  return (
    <SecretDialog
      title={words.title}
      label={words.key}
      value={value}
      hint={words.hint}
      forms={[
        { label: words.env, text: `MANYBASE_KEY=${value}` },
        { label: words.trial, text: curlOf(trialOf(scopes, collection), value) },
      ]}
      finished={words.finished}
      onClose={onClose}
    />
  );
}
