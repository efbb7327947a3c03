import { ManybaseError, isError, type ErrorDetail } from "manybase";
import type { Project } from "manybase/control";
import { manages, owns, useProject } from "../../app/project";
import { projects, queryClient } from "../../app/queries";
import { FormProblem, type Values } from "../../components/form/form";
import { PageForm } from "../../components/form/page-form";
import { Page } from "../../components/shell/page";
import { ShowCall } from "../../components/shell/show-call";
import { CheckboxField } from "../../components/ui/checkbox";
import { ColourChoice } from "../../components/ui/colour-choice";
import { CodeField, TextField } from "../../components/ui/field";
import { Panel, PanelBody } from "../../components/ui/panel";
import { toast } from "../../components/ui/toast";
import { exactSize, parseSize } from "../../lib/size";
import { settingsMessages as words } from "../../messages/settings";
import { control } from "../../session";
import { Danger } from "./danger";
import { Database } from "./database";
import { SettingsFacts } from "./facts";
import { lists, patchOf, linesOf } from "./patch";
import { Payer } from "./payer";

/** A refusal whose problems of lists are at their fields, with the lines that are wrong. */
function atFields(error: unknown, values: Values): unknown {
  if (!isError(error)) return error;
  let rest = error.details;
  const found: ErrorDetail[] = [];
  for (const name of lists) {
    const path = `/settings/${name}`;
    const own = rest.filter((one) => one.path === path || one.path.startsWith(`${path}/`));
    if (own.length === 0) continue;
    rest = rest.filter((one) => !own.includes(one));
    const lines = linesOf(values[name]);
    const texts = own.map((one) => {
      const at = Number(one.path.slice(path.length + 1));
      return one.path === path ? one.message : words.line(at + 1, lines[at] ?? "", one.message);
    });
    found.push({ path: `/${name}`, message: texts.join("\n") });
  }
  const { status, code, message, requestId } = error;
  return new ManybaseError(status, code, message, { details: [...rest, ...found], ...(requestId ? { requestId } : {}) });
}

function List({ project, name, label, hint, rows }: {
  project: Project;
  name: (typeof lists)[number];
  label: string;
  hint: string;
  rows: number;
}) {
  return <CodeField label={label} name={name} hint={hint} rows={rows} defaultValue={project.settings[name]?.join("\n")} />;
}

function SettingsForm({ project }: { project: Project }) {
  const save = async (values: Values) => {
    if (parseSize(values["maxFileSize"] ?? "") === undefined) throw new FormProblem("maxFileSize", words.api.fileSizeWrong);
    const patch = patchOf(project, values);
    if (Object.keys(patch).length === 0) return toast(words.unchanged);
    try {
      await control.updateProject(project.id, patch);
    } catch (error) {
      throw atFields(error, values);
    }
    await queryClient.invalidateQueries(projects);
    toast(words.saved);
  };
  const { settings } = project;
  return (
    <PageForm label={words.form} action={words.save} onSubmit={save}>
      <Panel title={words.project.title}>
        <PanelBody>
          <TextField label={words.project.name} name="name" hint={words.project.nameHint} defaultValue={project.name} autoComplete="off" />
          <TextField label={words.project.icon} name="icon" hint={words.project.iconHint} defaultValue={project.icon ?? ""} autoComplete="off" />
          <ColourChoice label={words.project.colour} name="color" of={project.name} initial={project.color} />
        </PanelBody>
      </Panel>
      <Panel title={words.api.title}>
        <PanelBody>
          <TextField
            label={words.api.fileSize}
            name="maxFileSize"
            hint={words.api.fileSizeHint}
            defaultValue={exactSize(project.maxFileSize)}
            autoComplete="off"
          />
          <List project={project} name="allowedOrigins" label={words.api.origins} hint={words.api.originsHint} rows={3} />
        </PanelBody>
      </Panel>
      <Panel title={words.users.title}>
        <PanelBody>
          <CheckboxField label={words.users.hide} name="hideRegistered" hint={words.users.hideHint} defaultChecked={settings.hideRegistered} />
          <CheckboxField
            label={words.users.rotate}
            name="rotateRefreshTokens"
            hint={words.users.rotateHint}
            defaultChecked={settings.rotateRefreshTokens}
          />
          <List project={project} name="tokenClaims" label={words.users.claims} hint={words.users.claimsHint} rows={2} />
          <List project={project} name="profileFields" label={words.users.profile} hint={words.users.profileHint} rows={2} />
        </PanelBody>
      </Panel>
      <Panel title={words.tests.title}>
        <PanelBody>
          <CheckboxField label={words.tests.require} name="requireTests" hint={words.tests.requireHint} defaultChecked={settings.requireTests} />
        </PanelBody>
      </Panel>
    </PageForm>
  );
}

export function SettingsPage() {
  const { project, list, perms } = useProject();
  const managing = manages(project);
  return (
    <Page
      narrow
      title={words.title}
      actions={
        <ShowCall
          calls={[
            {
              title: words.call,
              method: "PATCH",
              path: `/control/projects/${project.id}`,
              body: { name: project.name, settings: { rotateRefreshTokens: true } },
              sdk: `await control.updateProject(${JSON.stringify(project.id)}, { name: ${JSON.stringify(project.name)}, settings: { rotateRefreshTokens: true } });`,
            },
          ]}
        />
      }
    >
      {managing ? <SettingsForm key={project.id} project={project} /> : <SettingsFacts project={project} />}
      {project.byo && <Database key={`${project.id} database`} project={project} perms={perms} />}
      {owns(project) && project.parentId === null && <Payer key={`${project.id} payer`} project={project} perms={perms} />}
      {managing && <Danger project={project} deletes={owns(project)} environments={list.filter(({ parentId }) => parentId === project.id)} />}
    </Page>
  );
}
