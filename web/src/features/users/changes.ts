// What the form of a user says, and what of it is sent.
import type { Role, User, UserPatch } from "manybase/admin";
import { exactJson, printJson } from "../../lib/json";
import { can } from "../../lib/permissions";
import { usersMessages } from "../../messages/users";

const words = usersMessages.panel;

/** The role that users have without one. */
export const commonRole = "user";

export const roleOf = ({ metadata }: Pick<User, "metadata">): string =>
  typeof metadata["role"] === "string" ? metadata["role"] : commonRole;

/** The metadata as text, without the role, which has a field of its own. */
export function metadataText({ metadata }: Pick<User, "metadata">): string {
  const { role: _, ...rest } = metadata;
  return printJson(rest);
}

/** The metadata that a text and a role give. Throws an error with words for the person where the text is no object. */
export function metadataOf(text: string, role: string, before: Record<string, unknown>): Record<string, unknown> {
  let parsed: unknown;
  try {
    parsed = exactJson.parse(text.trim() || "{}");
  } catch (error) {
    throw new Error(words.notJson((error as Error).message));
  }
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) {
    throw new Error(words.notObject);
  }
  if (Object.hasOwn(parsed, "role")) throw new Error(words.noRole);
  const rest = parsed as Record<string, unknown>;
  return role === commonRole && before["role"] === undefined ? rest : { ...rest, role };
}

/** What the values of the form change of a user; absent ones stay. Throws for metadata as `metadataOf`. */
export function patchOf(user: User, values: Readonly<Record<string, string>>, locked: boolean): UserPatch {
  const patch: UserPatch = {};
  const { email = user.email, name = "", role = roleOf(user), metadata = "" } = values;
  if (email !== user.email) patch.email = email;
  if (name !== (user.name ?? "")) patch.name = name.trim() ? name : null;
  const verified = values["emailVerified"] === "on";
  if (!locked && verified !== user.emailVerified) patch.emailVerified = verified;
  const next = metadataOf(metadata, role, user.metadata);
  if (printJson(next) !== printJson(metadataOf(metadataText(user), roleOf(user), user.metadata))) patch.metadata = next;
  return patch;
}

/** Whether the caller holds all that a role holds; of a role that is not known the server decides. */
export const coversRole = (perms: readonly string[], roles: readonly Role[] | undefined, name: string): boolean =>
  (roles?.find((role) => role.name === name && !role.builtIn)?.permissions ?? []).every((one) => can(perms, one));
