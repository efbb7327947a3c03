import { Link, useNavigate } from "@tanstack/react-router";
import { isError } from "manybase";
import { useState } from "react";
import { ConfirmDialog } from "../../components/form/confirm-dialog";
import { Badge } from "../../components/ui/badge";
import { toast } from "../../components/ui/toast";
import { rolesMessages } from "../../messages/roles";
import { holdersOf, rolesApi, rolesChanged, type Holders } from "./api";
import type { Kind } from "./grants";
import styles from "./roles.module.css";

const words = rolesMessages.remove;

interface DeleteProps {
  projectId: string;
  slug: string;
  kind: Kind;
  name: string;
  /** Whether the caller may read who has it. */
  names: boolean;
  onClose(): void;
}

function HeldBy({ holders, slug, kind, name }: Omit<DeleteProps, "projectId" | "names" | "onClose"> & { holders: Holders }) {
  const { some, total } = holders;
  return (
    <div className={styles["holders"]}>
      <p>{words.held}</p>
      <ul>
        {some.map(({ address, pending }) => (
          <li key={address}>
            <bdi>{address}</bdi> {pending && <Badge>{words.pending}</Badge>}
          </li>
        ))}
        {total > some.length && <li>{words.andMore(total - some.length)}</li>}
      </ul>
      {kind === "users" ? (
        <Link to="/p/$slug/users" params={{ slug }} search={{ role: name }}>
          {words.show}
        </Link>
      ) : (
        <Link to="/p/$slug/members" params={{ slug }}>
          {words.show}
        </Link>
      )}
    </div>
  );
}

/** Deletes a role; where someone still has it, shows who. */
export function DeleteRole({ projectId, slug, kind, name, names, onClose }: DeleteProps) {
  const navigate = useNavigate();
  const [holders, setHolders] = useState<Holders>();
  const remove = async () => {
    try {
      await rolesApi(projectId, kind).remove(name);
    } catch (error) {
      if (names && isError(error, "CONFLICT")) setHolders(await holdersOf(projectId, kind, name).catch(() => undefined));
      throw error;
    }
    toast(words.done(name));
    await navigate({ to: "/p/$slug/roles", params: { slug }, search: kind === "users" ? { of: kind } : {} });
    await rolesChanged(projectId);
  };
  return (
    <ConfirmDialog open title={words.title} action={words.action} danger onConfirm={remove} onClose={onClose}>
      <p>
        <b>{name}</b> {words.text}
      </p>
      {holders && holders.total > 0 && <HeldBy holders={holders} slug={slug} kind={kind} name={name} />}
    </ConfirmDialog>
  );
}
