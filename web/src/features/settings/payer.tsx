import { queryOptions, useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { isError } from "manybase";
import type { Member, Project } from "manybase/control";
import { useState } from "react";
import { adminOf, me, membersOf, projects, queryClient } from "../../app/queries";
import { ConfirmDialog } from "../../components/form/confirm-dialog";
import { DialogForm } from "../../components/form/dialog-form";
import type { Values } from "../../components/form/form";
import { Changes } from "../../components/form/review";
import { ShowCall } from "../../components/shell/show-call";
import { ErrorState } from "../../components/states/problem";
import { Skeleton } from "../../components/states/skeleton";
import { Button } from "../../components/ui/button";
import { Dialog } from "../../components/ui/dialog";
import { Panel, PanelBody } from "../../components/ui/panel";
import { SelectField } from "../../components/ui/select-field";
import { toast } from "../../components/ui/toast";
import { can } from "../../lib/permissions";
import { formatMoment } from "../../lib/format";
import { settingsMessages } from "../../messages/settings";
import { control } from "../../session";
import { offerOf, offersFrom, type Offer } from "./offer";
import styles from "./settings.module.css";

const words = settingsMessages.payer;

/** What the audit log says of offers; without a record, or the permission to read it, nothing is known of them. */
const offersOf = (projectId: string, perms: readonly string[]) =>
  queryOptions({
    queryKey: [projectId, "offers"],
    queryFn: async ({ signal }) => {
      try {
        const query = { action: "project.*", target: `projects/${projectId}`, from: offersFrom(), limit: 200 };
        return (await adminOf(projectId).listAudit(query, { signal })).entries;
      } catch (error) {
        if (isError(error, "NOT_FOUND")) return [];
        throw error;
      }
    },
    enabled: can(perms, "audit:read"),
  });

async function moved(project: Project): Promise<void> {
  const keys = [projects.queryKey, [project.id, "offers"], [project.id, "usage"], ["billing"]];
  await Promise.all(keys.map((queryKey) => queryClient.invalidateQueries({ queryKey })));
}

const nameOf = ({ name, email }: Member) => (name ? `${name} (${email})` : email);

function OfferDialog({ project, owners, payer, onClose }: { project: Project; owners: readonly Member[]; payer: string; onClose(): void }) {
  const [to, setTo] = useState(owners[0]!);
  const offer = async ({ userId = "" }: Values) => {
    await control.offerTransfer(project.id, { userId });
    await moved(project);
    toast(words.offered(to.email));
    onClose();
  };
  return (
    <Dialog open onClose={onClose} title={words.offerTitle} description={words.offerText}>
      <DialogForm label={words.offerTitle} action={words.offer} onSubmit={offer} onClose={onClose} passing>
        <SelectField
          label={words.owner}
          name="userId"
          value={to.userId!}
          onChange={(id) => setTo(owners.find(({ userId }) => userId === id)!)}
          options={owners.map((owner) => ({ value: owner.userId!, label: nameOf(owner) }))}
        />
        <Changes label={words.offerTitle} changes={[{ label: words.title, before: payer, after: words.onceAccepted(nameOf(to)) }]} />
      </DialogForm>
    </Dialog>
  );
}

interface QuestionProps {
  what: "take" | "accept" | "withdraw";
  project: Project;
  offer: Offer | undefined;
  payer: string;
  onClose(): void;
}

function Question({ what, project, offer, payer, onClose }: QuestionProps) {
  const { data: self } = useSuspenseQuery(me);
  const confirm = async () => {
    if (what === "take") await control.offerTransfer(project.id, { userId: self.user.id });
    if (what === "accept") await control.acceptTransfer(project.id);
    if (what === "withdraw") await control.withdrawTransfer(project.id);
    await moved(project);
    toast(words.done[what]);
  };
  const changes =
    what === "withdraw"
      ? [{ label: words.openOffer, before: offer ? nameOf(offer.to) : words.another, after: words.noOffer }]
      : [{ label: words.title, before: payer, after: words.you }];
  return (
    <ConfirmDialog open title={words.questions[what]} action={words.actions[what]} onConfirm={confirm} onClose={onClose}>
      <p>{words.effects[what]}</p>
      <Changes label={words.questions[what]} changes={changes} />
    </ConfirmDialog>
  );
}

function Offered({ offer, own }: { offer: Offer; own: boolean }) {
  const until = formatMoment(offer.until);
  return <p role="status">{own ? words.offeredToYou(until) : <bdi>{words.offeredTo(nameOf(offer.to), until)}</bdi>}</p>;
}

/** Who pays for a project, and how it moves to another Owner. REQUIRES: the person is an Owner of it, and it is not an environment. */
export function Payer({ project, perms }: { project: Project; perms: readonly string[] }) {
  const [open, setOpen] = useState<"offer" | QuestionProps["what"]>();
  const { data: self } = useSuspenseQuery(me);
  const members = useQuery(membersOf(project.id));
  const offers = useQuery(offersOf(project.id, perms));
  const pays = self.organizations.some(({ id }) => id === project.organizationId);
  const offer = offerOf(offers.data ?? [], members.data ?? []);
  const isOwn = (member: Member) => member.userId === self.user.id;
  const others = (members.data ?? []).filter((one) => one.role === "Owner" && one.status === "active" && !isOwn(one));
  const payer = pays ? words.you : words.another;
  const failed = [members, offers].find(({ isError: wrong }) => wrong);
  const close = () => setOpen(undefined);
  const id = JSON.stringify(project.id);
  const call = (title: string, method: string, path: string, sdk: string, body?: unknown) => ({
    title,
    method,
    path: `/control/projects/${project.id}/transfer${path}`,
    sdk,
    ...(body === undefined ? {} : { body }),
  });
  return (
    <Panel
      title={words.title}
      aside={
        <ShowCall
          small
          calls={[
            call(words.calls.offer, "POST", "", `await control.offerTransfer(${id}, { userId });`, { userId: self.user.id }),
            call(words.calls.accept, "POST", "/accept", `await control.acceptTransfer(${id});`),
            call(words.calls.withdraw, "DELETE", "", `await control.withdrawTransfer(${id});`),
          ]}
        />
      }
    >
      <PanelBody>
        <p>{pays ? words.youPay : words.anotherPays}</p>
        {failed && <ErrorState error={failed.error} onRetry={() => void failed.refetch()} />}
        {members.isPending && <Skeleton rows={1} height={30} />}
        {offer && <Offered offer={offer} own={isOwn(offer.to)} />}
        {members.data && (
          <div className={styles["buttons"]}>
            {offer && isOwn(offer.to) && <Button onClick={() => setOpen("accept")}>{words.actions.accept}</Button>}
            {!pays && !(offer && isOwn(offer.to)) && <Button onClick={() => setOpen("take")}>{words.actions.take}</Button>}
            {others.length > 0 && <Button onClick={() => setOpen("offer")}>{words.offerTitle}</Button>}
            {offer && <Button onClick={() => setOpen("withdraw")}>{words.actions.withdraw}</Button>}
          </div>
        )}
        {members.data && others.length === 0 && <p className={styles["secondary"]}>{words.alone}</p>}
      </PanelBody>
      {open === "offer" && <OfferDialog project={project} owners={others} payer={payer} onClose={close} />}
      {open && open !== "offer" && <Question what={open} project={project} offer={offer} payer={payer} onClose={close} />}
    </Panel>
  );
}
