import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { isError } from "manybase";
import type { Project } from "manybase/control";
import { useState } from "react";
import { adminOf, projectChanged, projects, queryClient } from "../../app/queries";
import { exampleOf, variablesOf } from "../../components/examples/load";
import { exampleNamed, exampleNames, type ExampleName } from "../../components/examples/names";
import { DialogForm } from "../../components/form/dialog-form";
import { FormProblem, type Values } from "../../components/form/form";
import { addressOf, withAddress } from "../../components/own-database/address";
import { Connected } from "../../components/own-database/connected";
import { OwnDatabasePart } from "../../components/own-database/own-database-part";
import { ErrorState } from "../../components/states/problem";
import { Alert } from "../../components/states/alert";
import { Dialog } from "../../components/ui/dialog";
import { Choices, TextField } from "../../components/ui/field";
import { toast } from "../../components/ui/toast";
import { messages } from "../../messages";
import { exampleMessages } from "../../messages/examples";
import { control } from "../../session";
import styles from "./projects.module.css";

const words = messages.projects;
const fieldOf = (variable: string): string => `variable ${variable}`;

/** Gives the variables of an example their values, and imports it. */
async function fill(projectId: string, example: ExampleName, values: Values): Promise<void> {
  const document = await queryClient.ensureQueryData(exampleOf(example));
  const admin = adminOf(projectId);
  for (const { name, secret } of variablesOf(document)) {
    const value = values[fieldOf(name)];
    if (!value) continue;
    try {
      await admin.setVariable(name, { value, secret });
    } catch (error) {
      if (isError(error, "VALIDATION")) throw new FormProblem(fieldOf(name), error.details[0]?.message ?? error.message);
      throw error;
    }
  }
  await admin.importConfiguration(document, { allowMissing: "1" });
  await projectChanged(projectId);
}

/** The values that an example asks for. */
function Variables({ example }: { example: ExampleName }) {
  const query = useQuery(exampleOf(example));
  if (query.isError) return <ErrorState error={query.error} onRetry={() => void query.refetch()} />;
  if (!query.data) return <p role="status">{exampleMessages.reading}</p>;
  const variables = variablesOf(query.data);
  if (variables.length === 0) return null;
  return (
    <fieldset className={styles["variables"]}>
      <legend>{exampleMessages.variables}</legend>
      <p>{exampleMessages.variablesText}</p>
      {variables.map(({ name, secret }) => (
        <TextField
          key={name}
          label={name}
          name={fieldOf(name)}
          type={secret ? "password" : "text"}
          hint={secret ? exampleMessages.secret : undefined}
          autoComplete={secret ? "new-password" : "off"}
          autoCapitalize="none"
          spellCheck={false}
          mono
        />
      ))}
    </fieldset>
  );
}

/** Creates a project; with an address, on the database that it leads to. */
async function createdProject(values: Values): Promise<Project> {
  const name = values["name"] ?? "";
  const mongoUrl = addressOf(values);
  return (await withAddress(control.createProject(mongoUrl === undefined ? { name } : { name, mongoUrl }))).project;
}

/** Creates a project, empty or with an example, here or on its owner's database, and opens it. */
export function NewProject({ onClose }: { onClose(): void }) {
  const navigate = useNavigate();
  const [example, setExample] = useState<ExampleName>();
  const [connected, setConnected] = useState<Project>();
  // A project whose example could not be added: it is not created again.
  const [made, setMade] = useState<Project>();
  const create = async (values: Values) => {
    const project = made ?? (await createdProject(values));
    if (!made) await queryClient.fetchQuery({ ...projects, staleTime: 0 });
    if (example) {
      setMade(project);
      await fill(project.id, example, values);
    }
    if (project.byo) return setConnected(project);
    toast(project.warnings?.length ? [words.warnings, ...project.warnings.map((warning) => warning.message)].join(" ") : words.created(project.name));
    await navigate({ to: "/p/$slug", params: { slug: project.slug }, search: example ? { example } : {} });
  };
  const choices = [
    { value: "", label: exampleMessages.empty, hint: exampleMessages.emptyHint },
    ...exampleNames.map((value) => ({
      value,
      label: exampleMessages.option(exampleMessages.names[value]),
      hint: exampleMessages.about[value],
    })),
  ];
  if (connected) return <Connected project={connected} warnings={connected.warnings ?? []} onClose={onClose} />;
  return (
    <Dialog open onClose={onClose} title={words.createTitle} description={words.createText}>
      <DialogForm
        label={words.createTitle}
        action={made ? exampleMessages.fill : words.action}
        onSubmit={create}
        onClose={onClose}
      >
        {made ? (
          <Alert tone="warn">{exampleMessages.made(made.name)}</Alert>
        ) : (
          <>
            <TextField label={words.name} name="name" hint={words.nameHint} autoComplete="off" required />
            <div onChange={(event) => setExample(exampleNamed((event.target as HTMLInputElement).value))}>
              <Choices label={exampleMessages.start} name="example" initial="" choices={choices} />
            </div>
            <OwnDatabasePart />
          </>
        )}
        {example && <Variables example={example} />}
      </DialogForm>
    </Dialog>
  );
}
