import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { Project } from "manybase/control";
import { useState } from "react";
import { manages } from "../../app/project";
import { permissions, projects, queryClient } from "../../app/queries";
import { ConfirmDialog } from "../../components/form/confirm-dialog";
import { Badge, EnvironmentPill } from "../../components/ui/badge";
import { Button, buttonClass } from "../../components/ui/button";
import { Time } from "../../components/ui/relative-time";
import { Tile } from "../../components/ui/tile";
import { toast } from "../../components/ui/toast";
import { environmentsMessages as words } from "../../messages/environments";
import { control } from "../../session";
import styles from "./environments.module.css";
import { aheadOf, promotable } from "./queries";

const small = buttonClass({ small: true });

function Ahead({ project, root }: { project: Project; root: Project }) {
  const query = useQuery(aheadOf(project, root));
  const { ahead } = words;
  const text = query.isError ? ahead.unknown : query.data === undefined ? ahead.loading : query.data === 0 ? ahead.same : ahead.differs(query.data);
  return (
    <div>
      <dt>{ahead.label}</dt>
      <dd>{text}</dd>
    </div>
  );
}

function State({ project }: { project: Project }) {
  const [open, setOpen] = useState(false);
  const { id, name } = project;
  const off = project.status === "suspended";
  const change = async () => {
    await (off ? control.resumeProject(id) : control.suspendProject(id));
    await queryClient.invalidateQueries(projects);
    await queryClient.invalidateQueries(permissions(id));
    toast(off ? words.resumeDone(name) : words.suspendDone(name));
  };
  return (
    <>
      <Button
        small
        look={off ? "default" : "danger"}
        aria-label={off ? words.resumeNamed(name) : words.suspendNamed(name)}
        onClick={() => setOpen(true)}
      >
        {off ? words.resume : words.suspend}
      </Button>
      <ConfirmDialog
        open={open}
        title={off ? words.resumeTitle(name) : words.suspendTitle(name)}
        action={off ? words.resume : words.suspend}
        danger={!off}
        onConfirm={change}
        onClose={() => setOpen(false)}
      >
        {off ? words.resumeText : words.suspendText}
      </ConfirmDialog>
    </>
  );
}

/** An environment of a family: its state, and what can be done with it. */
export function EnvironmentCard({ project, root, current }: { project: Project; root: Project | undefined; current: boolean }) {
  const { slug, name } = project;
  const comparable = root !== undefined && root.id !== project.id && promotable(root) && promotable(project);
  return (
    <li className={styles["card"]} aria-current={current || undefined}>
      <div className={styles["head"]}>
        <Tile {...project} large />
        <span>
          <bdi className={styles["name"]} title={name}>
            {name}
          </bdi>
          <span className={styles["slug"]}>{slug}</span>
        </span>
      </div>
      <div className={styles["badges"]}>
        <EnvironmentPill label={project.environment} />
        {project.status === "suspended" && <Badge tone="warn">{words.suspended}</Badge>}
      </div>
      <dl className={styles["facts"]}>
        <div>
          <dt>{words.role}</dt>
          <dd>
            <bdi>{project.role}</bdi>
          </dd>
        </div>
        <div>
          <dt>{words.since}</dt>
          <dd>
            <Time at={project.createdAt} />
          </dd>
        </div>
        {comparable && <Ahead project={project} root={root} />}
      </dl>
      <div className={styles["actions"]}>
        {!current && (
          <Link to="/p/$slug" params={{ slug }} className={small} aria-label={words.openNamed(name)}>
            {words.open}
          </Link>
        )}
        {comparable && (
          <Link
            to="/p/$slug/environments/promote"
            params={{ slug: root.slug }}
            search={{ from: project.id, to: root.id }}
            className={small}
            aria-label={words.compareNamed(name)}
          >
            {words.compare}
          </Link>
        )}
        <Link to="/p/$slug/settings" params={{ slug }} className={small} aria-label={words.settingsNamed(name)}>
          {words.settings}
        </Link>
        {manages(project) && <State project={project} />}
      </div>
    </li>
  );
}
