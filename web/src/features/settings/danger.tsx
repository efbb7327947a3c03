import { Link, useNavigate } from "@tanstack/react-router";
import type { Project } from "manybase/control";
import { useState } from "react";
import { permissions, projects, queryClient } from "../../app/queries";
import { ConfirmDialog } from "../../components/form/confirm-dialog";
import { Button } from "../../components/ui/button";
import { Panel, PanelBody } from "../../components/ui/panel";
import { toast } from "../../components/ui/toast";
import { ownDatabaseMessages } from "../../messages/own-database";
import { settingsMessages } from "../../messages/settings";
import { control } from "../../session";
import styles from "./settings.module.css";

const words = settingsMessages.danger;

interface DangerProps {
  project: Project;
  /** Whether the person may delete the project. */
  deletes: boolean;
  /** Its live environments. */
  environments: readonly Project[];
}

function Delete({ environments, onOpen }: { environments: readonly Project[]; onOpen(): void }) {
  const blocked = environments.length > 0;
  return (
    <div className={styles["row"]}>
      <div>
        <p>{blocked ? words.blocked : words.deleteText}</p>
        {blocked && (
          <ul className={styles["links"]}>
            {environments.map(({ id, slug, name }) => (
              <li key={id}>
                <Link to="/p/$slug/settings" params={{ slug }}>
                  <bdi>{name}</bdi>
                </Link>
              </li>
            ))}
          </ul>
        )}
      </div>
      {!blocked && (
        <Button look="danger" onClick={onOpen}>
          {words.delete}
        </Button>
      )}
    </div>
  );
}

/** What stops the project. */
export function Danger({ project, deletes, environments }: DangerProps) {
  const [open, setOpen] = useState<"state" | "delete">();
  const navigate = useNavigate();
  const suspended = project.status === "suspended";
  const close = () => setOpen(undefined);
  const change = async () => {
    await (suspended ? control.resumeProject(project.id) : control.suspendProject(project.id));
    await queryClient.invalidateQueries(projects);
    await queryClient.invalidateQueries(permissions(project.id));
    toast(suspended ? words.resumed : words.suspended);
  };
  const remove = async () => {
    await control.deleteProject(project.id);
    await navigate({ to: "/" });
    await queryClient.invalidateQueries(projects);
    toast(words.deleted(project.name));
  };
  return (
    <Panel title={words.title}>
      <PanelBody>
        <div className={styles["row"]}>
          <div>
            <p>{suspended ? words.resumeText : words.suspendText}</p>
          </div>
          {suspended ? (
            <Button onClick={() => setOpen("state")}>{words.resume}</Button>
          ) : (
            <Button look="danger" onClick={() => setOpen("state")}>
              {words.suspend}
            </Button>
          )}
        </div>
        {deletes && <Delete environments={environments} onOpen={() => setOpen("delete")} />}
      </PanelBody>
      <ConfirmDialog
        open={open === "state"}
        title={suspended ? words.resumeTitle : words.suspendTitle}
        action={suspended ? words.resume : words.suspend}
        danger={!suspended}
        onConfirm={change}
        onClose={close}
      >
        {suspended ? words.resumeText : words.suspendText}
      </ConfirmDialog>
      <ConfirmDialog
        open={open === "delete"}
        title={words.deleteTitle(project.name)}
        action={words.delete}
        danger
        typed={project.slug}
        onConfirm={remove}
        onClose={close}
      >
        <p>{words.deleteText}</p>
        {project.byo && <p>{ownDatabaseMessages.settings.deletion}</p>}
      </ConfirmDialog>
    </Panel>
  );
}
