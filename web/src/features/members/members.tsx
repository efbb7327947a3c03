import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { UserPlus } from "lucide-react";
import type { Member } from "manybase/control";
import { useState } from "react";
import { manages, useProject } from "../../app/project";
import { me, membersOf } from "../../app/queries";
import { Page } from "../../components/shell/page";
import { ShowCall } from "../../components/shell/show-call";
import { ErrorState } from "../../components/states/problem";
import { Skeleton } from "../../components/states/skeleton";
import { Badge } from "../../components/ui/badge";
import { Button } from "../../components/ui/button";
import { CopyButton } from "../../components/ui/copy-button";
import { Panel, PanelBody } from "../../components/ui/panel";
import { Time } from "../../components/ui/relative-time";
import { Table } from "../../components/ui/table";
import { serverUrl } from "../../lib/server";
import { membersMessages as words } from "../../messages/members";
import { ChangeRole, Invite, Remove, invite } from "./dialogs";
import styles from "./members.module.css";
import { fixedBy } from "./queries";

type Open = { what: "role" | "remove"; member: Member } | undefined;

function Person({ member, own }: { member: Member; own: boolean }) {
  return (
    <span className={styles["person"]}>
      <bdi className={styles["email"]} title={member.email}>{member.email}</bdi>
      {member.name && (
        <bdi className={styles["name"]} title={member.name}>
          {member.name}
        </bdi>
      )}
      {own && <Badge tone="info">{words.you}</Badge>}
      {member.status === "pending" && <Badge tone="warn">{words.pending}</Badge>}
    </span>
  );
}

function Register() {
  const address = `${serverUrl}/dashboard/register`;
  return (
    <PanelBody>
      <p className={styles["register"]}>
        {words.register} <code>{address}</code>
        <CopyButton text={address} label={words.registerCopy} />
      </p>
    </PanelBody>
  );
}

export function MembersPage() {
  const { project, perms } = useProject();
  const { data: self } = useSuspenseQuery(me);
  const query = useQuery(membersOf(project.id));
  const search = useSearch({ from: "/inside/p/$slug/members" });
  const navigate = useNavigate();
  const [open, setOpen] = useState<Open>();
  const [sending, setSending] = useState<string>();
  const [problem, setProblem] = useState<unknown>();
  const managing = manages(project);
  const members = query.data ?? [];
  const isOwn = ({ userId }: Member) => userId === self.user.id;
  const setNew = (next: boolean) =>
    void navigate({ to: "/p/$slug/members", params: { slug: project.slug }, search: next ? { new: true } : {}, replace: true });

  const sendAgain = async ({ email, role }: Member) => {
    setSending(email);
    setProblem(undefined);
    try {
      await invite(project, email, role);
    } catch (error) {
      setProblem(error);
    } finally {
      setSending(undefined);
    }
  };
  const actions = (member: Member) => {
    const fixed = fixedBy(member, members, project.role);
    if (fixed) return <span className={styles["fixed"]}>{words[fixed]}</span>;
    const pending = member.status === "pending";
    const own = isOwn(member);
    return (
      <span className={styles["actions"]}>
        {pending && (
          <Button
            small
            busy={sending === member.email}
            aria-label={words.againNamed(member.email)}
            onClick={() => void sendAgain(member)}
          >
            {words.again}
          </Button>
        )}
        <Button small aria-label={words.changeNamed(member.email)} onClick={() => setOpen({ what: "role", member })}>
          {words.change}
        </Button>
        <Button
          small
          look="danger"
          aria-label={own ? words.leave : pending ? words.cancelNamed(member.email) : words.removeNamed(member.email)}
          onClick={() => setOpen({ what: "remove", member })}
        >
          {own ? words.leave : pending ? words.cancel : words.remove}
        </Button>
      </span>
    );
  };
  const close = () => setOpen(undefined);
  const Opened = open?.what === "role" ? ChangeRole : Remove;
  return (
    <Page
      title={words.title}
      actions={
        <>
          <ShowCall
            calls={[
              {
                title: words.calls.list,
                method: "GET",
                path: `/control/projects/${project.id}/members`,
                sdk: `const { members } = await control.listMembers(${JSON.stringify(project.id)});`,
              },
              {
                title: words.calls.add,
                method: "POST",
                path: `/control/projects/${project.id}/members`,
                body: { email: "ada@example.com", role: "Editor" },
                sdk: `await control.addMember(${JSON.stringify(project.id)}, { email: "ada@example.com", role: "Editor" });`,
              },
            ]}
          />
          {managing && (
            <Button look="primary" onClick={() => setNew(true)}>
              <UserPlus size={16} strokeWidth={1.75} aria-hidden />
              {words.inviteTitle}
            </Button>
          )}
        </>
      }
    >
      <p className={styles["text"]}>{words.text}</p>
      {problem !== undefined && <ErrorState error={problem} />}
      <Panel title={words.list}>
        {query.data ? (
          <Table
            label={words.list}
            columns={[words.person, words.role, words.since, ...(managing ? [""] : [])]}
            rows={members.map((member) => ({
              key: member.id,
              cells: [
                <Person member={member} own={isOwn(member)} />,
                <bdi>{member.role}</bdi>,
                <Time at={member.createdAt} />,
                ...(managing ? [actions(member)] : []),
              ],
            }))}
          />
        ) : (
          <PanelBody>
            {query.isError ? <ErrorState error={query.error} onRetry={() => void query.refetch()} /> : <Skeleton rows={4} height={32} />}
          </PanelBody>
        )}
        {managing && members.some(({ status }) => status === "pending") && <Register />}
      </Panel>
      {managing && <Invite open={search.new === true} project={project} perms={perms} onClose={() => setNew(false)} />}
      {open && <Opened project={project} perms={perms} member={open.member} own={isOwn(open.member)} onClose={close} />}
    </Page>
  );
}
