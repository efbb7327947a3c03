import { useSuspenseQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useMemo } from "react";
import { manages, useProject } from "../../app/project";
import { me } from "../../app/queries";
import { can } from "../../lib/permissions";
import { connectionMessages as words } from "../../messages/connections";
import { projectSource } from "./queries";
import { ConnectionScreen } from "./screen";

/** The connections of a project, then those of its organization, which are changed by its owner elsewhere. */
export function ProjectConnectionsPage() {
  const { project, perms } = useProject();
  const { data } = useSuspenseQuery(me);
  const search = useSearch({ from: "/inside/p/$slug/connections" });
  const navigate = useNavigate({ from: "/p/$slug/connections" });
  const source = useMemo(() => projectSource(project.id), [project.id]);
  const managing = manages(project);
  return (
    <ConnectionScreen
      title={words.title}
      about={words.text}
      purpose={managing ? words.purposeText : words.purposeReader}
      source={source}
      mayCreate={managing}
      mayChange={({ scope }) => managing && scope.type === "project"}
      organizations={data.organizations.map(({ id }) => id)}
      records={
        can(perms, "audit:read") && (
          <Link to="/p/$slug/audit" params={{ slug: project.slug }} search={{ action: "connection.*" }}>
            {words.records}
          </Link>
        )
      }
      search={search}
      onSearch={(next) => void navigate({ search: next, replace: true })}
    />
  );
}
