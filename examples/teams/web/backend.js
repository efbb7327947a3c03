// The client of the SDK, shared by all views.
import { createClient, ManybaseError } from "manybase";
import { project, server } from "./config.js";

export const mb = createClient({ url: server, project });

export const teams = mb.collection("teams");
export const memberships = mb.collection("memberships");
export const tasks = mb.collection("tasks");
export const comments = mb.collection("comments");
export const activity = mb.collection("activity");
export const invitations = mb.collection("invitations");
export const attachments = mb.files("attachments");

/** Calls a function of the project and gives its result. The functions of this example answer errors as `{error}`. */
export async function call(path, body) {
  const response = await mb.run("POST", path, { body });
  const result = await response.json().catch(() => ({}));
  if (response.ok) return result;
  // An error of the server itself, such as a limit, has a code and a message.
  const { error } = result;
  throw new ManybaseError(
    response.status,
    error?.code ?? "FUNCTION",
    error?.message ?? error ?? "The function failed.",
  );
}

/** The members of a team by the ids of their users, and the caller's own role in it. */
export async function membersOf(teamId) {
  const found = [];
  for await (const one of memberships.query({ filter: { teamId }, expand: ["userId"], limit: 200 })) found.push(one);
  const members = found.map((one) => {
    const user = typeof one.userId === "object" ? one.userId : { id: one.userId };
    return { id: one.id, user: user.id, name: user.name ?? "Someone", role: one.role };
  });
  members.sort((a, b) => a.name.localeCompare(b.name));
  const names = new Map(members.map((one) => [one.user, one.name]));
  return {
    members,
    role: members.find((one) => one.user === mb.auth.user?.id)?.role,
    /** The name of a user, which is not known here of those who have left, or joined since. */
    nameOf: (user) => names.get(user) ?? "Someone else",
  };
}
