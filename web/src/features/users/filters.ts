// The filters of the list as the address holds them, and as a query.
import type { UserQuery } from "manybase/admin";
import type { UserSearch } from "../../app/routes/access";

const orders: Record<NonNullable<UserSearch["sort"]> | "newest", Record<string, 1 | -1>> = {
  newest: { createdAt: -1 },
  oldest: { createdAt: 1 },
  email: { email: 1 },
  name: { name: 1 },
  changed: { updatedAt: -1 },
};

export const pageSize = 50;

/** The query that an address stands for. */
export function queryOf({ find, status, role, verified, sort }: UserSearch): UserQuery {
  const text = find?.trim();
  return {
    ...(text ? { text } : {}),
    ...(status ? { status } : {}),
    ...(role ? { role } : {}),
    ...(verified ? { emailVerified: verified === "yes" } : {}),
    sort: [orders[sort ?? "newest"]],
    limit: pageSize,
  };
}

/** Whether the address leaves users out. */
export const isFiltered = ({ find, status, role, verified }: UserSearch): boolean =>
  [find?.trim(), status, role, verified].some(Boolean);
