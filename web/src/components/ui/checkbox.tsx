import { Notes, useDescribed, type Words } from "./field";
import styles from "./checkbox.module.css";

interface CheckboxProps extends Words {
  defaultChecked?: boolean;
  checked?: boolean;
  onChange?(checked: boolean): void;
  disabled?: boolean;
}

/** Yes or no, with its label; a form's value of it is "on" or absent. */
export function CheckboxField({ label, hint, name, onChange, ...rest }: CheckboxProps) {
  const { error, id, input } = useDescribed({ label, hint, name });
  return (
    <div className={styles["checkbox"]}>
      <input
        type="checkbox"
        {...rest}
        {...input}
        onChange={onChange && ((event) => onChange(event.target.checked))}
      />
      <div>
        <label htmlFor={id}>{label}</label>
        <Notes id={id} hint={hint} error={error} />
      </div>
    </div>
  );
}
