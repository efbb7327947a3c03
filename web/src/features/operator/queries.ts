import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { isError } from "manybase";
import type { AuditEntry, User } from "manybase/control";
import { me, queryClient } from "../../app/queries";
import { control } from "../../session";

const area = "operator";

/** After a change: everything of these screens, and what the person sees of their own account, is read again. */
export const operatorChanged = () =>
  Promise.all([{ queryKey: [area] }, { queryKey: ["billing"] }, me].map((one) => queryClient.invalidateQueries(one)));

const userPage = 200;

/** All platform users, by pages, in the order of their creation. */
export const platformUsers = infiniteQueryOptions({
  queryKey: [area, "users"],
  queryFn: async ({ pageParam, signal }) => (await control.listPlatformUsers({ limit: userPage, skip: pageParam }, { signal })).users,
  initialPageParam: 0,
  getNextPageParam: (last: User[], pages: User[][]) => (last.length === userPage ? pages.length * userPage : undefined),
});

export const plansOf = queryOptions({
  queryKey: [area, "plans"],
  queryFn: async ({ signal }) => (await control.listPlans({ signal })).plans,
});

export const costModelOf = queryOptions({
  queryKey: [area, "cost-model"],
  queryFn: ({ signal }) => control.getCostModel({ signal }),
});

export const costsOf = (from: string, to: string) =>
  queryOptions({
    queryKey: [area, "costs", { from, to }],
    queryFn: ({ signal }) => control.getCosts({ from, to }, { signal }),
  });

export const operatorsOf = queryOptions({
  queryKey: [area, "operators"],
  queryFn: async ({ signal }) => (await control.listOperators({ signal })).operators,
});

const jobPage = 50;

export const deadJobs = infiniteQueryOptions({
  queryKey: [area, "jobs"],
  queryFn: async ({ pageParam, signal }) => (await control.listDeadJobs({ limit: jobPage, skip: pageParam }, { signal })).jobs,
  initialPageParam: 0,
  getNextPageParam: (last, pages) => (last.length === jobPage ? pages.length * jobPage : undefined),
});

/** The last change of a user's pinned limits, as the audit record has it; null without one, "off" without a record. */
export const lastPinOf = (userId: string) =>
  queryOptions({
    queryKey: [area, "pins", userId],
    queryFn: async ({ signal }): Promise<AuditEntry | null | "off"> => {
      try {
        const query = { action: "limits.*", target: `users/${userId}`, limit: 1 };
        return (await control.listInstanceAudit(query, { signal })).entries[0] ?? null;
      } catch (error) {
        if (isError(error, "NOT_FOUND")) return "off";
        throw error;
      }
    },
  });
