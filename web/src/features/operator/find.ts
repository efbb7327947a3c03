import type { User } from "manybase/control";

/** The users whose address, name or id contains a text; without one all. */
export function findUsers(users: readonly User[], find: string | undefined): readonly User[] {
  const wanted = find?.trim().toLowerCase();
  if (!wanted) return users;
  return users.filter(({ email, name, id }) => [email, name ?? "", id].some((text) => text.toLowerCase().includes(wanted)));
}
