import { useQuery } from "@tanstack/react-query";
import { useId } from "react";
import { CheckboxField } from "../../components/ui/checkbox";
import { CodeField, TextField } from "../../components/ui/field";
import { SelectField } from "../../components/ui/select-field";
import { policiesMessages } from "../../messages/policies";
import { CallerFields, type CallerFieldsProps } from "./caller-fields";
import { latestOf } from "./data";
import { aboutsOf, hasAbout, hasBody, hasFilter, trialOperations, type About, type TrialOperation } from "./model/trial";

const words = policiesMessages.trial;
const titles = ["title", "name", "label", "email"];

/** A request: who makes it, which operation, and what it is about. Large texts are typed as JSON. */
export function TrialFields({ collection, ...callers }: CallerFieldsProps & { collection: string }) {
  const { projectId, may, form, onChange } = callers;
  const listId = useId();
  const latest = useQuery(latestOf(projectId, collection, may)).data ?? [];
  const { operation } = form;
  const abouts = aboutsOf(operation);
  const about = abouts.includes(form.about) ? form.about : abouts[0]!;
  return (
    <>
      <CallerFields {...callers} />
      <SelectField
        label={words.operation}
        name="operation"
        value={operation}
        options={trialOperations.map((value) => ({ value, label: value }))}
        onChange={(value) => onChange({ operation: value as TrialOperation })}
      />
      {hasAbout(operation) && (
        <SelectField
          label={words.about}
          name="about"
          value={about}
          options={abouts.map((value) => ({ value, label: words.abouts[value] }))}
          onChange={(value) => onChange({ about: value as About })}
        />
      )}
      {hasAbout(operation) && about === "stored" && (
        <>
          <TextField
            label={words.id}
            name="id"
            hint={latest.length ? words.idHint : undefined}
            mono
            list={listId}
            autoComplete="off"
            value={form.id}
            onChange={(event) => onChange({ id: event.target.value })}
          />
          <datalist id={listId}>
            {latest.map((one) => {
              const title = titles.map((key) => one[key]).find((value) => typeof value === "string");
              return <option key={String(one["id"])} value={String(one["id"])} label={title?.slice(0, 80)} />;
            })}
          </datalist>
        </>
      )}
      {hasAbout(operation) && about === "typed" && (
        <CodeField
          label={words.document}
          name="document"
          rows={5}
          value={form.document}
          placeholder={'{"id": "a1", "ownerId": "u1"}'}
          onChange={(event) => onChange({ document: event.target.value })}
        />
      )}
      {hasBody(operation) && (
        <CodeField
          label={operation === "create" ? words.bodyNew : words.body}
          name="body"
          hint={operation === "update" ? words.bodyHint : undefined}
          rows={4}
          value={form.body}
          onChange={(event) => onChange({ body: event.target.value })}
        />
      )}
      {operation === "update" && (
        <CheckboxField name="replace" label={words.replace} checked={form.replace} onChange={(replace) => onChange({ replace })} />
      )}
      {hasFilter(operation) && (
        <CodeField
          label={words.filter}
          name="filter"
          rows={2}
          value={form.filter}
          onChange={(event) => onChange({ filter: event.target.value })}
        />
      )}
    </>
  );
}
