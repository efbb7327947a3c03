import { useState } from "react";
import { ownDatabaseMessages } from "../../messages/own-database";
import { CheckboxField } from "../ui/checkbox";
import { TextField } from "../ui/field";
import { addressField } from "./address";
import styles from "./own-database.module.css";

const words = ownDatabaseMessages.address;

/** The address of a database, which is a secret: hidden while it is typed, with what the database needs in words. */
export function AddressField({ onChange }: { onChange?(): void }) {
  const [shown, show] = useState(false);
  return (
    <div className={styles["address"]}>
      <TextField
        label={words.label}
        name={addressField}
        type={shown ? "text" : "password"}
        hint={words.hint}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        mono
        onChange={onChange}
      />
      <CheckboxField label={words.show} name="showAddress" checked={shown} onChange={show} />
      <details className={styles["rules"]}>
        <summary>{words.requirements}</summary>
        <ul>
          {words.rules.map((rule) => (
            <li key={rule}>{rule}</li>
          ))}
        </ul>
      </details>
    </div>
  );
}
