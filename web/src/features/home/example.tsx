import { queryOptions, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { Project } from "manybase/control";
import { Fragment, type ReactNode } from "react";
import { adminOf, queryClient } from "../../app/queries";
import { exampleOf, variablesOf } from "../../components/examples/load";
import type { ExampleName } from "../../components/examples/names";
import { sectionsOf, type Plan } from "../../components/plan/plan";
import { ErrorState } from "../../components/states/problem";
import { Skeleton } from "../../components/states/skeleton";
import { buttonClass } from "../../components/ui/button";
import { Facts } from "../../components/ui/facts";
import { Panel, PanelBody } from "../../components/ui/panel";
import { can } from "../../lib/permissions";
import { exampleMessages } from "../../messages/examples";
import { planMessages } from "../../messages/plan";
import styles from "./home.module.css";

const words = exampleMessages.home;

interface Held {
  /** What the project has of the example, as it is now. */
  plan: Plan;
  /** The variables of it that have no value. */
  missing: { name: string; secret: boolean }[];
}

const heldOf = (projectId: string, example: ExampleName) =>
  queryOptions({
    queryKey: [projectId, "example", example],
    queryFn: async ({ signal }): Promise<Held> => {
      const admin = adminOf(projectId);
      const document = await queryClient.ensureQueryData(exampleOf(example));
      const accepted = { dryRun: "1", allowMissing: "1", skipTests: "1" } as const;
      const [{ plan }, { variables }] = await Promise.all([
        admin.importConfiguration(document, accepted, { signal }),
        admin.listVariables({ signal }),
      ]);
      const unset = new Set(variables.filter(({ configured }) => !configured).map(({ name }) => name));
      return {
        plan: { ...plan, changes: plan.changes.filter(({ action }) => action !== "create") },
        missing: variablesOf(document).filter(({ name }) => unset.has(name)),
      };
    },
  });


/** The name of a part as a link to its screen, where there is one. */
function nameOf(slug: string, section: string, name: string): ReactNode {
  const text = <bdi>{name}</bdi>;
  switch (section) {
    case "collections":
      return <Link to="/p/$slug/data/$collection" params={{ slug, collection: name }}>{text}</Link>;
    case "functions":
      return <Link to="/p/$slug/functions/$name" params={{ slug, name }}>{text}</Link>;
    case "buckets":
      return <Link to="/p/$slug/files/$bucket" params={{ slug, bucket: name }}>{text}</Link>;
    case "integrations":
      return <Link to="/p/$slug/integrations/$name" params={{ slug, name }}>{text}</Link>;
    case "webhooks":
      return <Link to="/p/$slug/webhooks/$name" params={{ slug, name }}>{text}</Link>;
    case "policySets":
      return <Link to="/p/$slug/policies" params={{ slug }}>{text}</Link>;
    case "enduserRoles":
      return <Link to="/p/$slug/roles/$of/$role" params={{ slug, of: "users", role: name }}>{text}</Link>;
    default:
      return text;
  }
}

/** What a project has of the example that it was created with. */
export function ExamplePanel({ project, perms, example }: { project: Project; perms: readonly string[]; example: ExampleName }) {
  const allowed = can(perms, "config:manage") && can(perms, "variables:read");
  const query = useQuery({ ...heldOf(project.id, example), enabled: allowed });
  if (!allowed) return null;
  const { slug } = project;
  const sections = query.data ? sectionsOf(query.data.plan, true) : [];
  const missing = query.data?.missing ?? [];
  return (
    <Panel
      title={words.title(exampleMessages.names[example])}
      aside={
        <Link to="/p/$slug" params={{ slug }} replace className={buttonClass({ small: true })}>
          {words.close}
        </Link>
      }
    >
      <PanelBody>
        {query.isError && <ErrorState error={query.error} onRetry={() => void query.refetch()} />}
        {query.isLoading && <Skeleton rows={3} height={20} />}
        {query.data && <p className={styles["secondary"]}>{sections.length > 0 ? words.text : words.nothing}</p>}
        <Facts
          rows={sections.map(([section, changes]) => [
            planMessages.sections[section] ?? section,
            changes.map(({ name }, at) => (
              <Fragment key={name}>
                {at > 0 && ", "}
                {nameOf(slug, section, name)}
              </Fragment>
            )),
          ])}
        />
        {missing.length > 0 && (
          <p>
            {words.missing}{" "}
            <Link to="/p/$slug/variables" params={{ slug }}>
              {missing.map(({ name }) => name).join(", ")}
            </Link>
          </p>
        )}
      </PanelBody>
    </Panel>
  );
}
