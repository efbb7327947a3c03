import { Frame, useDescribed, type Words } from "./field";
import styles from "./field.module.css";

export interface Option {
  value: string;
  label: string;
}

interface SelectProps extends Words {
  options: readonly Option[];
  defaultValue?: string;
  value?: string;
  onChange?(value: string): void;
  disabled?: boolean;
}

/** One of a list, with its label; the form's error for `name` is shown below it. */
export function SelectField({ label, hint, name, options, onChange, ...rest }: SelectProps) {
  const { error, id, input } = useDescribed({ label, hint, name });
  return (
    <Frame id={id} label={label} hint={hint} error={error}>
      <select {...rest} {...input} className={styles["control"]} onChange={onChange && ((event) => onChange(event.target.value))}>
        {options.map(({ value, label: text }) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </Frame>
  );
}
