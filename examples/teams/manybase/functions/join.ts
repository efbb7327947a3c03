// Makes the caller a member of the team of an invitation. A link works once, until it expires, and only while the person
// who made it is an owner of the team.
export default async (event: unknown, ctx: any) => {
  if (ctx.auth?.kind !== "user") return { status: 401, body: { error: "sign in first" } };
  const token = ctx.request.body?.token;
  const invalid = { status: 404, body: { error: "this link does not work (any more)" } };
  if (typeof token !== "string") return invalid;
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(token));
  const tokenHash = Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, "0")).join("");
  const invitation = await ctx.db.findOne("invitations", { tokenHash, expiresAt: { $gt: new Date() } });
  if (!invitation) return invalid;
  const { id, teamId, role, invitedBy } = invitation;
  if (!(await ctx.db.findOne("memberships", { teamId, userId: invitedBy, role: "owner" }))) return invalid;
  if (await ctx.db.findOne("memberships", { teamId, userId: ctx.auth.uid })) {
    return { status: 409, body: { error: "you are a member already" } };
  }
  // Of requests with one link at the same time, one deletes the invitation.
  const used = await ctx.db.deleteMany("invitations", { id });
  if (used.deletedCount !== 1) return invalid;
  await ctx.db.insertOne("memberships", { teamId, userId: ctx.auth.uid, role });
  return { status: 201, body: { teamId, role } };
};
