import type { User } from "manybase/admin";
import { useState } from "react";
import { adminOf } from "../../app/queries";
import { ConfirmDialog } from "../../components/form/confirm-dialog";
import { Button } from "../../components/ui/button";
import { toast } from "../../components/ui/toast";
import { usersMessages } from "../../messages/users";
import { usersChanged } from "./api";
import styles from "./users.module.css";

const words = usersMessages.access;

type Action = keyof typeof usersMessages.confirm;

const actionsOf: Record<User["status"], Action[]> = {
  active: ["deactivate", "block"],
  inactive: ["activate", "block"],
  blocked: ["activate"],
};

/** Whether the user may sign in, and what changes it. */
export function UserAccess({ projectId, user, offered }: { projectId: string; user: User; offered: boolean }) {
  const [action, setAction] = useState<Action>();
  const run = async (chosen: Action) => {
    const admin = adminOf(projectId);
    const calls = {
      activate: admin.activateUser,
      deactivate: admin.deactivateUser,
      block: admin.blockUser,
      resetFactor: admin.resetSecondFactor,
    };
    await calls[chosen](user.id);
    await usersChanged(projectId);
    toast(usersMessages.confirm[chosen].done(user.email));
  };
  const actions: Action[] = [...actionsOf[user.status], ...(user.mfaEnabled ? (["resetFactor"] as const) : [])];
  return (
    <section className={styles["section"]}>
      <h3>{usersMessages.panel.access}</h3>
      <p>{words[user.status]}</p>
      {offered && (
        <div className={styles["actions"]}>
          {actions.map((one) => (
            <Button key={one} look={one === "activate" ? "default" : "danger"} onClick={() => setAction(one)}>
              {words[one]}
            </Button>
          ))}
        </div>
      )}
      {action && (
        <ConfirmDialog
          open
          title={usersMessages.confirm[action].title}
          action={words[action]}
          danger={action !== "activate"}
          onConfirm={() => run(action)}
          onClose={() => setAction(undefined)}
        >
          <p>
            <b>
              <bdi>{user.email}</bdi>
            </b>{" "}
            {usersMessages.confirm[action].text}
          </p>
        </ConfirmDialog>
      )}
    </section>
  );
}
