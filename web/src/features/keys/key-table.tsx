import { useQuery } from "@tanstack/react-query";
import type { ApiKey } from "manybase/admin";
import { useState } from "react";
import { adminOf, projectChanged } from "../../app/queries";
import { collectionsOf } from "../../components/data/queries";
import { ConfirmDialog } from "../../components/form/confirm-dialog";
import { IssuedKey } from "../../components/keys/issued-key";
import { mayGrant } from "../../components/keys/scopes";
import { Badge } from "../../components/ui/badge";
import { Button } from "../../components/ui/button";
import { Card } from "../../components/ui/panel";
import { Time } from "../../components/ui/relative-time";
import { Table } from "../../components/ui/table";
import { toast } from "../../components/ui/toast";
import { can } from "../../lib/permissions";
import { keysMessages as words } from "../../messages/keys";
import { ageOf } from "./age";
import styles from "./keys.module.css";

interface TableProps {
  projectId: string;
  keys: readonly ApiKey[];
  perms: readonly string[];
}

interface Action {
  what: "rotate" | "revoke";
  key: ApiKey;
}

function LastUse({ of }: { of: ApiKey }) {
  const { use } = ageOf(of);
  if (use === "unused") return <Badge tone="warn">{words.unused}</Badge>;
  if (of.lastUsedAt === null) return words.never;
  return (
    <>
      <Time at={of.lastUsedAt} /> {use === "idle" && <Badge tone="warn">{words.idle}</Badge>}
    </>
  );
}

function End({ of }: { of: ApiKey }) {
  const { end } = ageOf(of);
  if (of.expiresAt === null) return words.never;
  return (
    <>
      <Time at={of.expiresAt} />{" "}
      {end && <Badge tone={end === "expired" ? "bad" : "warn"}>{end === "expired" ? words.expired : words.soon}</Badge>}
    </>
  );
}

/** The keys with what each may do; changes them where the caller may. */
export function KeyTable({ projectId, keys, perms }: TableProps) {
  const [action, setAction] = useState<Action>();
  const [issued, setIssued] = useState<{ value: string; scopes: ApiKey["scopes"] }>();
  const { data: collections } = useQuery(collectionsOf(projectId, perms));
  const manages = can(perms, "keys:manage");

  const rotate = async ({ id, name, scopes }: ApiKey) => {
    const { key } = await adminOf(projectId).rotateApiKey(id);
    setIssued({ value: key, scopes });
    toast(words.rotated(name));
    await projectChanged(projectId);
  };
  const revoke = async ({ id, name }: ApiKey) => {
    await adminOf(projectId).revokeApiKey(id);
    toast(words.revoked(name));
    await projectChanged(projectId);
  };

  const { columns } = words;
  return (
    <Card>
      <Table
        label={words.title}
        columns={[columns.name, columns.scopes, columns.created, columns.used, columns.expires, ...(manages ? [""] : [])]}
        rows={keys.map((key) => ({
          key: key.id,
          cells: [
            <bdi>{key.name}</bdi>,
            <span className={styles["scopes"]}>
              {key.scopes.map((scope) => (
                <Badge key={scope} tone={scope === "admin" || scope === "service" ? "warn" : "plain"}>
                  {words.scope[scope]?.short ?? scope}
                </Badge>
              ))}
            </span>,
            <Time at={key.createdAt} />,
            <LastUse of={key} />,
            <End of={key} />,
            ...(manages
              ? [
                  <span className={styles["actions"]}>
                    {mayGrant(perms, key.scopes) && ageOf(key).end !== "expired" && (
                      <Button small aria-label={words.rotateNamed(key.name)} onClick={() => setAction({ what: "rotate", key })}>
                        {words.rotate}
                      </Button>
                    )}
                    <Button
                      small
                      look="danger"
                      aria-label={words.revokeNamed(key.name)}
                      onClick={() => setAction({ what: "revoke", key })}
                    >
                      {words.revoke}
                    </Button>
                  </span>,
                ]
              : []),
          ],
        }))}
      />
      {action && (
        <ConfirmDialog
          open
          title={action.what === "rotate" ? words.rotateTitle : words.revokeTitle}
          action={action.what === "rotate" ? words.rotate : words.revoke}
          danger={action.what === "revoke"}
          onConfirm={() => (action.what === "rotate" ? rotate(action.key) : revoke(action.key))}
          onClose={() => setAction(undefined)}
        >
          <p>
            <b>
              <bdi>{action.key.name}</bdi>
            </b>{" "}
            {action.what === "rotate" ? words.rotateText : words.revokeText}
          </p>
        </ConfirmDialog>
      )}
      {issued && !action && <IssuedKey {...issued} collection={collections?.[0]?.name} onClose={() => setIssued(undefined)} />}
    </Card>
  );
}
