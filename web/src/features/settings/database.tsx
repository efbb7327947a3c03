import { Link } from "@tanstack/react-router";
import { isError } from "manybase";
import type { Project } from "manybase/control";
import { useState } from "react";
import { manages, owns } from "../../app/project";
import { projectChanged, projects, queryClient } from "../../app/queries";
import { DialogForm } from "../../components/form/dialog-form";
import { FormProblem, type Values } from "../../components/form/form";
import { addressField, addressOf } from "../../components/own-database/address";
import { AddressField } from "../../components/own-database/address-field";
import { Capabilities, DatabaseWarnings } from "../../components/own-database/capabilities";
import { useMayBring } from "../../components/own-database/may-bring";
import { ShowCall } from "../../components/shell/show-call";
import { Alert } from "../../components/states/alert";
import { ErrorState } from "../../components/states/problem";
import { Button, buttonClass } from "../../components/ui/button";
import { Dialog } from "../../components/ui/dialog";
import { Panel, PanelBody } from "../../components/ui/panel";
import { toast } from "../../components/ui/toast";
import { can } from "../../lib/permissions";
import { ownDatabaseMessages } from "../../messages/own-database";
import { control } from "../../session";
import styles from "./settings.module.css";

const words = ownDatabaseMessages.settings;
/** How the server's refusal of an address begins where collections of the project are missing. */
const missingThere = /^these collections are missing there: /;

/** Asks for another address of the same data; once more where collections are missing there. */
function ChangeAddress({ project, onClose }: { project: Project; onClose(): void }) {
  const [missing, setMissing] = useState<string>();
  const change = async (values: Values) => {
    const mongoUrl = addressOf(values);
    try {
      await control.updateProject(project.id, { mongoUrl }, missing === undefined ? {} : { force: "1" });
    } catch (error) {
      if (!isError(error, "CONFLICT")) throw error;
      if (missingThere.test(error.message)) return setMissing(error.message);
      throw new FormProblem(addressField, error.message);
    }
    await Promise.all([queryClient.invalidateQueries(projects), projectChanged(project.id)]);
    toast(words.changed);
    onClose();
  };
  return (
    <Dialog open onClose={onClose} title={words.changeTitle} description={words.changeText}>
      <DialogForm
        label={words.changeTitle}
        action={missing === undefined ? words.changeAction : words.force}
        danger={missing !== undefined}
        onSubmit={change}
        onClose={onClose}
      >
        {/* Another address is asked about anew. */}
        <AddressField onChange={() => setMissing(undefined)} />
        {missing !== undefined && (
          <Alert tone="warn">
            <p>
              <bdi>{words.missing(missing)}</bdi>
            </p>
            <p>{words.missingText}</p>
          </Alert>
        )}
      </DialogForm>
    </Dialog>
  );
}

/** A project's own database: what it can do, a check of that, another address. REQUIRES: the project has one. */
export function Database({ project, perms }: { project: Project; perms: readonly string[] }) {
  const [busy, setBusy] = useState(false);
  const [checked, setChecked] = useState<{ reachable: boolean } | { problem: unknown }>();
  const [changing, setChanging] = useState(false);
  const mayBring = useMayBring();
  const id = JSON.stringify(project.id);
  const check = async () => {
    setBusy(true);
    setChecked(undefined);
    try {
      const { reachable } = await control.checkProjectDatabase(project.id);
      await queryClient.invalidateQueries(projects);
      setChecked({ reachable });
    } catch (problem) {
      setChecked({ problem });
    } finally {
      setBusy(false);
    }
  };
  return (
    <Panel
      title={words.title}
      aside={
        <ShowCall
          small
          calls={[
            {
              title: words.calls.check,
              method: "POST",
              path: `/control/projects/${project.id}/database/check`,
              sdk: `const { reachable, byoCapabilities, warnings } = await control.checkProjectDatabase(${id});`,
            },
            {
              title: words.calls.change,
              method: "PATCH",
              path: `/control/projects/${project.id}`,
              body: { mongoUrl: "mongodb+srv://user:password@host/shop" },
              sdk: `await control.updateProject(${id}, { mongoUrl: process.env.MONGO_URL });`,
            },
          ]}
        />
      }
    >
      <PanelBody>
        <p>{words.text}</p>
        {project.byoCapabilities && <Capabilities of={project.byoCapabilities} />}
        <DatabaseWarnings label={words.warnings} warnings={project.warnings ?? []} />
        {checked && "problem" in checked && <ErrorState error={checked.problem} onRetry={() => void check()} />}
        {checked && "reachable" in checked && <p role="status">{checked.reachable ? words.reached : words.notReached}</p>}
        <p className={styles["secondary"]}>{words.deletion}</p>
        <div className={styles["buttons"]}>
          {can(perms, "introspect:read") && (
            <Link to="/p/$slug/database" params={{ slug: project.slug }} className={buttonClass({})}>
              {words.contents}
            </Link>
          )}
          {manages(project) && (
            <Button busy={busy} onClick={() => void check()}>
              {words.check}
            </Button>
          )}
          {owns(project) && mayBring && <Button onClick={() => setChanging(true)}>{words.change}</Button>}
        </div>
      </PanelBody>
      {changing && <ChangeAddress project={project} onClose={() => setChanging(false)} />}
    </Panel>
  );
}
