import type { Project } from "manybase/control";

/** A project with its environments, the project first and these by their labels: those that the person sees. */
export function familyOf(projects: readonly Project[], one: Project): Project[] {
  const rootId = one.parentId ?? one.id;
  const label = ({ environment }: Project) => environment ?? "";
  const root = projects.filter(({ id }) => id === rootId);
  const environments = projects.filter(({ parentId }) => parentId === rootId);
  return [...root, ...environments.sort((a, b) => label(a).localeCompare(label(b), "en"))];
}
