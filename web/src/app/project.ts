// The project of the page, for its screens.
import { useSuspenseQuery } from "@tanstack/react-query";
import { useLoaderData } from "@tanstack/react-router";
import type { Project } from "manybase/control";
import { permissions, projects } from "./queries";

interface Opened {
  project: Project;
  /** What the person may do through the admin plane; nothing while the project is suspended. */
  perms: readonly string[];
  /** All projects of the person. */
  list: readonly Project[];
}

/** The project of the address as it is now. */
export function useProject(): Opened {
  const loaded = useLoaderData({ from: "/inside/p/$slug" });
  const { data: list } = useSuspenseQuery(projects);
  const project = list.find(({ id }) => id === loaded.id) ?? loaded;
  const { data: perms } = useSuspenseQuery(permissions(project.id));
  return { project, perms, list };
}

/** Whether the role of the person manages settings and members of a project. */
export const manages = ({ role }: Project): boolean => role === "Owner" || role === "Admin";
export const owns = ({ role }: Project): boolean => role === "Owner";
