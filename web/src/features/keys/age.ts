import type { ApiKey } from "manybase/admin";

const dayMs = 86_400_000;
const idleDays = 90;
const newDays = 30;
const soonDays = 14;

export interface Age {
  /** Whether it was created long ago and never used since, or last used long ago. */
  use?: "unused" | "idle";
  end?: "expired" | "soon";
}

/** What is worth a look about a key: one that has no use any more, and one that ends. */
export function ageOf({ createdAt, lastUsedAt, expiresAt }: ApiKey, now = Date.now()): Age {
  const days = (iso: string) => (now - Date.parse(iso)) / dayMs;
  const age: Age = {};
  if (lastUsedAt === null) {
    if (days(createdAt) > newDays) age.use = "unused";
  } else if (days(lastUsedAt) > idleDays) {
    age.use = "idle";
  }
  if (expiresAt !== null) {
    const left = -days(expiresAt);
    if (left <= 0) age.end = "expired";
    else if (left < soonDays) age.end = "soon";
  }
  return age;
}
