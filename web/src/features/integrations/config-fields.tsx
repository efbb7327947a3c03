import { CodeField, TextField } from "../../components/ui/field";
import { SelectField } from "../../components/ui/select-field";
import type { Fields } from "../../lib/json";
import { integrationMessages } from "../../messages/integrations";
import type { Field } from "./catalogue";
import { fieldText } from "./config";
import { inConfig } from "./texts";

const words = integrationMessages.form;
const plain = { autoComplete: "off", autoCapitalize: "none", spellCheck: false } as const;

interface ConfigFieldProps {
  field: Field;
  value: unknown;
  /** The plain variables of the project, for what is chosen and not typed. */
  variables: readonly string[];
}

function ConfigField({ field, value, variables }: ConfigFieldProps) {
  const text = fieldText(field, value);
  const { label, hint } = inConfig(field);
  const common = { label, name: `config/${field.name}`, hint };
  switch (field.kind) {
    case "choice":
    case "boolean": {
      const choices = field.kind === "boolean" ? ["true", "false"] : field.options;
      const all = [...new Set(["", ...choices, ...variables.map((name) => `\${${name}}`), text])];
      const labelOf = (one: string) =>
        one === "" ? words.unset : field.kind === "boolean" ? (words.booleans[one] ?? one) : one;
      return <SelectField {...common} defaultValue={text} options={all.map((one) => ({ value: one, label: labelOf(one) }))} />;
    }
    case "headers":
    case "json":
      return <CodeField {...common} defaultValue={text} rows={Math.min(8, text.split("\n").length + 1)} />;
    default:
      return <TextField {...common} {...plain} mono defaultValue={text} inputMode={field.kind === "number" ? "numeric" : undefined} />;
  }
}

interface ConfigFieldsProps {
  fields: readonly Field[];
  config: Fields;
  variables: readonly string[];
}

/** A field for each value of a provider's configuration, by the catalogue. */
export const ConfigFields = ({ fields, config, variables }: ConfigFieldsProps) =>
  fields.map((field) => <ConfigField key={field.name} field={field} value={config[field.name]} variables={variables} />);
