import type { AuditEntry } from "manybase/admin";
import type { Member } from "manybase/control";

/** An offer to pay for a project that is open. */
export interface Offer {
  /** The Owner who may accept it. */
  to: Member;
  until: string;
}

const openMs = 7 * 24 * 3_600_000;
const actions = ["project.transferOffered", "project.transferWithdrawn", "project.transferred"];

/** From when on entries of the audit log matter for an offer, to the hour. */
export const offersFrom = (now = Date.now()): string => new Date(Math.floor((now - openMs) / 3_600_000) * 3_600_000).toISOString();

/** The open offer, of entries of the audit log, newest first; it ends also where one of the two is not an Owner any more. */
export function offerOf(entries: readonly AuditEntry[], members: readonly Member[], now = Date.now()): Offer | undefined {
  const last = entries.find(({ action }) => actions.includes(action));
  if (last?.action !== "project.transferOffered") return undefined;
  const until = new Date(last.at).getTime() + openMs;
  const owner = (id: unknown) => members.find(({ userId, role, status }) => userId === id && role === "Owner" && status === "active");
  const to = owner(last.details["userId"]);
  return to && owner(last.actor.id) && now < until ? { to, until: new Date(until).toISOString() } : undefined;
}
