import { Link } from "@tanstack/react-router";
import type { Project, ProjectWarning } from "manybase/control";
import type { ReactNode } from "react";
import { ownDatabaseMessages } from "../../messages/own-database";
import { buttonClass } from "../ui/button";
import { Dialog, DialogActions } from "../ui/dialog";
import { Capabilities, DatabaseWarnings } from "./capabilities";

const words = ownDatabaseMessages.create;

interface ConnectedProps {
  project: Project;
  /** Those of its database. */
  warnings: readonly ProjectWarning[];
  /** What more there is to say about it. */
  children?: ReactNode;
  onClose(): void;
}

/** What the own database of a project can do that was just created, and where to go on. */
export function Connected({ project, warnings, children, onClose }: ConnectedProps) {
  const params = { slug: project.slug };
  return (
    <Dialog key="connected" open onClose={onClose} title={words.doneTitle(project.name)} description={words.doneText}>
      {project.byoCapabilities && <Capabilities of={project.byoCapabilities} />}
      <DatabaseWarnings label={ownDatabaseMessages.settings.warnings} warnings={warnings} />
      {children}
      <DialogActions>
        <Link to="/p/$slug" params={params} className={buttonClass({})}>
          {words.open}
        </Link>
        <Link to="/p/$slug/database" params={params} className={buttonClass({ look: "primary" })} data-first>
          {words.contents}
        </Link>
      </DialogActions>
    </Dialog>
  );
}
