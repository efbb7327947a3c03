// The roles of members and those of end users: the same calls under two names.
import { queryOptions } from "@tanstack/react-query";
import type { OperationOptions } from "manybase/admin";
import { adminOf, queryClient } from "../../app/queries";
import { control } from "../../session";
import type { Kind } from "./grants";

/** The calls about the roles of a kind. */
export function rolesApi(projectId: string, kind: Kind) {
  const admin = adminOf(projectId);
  return kind === "members"
    ? {
        list: async (options: OperationOptions) => (await admin.listRoles(options)).roles,
        get: admin.getRole,
        create: admin.createRole,
        replace: admin.replaceRole,
        remove: admin.deleteRole,
      }
    : {
        list: async (options: OperationOptions) => (await admin.listEndUserRoles(options)).enduserRoles,
        get: admin.getEndUserRole,
        create: admin.createEndUserRole,
        replace: admin.replaceEndUserRole,
        remove: admin.deleteEndUserRole,
      };
}

export const rolesOf = (projectId: string, kind: Kind) =>
  queryOptions({
    queryKey: [projectId, "roles", kind],
    queryFn: ({ signal }) => rolesApi(projectId, kind).list({ signal }),
  });

export const roleOf = (projectId: string, kind: Kind, name: string) =>
  queryOptions({
    queryKey: [projectId, "roles", kind, name],
    queryFn: async ({ signal }) => (await rolesApi(projectId, kind).get(name, { signal })).role,
  });

export const rolesChanged = (projectId: string) => queryClient.invalidateQueries({ queryKey: [projectId, "roles"] });

export interface Holders {
  /** The first of them, by address. */
  some: { address: string; pending: boolean }[];
  total: number;
}

const maxNamed = 5;

/** Who has a role. */
export async function holdersOf(projectId: string, kind: Kind, role: string): Promise<Holders> {
  if (kind === "users") {
    const { users, total } = await adminOf(projectId).queryUsers({ role, sort: [{ email: 1 }], limit: maxNamed });
    return { some: users.map(({ email }) => ({ address: email, pending: false })), total };
  }
  const { members } = await control.listMembers(projectId);
  const held = members.filter((member) => member.role === role);
  return {
    some: held.slice(0, maxNamed).map(({ email, status }) => ({ address: email, pending: status === "pending" })),
    total: held.length,
  };
}
