interface Membership {
  id: string;
  teamId: string;
  role: string;
}

// Before a membership changes or ends: the last owner of a team stays one.
export default async (event: { document: Membership | null; previous: Membership }, ctx: any) => {
  const before = event.previous;
  if (before.role !== "owner" || event.document?.role === "owner") return;
  const other = await ctx.lookup.findOne("memberships", { teamId: before.teamId, role: "owner", id: { $ne: before.id } });
  if (!other) return { abort: true, reason: "a team needs an owner: delete the team, or make another member its owner first" };
};
