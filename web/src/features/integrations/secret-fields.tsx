import { Plus, X } from "lucide-react";
import { useId, useState } from "react";
import { useFieldError } from "../../components/form/form";
import { Alert } from "../../components/states/alert";
import { Button, IconButton } from "../../components/ui/button";
import { CheckboxField } from "../../components/ui/checkbox";
import { Notes, TextField } from "../../components/ui/field";
import { integrationMessages } from "../../messages/integrations";
import type { Provider } from "./catalogue";
import styles from "./integrations.module.css";
import { fieldNames, headersSecret } from "./secrets";
import { secretLabel } from "./texts";

const words = integrationMessages.form;
const hidden = { type: "password", autoComplete: "new-password", mono: true } as const;

interface SecretProps {
  name: string;
  stored: boolean;
  /** The configuration leads elsewhere than where it was entered for. */
  moved: boolean;
}

function Secret({ name, stored, moved }: SecretProps) {
  const [dropped, drop] = useState(false);
  const label = secretLabel(name);
  const hint = !stored ? words.secretHints[name] : moved ? words.enterAgain : words.kept;
  return (
    <div className={styles["secret"]}>
      <TextField label={label} name={fieldNames.secret(name)} {...hidden} hint={hint} disabled={dropped} />
      {stored && (
        <CheckboxField label={words.drop(label)} name={fieldNames.drop(name)} checked={dropped} onChange={drop} />
      )}
    </div>
  );
}

function MoreHeaders({ rows, onAdd, onRemove }: { rows: readonly number[]; onAdd(): void; onRemove(row: number): void }) {
  const error = useFieldError(`secrets/${headersSecret}`);
  const id = useId();
  return (
    <div role="group" aria-label={words.headers} aria-describedby={error && `${id}-error`} className={styles["fields"]}>
      {/* An error of the server about a further header belongs to this group. */}
      <input type="hidden" name={`secrets/${headersSecret}`} />
      {rows.map((row) => (
        <div key={row} role="group" aria-label={words.header} className={styles["row"]}>
          <TextField label={words.headerName} name={fieldNames.header(row)} autoComplete="off" autoCapitalize="none" spellCheck={false} mono />
          <TextField label={words.headerValue} name={fieldNames.value(row)} {...hidden} />
          <IconButton label={words.removeHeader} onClick={() => onRemove(row)}>
            <X size={16} strokeWidth={1.75} aria-hidden />
          </IconButton>
        </div>
      ))}
      <Notes id={id} error={error} />
      <div>
        <Button small onClick={onAdd}>
          <Plus size={14} aria-hidden />
          {words.addHeader}
        </Button>
      </div>
    </div>
  );
}

interface SecretFieldsProps {
  provider: Provider;
  /** The names of those that are stored. */
  stored: readonly string[];
  /** The destination that the stored ones were entered for, where the configuration leads to another. */
  movedFrom: string | undefined;
  /** The numbers of the rows of further headers. */
  rows: readonly number[];
  onRows(rows: number[]): void;
}

/** A field for each secret of a provider. What is stored is never shown. */
export function SecretFields({ provider, stored, movedFrom, rows, onRows }: SecretFieldsProps) {
  if (provider.secrets.length === 0) return null;
  const names = provider.secrets.flatMap((name) =>
    name === headersSecret ? stored.filter((one) => one.startsWith(`${headersSecret}/`)) : [name],
  );
  return (
    <fieldset className={styles["group"]}>
      <legend>{words.secretsTitle}</legend>
      {movedFrom !== undefined && <Alert tone="warn">{words.moved(movedFrom)}</Alert>}
      <p className={styles["hint"]}>{words.secretsText}</p>
      {names.map((name) => (
        <Secret key={name} name={name} stored={stored.includes(name)} moved={movedFrom !== undefined} />
      ))}
      {provider.secrets.includes(headersSecret) && (
        <MoreHeaders
          rows={rows}
          onAdd={() => onRows([...rows, (rows.at(-1) ?? 0) + 1])}
          onRemove={(row) => onRows(rows.filter((one) => one !== row))}
        />
      )}
    </fieldset>
  );
}
