import type { Project } from "manybase/control";
import { expect, test } from "vitest";
import { groupFamilies, matching } from "./families";

const project = (id: string, name: string, parentId: string | null = null): Project =>
  ({ id, name, slug: `${name.toLowerCase()}-${id}`, parentId }) as Project;

const list = [project("3", "Zoo"), project("1", "bookshop"), project("2", "bookshop staging", "1"), project("4", "lost", "9")];

test("environments are with their project, in order of names", () => {
  const families = groupFamilies(list);
  expect(families.map(({ root }) => root.id)).toEqual(["1", "4", "3"]);
  expect(families[0]!.environments.map(({ id }) => id)).toEqual(["2"]);
});

test("a text is found in names, slugs and environments, whatever its case", () => {
  const ids = (text: string) => matching(groupFamilies(list), text).map(({ root }) => root.id);
  expect(ids("")).toEqual(["1", "4", "3"]);
  expect(ids(" ZOO ")).toEqual(["3"]);
  expect(ids("staging")).toEqual(["1"]);
  expect(ids("lost-4")).toEqual(["4"]);
  expect(ids("nothing")).toEqual([]);
});
