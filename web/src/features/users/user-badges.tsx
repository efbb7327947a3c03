import type { User } from "manybase/admin";
import { Badge } from "../../components/ui/badge";
import { usersMessages as words } from "../../messages/users";

const tones = { active: "good", inactive: "warn", blocked: "bad" } as const;

/** Whether a user may sign in, and whether the address is theirs. */
export function UserBadges({ user }: { user: User }) {
  return (
    <>
      <Badge tone={tones[user.status]}>{words.status[user.status]}</Badge>{" "}
      {!user.emailVerified && <Badge>{words.unverified}</Badge>}
    </>
  );
}
