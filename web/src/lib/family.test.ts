import type { Project } from "manybase/control";
import { expect, test } from "vitest";
import { familyOf } from "./family";

const project = (id: string, parentId: string | null = null, environment: string | null = null) =>
  ({ id, parentId, environment }) as Project;
const [shop, staging, dev, zoo, lost] = [
  project("shop"),
  project("s", "shop", "staging"),
  project("d", "shop", "dev"),
  project("zoo"),
  project("l", "hidden", "qa"),
];
const all = [staging, zoo, dev, lost, shop];

test("the project comes first, then its environments by label", () => {
  expect(familyOf(all, shop)).toEqual([shop, dev, staging]);
  expect(familyOf(all, dev)).toEqual([shop, dev, staging]);
  expect(familyOf(all, zoo)).toEqual([zoo]);
});

test("an environment whose project is not seen", () => expect(familyOf(all, lost)).toEqual([lost]));
