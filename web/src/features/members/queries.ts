import { queryOptions } from "@tanstack/react-query";
import type { Member, Project } from "manybase/control";
import { adminOf } from "../../app/queries";
import { can } from "../../lib/permissions";

const builtIn = ["Owner", "Admin", "Editor", "Viewer"];

/** The names of the roles that members can have: built-in ones first. */
export const rolesOf = (projectId: string, perms: readonly string[]) =>
  queryOptions({
    queryKey: [projectId, "members", "roles"],
    queryFn: async ({ signal }) => {
      const { roles } = await adminOf(projectId).listRoles({ signal });
      return [...builtIn, ...roles.map(({ name }) => name).filter((name) => !builtIn.includes(name))];
    },
    enabled: can(perms, "roles:read"),
    placeholderData: builtIn,
  });

/** The roles that a person with this role may give. */
export const grantable = (roles: readonly string[], own: Project["role"]): string[] =>
  roles.filter((role) => role !== "Owner" || own === "Owner");

/** Why a member stays as it is, or nothing where the person may change it. */
export type Fixed = "lastOwner" | "ownersOnly" | undefined;

/** REQUIRES: the person manages members, with the role `own`. */
export function fixedBy(member: Member, members: readonly Member[], own: Project["role"]): Fixed {
  if (member.role !== "Owner") return undefined;
  if (own !== "Owner") return "ownersOnly";
  const owners = members.filter(({ role, status }) => role === "Owner" && status === "active");
  return member.status === "active" && owners.length === 1 ? "lastOwner" : undefined;
}
