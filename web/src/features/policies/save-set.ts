import { isError } from "manybase";
import type { NewPolicySet } from "manybase/admin";
import { adminOf, queryClient } from "../../app/queries";
import { FormProblem } from "../../components/form/form";
import { indexedOf } from "./data";
import type { Permission } from "./rights";

interface SaveSet {
  projectId: string;
  may: Permission;
  name: string;
  set: NewPolicySet;
  /** The field that is compared with the id of the caller. */
  userField: string;
  /** Whether an index that the set needs is created where there is none. */
  index: boolean;
}

/** Saves a set, after the index that it needs. An error of its name is that of the field `at`. */
export async function saveSet({ projectId, may, name, set, userField, index }: SaveSet, at: string): Promise<void> {
  const admin = adminOf(projectId);
  if (index && may("collections:manage")) {
    const indexed = await queryClient.fetchQuery({ ...indexedOf(projectId, set.collection, may), staleTime: 0 });
    if (!indexed.includes(userField)) await admin.createIndex(set.collection, { keys: Object.fromEntries([[userField, 1]]) });
  }
  try {
    await admin.setPolicySet(name, set);
  } catch (error) {
    const detail = isError(error) ? error.details.find(({ path }) => path === "/name") : undefined;
    if (detail) throw new FormProblem(at, detail.message);
    throw error;
  }
}
