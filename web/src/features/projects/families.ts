import type { Project } from "manybase/control";

/** A project with its environments. */
export interface Family {
  root: Project;
  environments: Project[];
}

/** By name; an environment whose project the person does not see is a project of its own. */
export function groupFamilies(projects: readonly Project[]): Family[] {
  const ids = new Set(projects.map(({ id }) => id));
  const byName = (a: Project, b: Project) => a.name.localeCompare(b.name, "en") || a.id.localeCompare(b.id);
  const sorted = [...projects].sort(byName);
  return sorted
    .filter(({ parentId }) => parentId === null || !ids.has(parentId))
    .map((root) => ({ root, environments: sorted.filter(({ parentId }) => parentId === root.id) }));
}

/** The families with a text in the name or slug of one of their projects. */
export function matching(families: readonly Family[], text: string): Family[] {
  const wanted = text.trim().toLocaleLowerCase("en");
  const has = ({ name, slug }: Project) =>
    name.toLocaleLowerCase("en").includes(wanted) || slug.toLocaleLowerCase("en").includes(wanted);
  return families.filter(({ root, environments }) => [root, ...environments].some(has));
}
