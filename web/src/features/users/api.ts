import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import { adminOf, queryClient } from "../../app/queries";
import type { UserSearch } from "../../app/routes/access";
import { can } from "../../lib/permissions";
import { queryOf } from "./filters";

/** The users that fit the filters, by pages. */
export const usersOf = (projectId: string, search: UserSearch) => {
  const query = queryOf(search);
  return infiniteQueryOptions({
    queryKey: [projectId, "users", "list", query],
    queryFn: ({ signal, pageParam }) =>
      adminOf(projectId).queryUsers(pageParam ? { ...query, after: pageParam } : query, { signal }),
    initialPageParam: "",
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
  });
};

export const userOf = (projectId: string, id: string) =>
  queryOptions({
    queryKey: [projectId, "users", "one", id],
    queryFn: async ({ signal }) => (await adminOf(projectId).getUser(id, { signal })).user,
  });

/** The roles that end users may have. */
export const userRolesOf = (projectId: string, perms: readonly string[]) =>
  queryOptions({
    queryKey: [projectId, "roles", "users"],
    queryFn: async ({ signal }) => (await adminOf(projectId).listEndUserRoles({ signal })).enduserRoles,
    enabled: can(perms, "roles:read"),
  });

export const usersChanged = (projectId: string) => queryClient.invalidateQueries({ queryKey: [projectId, "users"] });
