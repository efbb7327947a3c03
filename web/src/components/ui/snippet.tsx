import { useId, useRef, useState } from "react";
import { messages } from "../../messages";
import { cx } from "../../lib/class-names";
import { CopyButton } from "./copy-button";
import styles from "./snippet.module.css";

export interface Form {
  label: string;
  text: string;
}

/** A piece of code in several forms, such as curl and the SDK, with a button that copies it. */
export function Snippet({ title, forms, wrap, titled }: {
  title: string;
  forms: Form[];
  /** Breaks long lines, for secrets that are to be seen whole. */
  wrap?: boolean;
  /** Shows the title; in place of the only form, if there is one. */
  titled?: boolean;
}) {
  const [chosen, choose] = useState(0);
  const id = useId();
  const code = useRef<HTMLPreElement>(null);
  const form = forms[chosen] ?? forms[0]!;
  const alone = titled && forms.length === 1;
  return (
    <div className={cx(styles["snippet"], wrap && styles["wrap"])}>
      {titled && !alone && <p className={styles["title"]}>{title}</p>}
      <div className={styles["bar"]}>
        {alone ? (
          <p className={styles["only"]}>{title}</p>
        ) : (
          <div role="group" aria-label={messages.snippet.form(title)} className={styles["forms"]}>
            {forms.map(({ label }, at) => (
              <button key={label} type="button" aria-pressed={form.label === label} onClick={() => choose(at)}>
                {label}
              </button>
            ))}
          </div>
        )}
        <CopyButton text={form.text} label={messages.snippet.copy(title)} source={() => code.current} />
      </div>
      <pre ref={code} id={id} tabIndex={0} role="region" aria-label={`${title}: ${form.label}`}>
        <code>{form.text}</code>
      </pre>
    </div>
  );
}
