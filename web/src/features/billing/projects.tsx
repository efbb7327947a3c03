import { useSuspenseQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { Billing, PaidProject, Project } from "manybase/control";
import { projects } from "../../app/queries";
import { LimitBars } from "../../components/limits/limit-bars";
import { allowancesOf } from "../../components/limits/limits";
import { EmptyState } from "../../components/states/empty-state";
import { EnvironmentPill } from "../../components/ui/badge";
import { buttonClass } from "../../components/ui/button";
import { Panel, PanelBody } from "../../components/ui/panel";
import { Tile } from "../../components/ui/tile";
import { billingMessages } from "../../messages/billing";
import styles from "./billing.module.css";

const words = billingMessages.projects;

function Used({ paid, project, limits }: { paid: PaidProject; project: Project | undefined; limits: Billing["limits"] }) {
  // Environments are counted at their project, projects at the plan.
  const { projects: _, environments, ...usage } = paid.usage;
  const own = project?.parentId == null ? { ...usage, environments } : usage;
  const name = <bdi className={styles["name"]}>{paid.name}</bdi>;
  return (
    <li className={styles["project"]} aria-label={paid.name}>
      <div className={styles["title"]}>
        <Tile name={paid.name} icon={project?.icon ?? null} color={project?.color ?? null} />
        {project ? (
          <Link to="/p/$slug" params={{ slug: project.slug }} title={paid.name} className={styles["link"]}>
            {name}
          </Link>
        ) : (
          name
        )}
        {project?.environment != null && <EnvironmentPill label={project.environment} />}
      </div>
      <LimitBars allowances={allowancesOf({ ...limits }, own)} />
    </li>
  );
}

/** What each project that the person pays for uses of the limits. */
export function Projects({ billing }: { billing: Billing }) {
  const { data: known } = useSuspenseQuery(projects);
  return (
    <Panel title={words.title} aside={<span className={styles["secondary"]}>{words.count(billing.projects.length)}</span>}>
      {billing.projects.length === 0 ? (
        <EmptyState
          title={words.none}
          action={
            <Link to="/" search={{ new: true }} className={buttonClass({})}>
              {words.create}
            </Link>
          }
        >
          {words.noneText}
        </EmptyState>
      ) : (
        <PanelBody>
          <ul className={styles["projects"]}>
            {billing.projects.map((paid) => (
              <Used key={paid.id} paid={paid} project={known.find(({ id }) => id === paid.id)} limits={billing.limits} />
            ))}
          </ul>
        </PanelBody>
      )}
    </Panel>
  );
}
