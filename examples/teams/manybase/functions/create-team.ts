// Creates a team and makes the caller its owner. Users have no rule to create teams or memberships themselves.
export default async (event: unknown, ctx: any) => {
  if (ctx.auth?.kind !== "user") return { status: 401, body: { error: "sign in first" } };
  const name = ctx.request.body?.name;
  if (typeof name !== "string" || name === "" || name.length > 80) return { status: 400, body: { error: "a team needs a name" } };
  const team = await ctx.db.insertOne("teams", { name });
  await ctx.db.insertOne("memberships", { teamId: team.id, userId: ctx.auth.uid, role: "owner" });
  return { status: 201, body: { id: team.id } };
};
