import { FormProblem, type Values } from "../../components/form/form";
import { CodeField, TextField } from "../../components/ui/field";
import { SelectField } from "../../components/ui/select-field";
import type { Fields } from "../../lib/json";
import { documentMessages } from "../../messages/documents";
import type { DocumentProps } from "./document-editor";
import { ReferenceField } from "./reference-field";
import { fieldText, fieldValue, kindOf, misfit, own, referenceOf, rulesOf, serverFields, type Schema } from "./values";

const words = documentMessages.panel;
/** Longer texts, and those of several lines, have a field of several lines. It is what a line of the side panel shows. */
const maxLine = 56;
const maxRows = 12;
const rowsOf = (text: string): number => Math.min(maxRows, Math.max(text.split("\n").length + 1, Math.ceil(text.length / maxLine)));

interface FieldProps extends DocumentProps {
  name: string;
  value: unknown;
  /** Something is chosen in place of what was typed. */
  onChoose(): void;
}

function Field({ name, value, onChoose, ...rest }: FieldProps) {
  const { schema } = rest;
  const rules = rulesOf(schema, name);
  const kind = kindOf(value, rules);
  const text = fieldText(value, kind);
  const type = typeof rules["type"] === "string" ? rules["type"] : undefined;
  const reference = referenceOf(schema, name);
  const common = { label: name, name, hint: value === undefined ? [type, words.unset].filter(Boolean).join(", ") : value === null ? "null" : type };
  const allowed = rules["enum"];
  if (kind === "boolean") {
    const options = [{ value: "true", label: words.yes }, { value: "false", label: words.no }];
    return <SelectField {...common} defaultValue={text} options={text ? options : [{ value: "", label: words.unset }, ...options]} />;
  }
  if (kind === "text" && Array.isArray(allowed) && allowed.every((one) => typeof one === "string")) {
    const options = [...new Set([text, ...(allowed as string[])])].map((one) => ({ value: one, label: one || words.unset }));
    return <SelectField {...common} defaultValue={text} options={options} />;
  }
  if (kind === "json" || text.length > maxLine || text.includes("\n")) {
    return <CodeField {...common} defaultValue={text} rows={rowsOf(text)} />;
  }
  if (kind === "text" && reference) {
    return <ReferenceField {...rest} field={common} to={reference} value={text} onChoose={onChoose} />;
  }
  return <TextField {...common} defaultValue={text} mono={kind === "number"} inputMode={kind === "number" ? "decimal" : undefined} autoComplete="off" />;
}

/** A field for each value of a document, by the schema and by what it holds. */
export function DocumentForm({ document, names, ...rest }: Omit<FieldProps, "name" | "value"> & { document: Fields; names: readonly string[] }) {
  return names.map((name) => <Field key={name} name={name} value={own(document, name)} {...rest} />);
}

/** Fields of several lines know one kind of line break, and a form sends another. */
const lines = (text: string): string => text.replaceAll(/\r\n?/g, "\n");

/** The document that the fields make; throws a FormProblem at a field whose text does not fit. */
export function documentOfValues(document: Fields, schema: Schema, names: readonly string[], values: Values): Fields {
  const next = new Map(Object.entries(document));
  for (const name of names) {
    const before = own(document, name);
    const kind = kindOf(before, rulesOf(schema, name));
    const text = values[name] === undefined ? undefined : lines(values[name]);
    if (text === undefined || text === lines(fieldText(before, kind)) || serverFields.has(name)) continue;
    try {
      const value = fieldValue(text, kind);
      if (value === undefined) next.delete(name);
      else next.set(name, value);
    } catch (error) {
      throw new FormProblem(name, misfit(error, kind));
    }
  }
  return Object.fromEntries(next);
}
