const WEEK = 7 * 24 * 3600 * 1000;

const hex = (bytes: ArrayBuffer | Uint8Array) =>
  Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, "0")).join("");

// Makes a link with which one person can join a team, within a week. Only the hash of its token is stored, so that nobody
// who can read the collection can use the link.
export default async (event: { params: { team: string } }, ctx: any) => {
  if (ctx.auth?.kind !== "user") return { status: 401, body: { error: "sign in first" } };
  const teamId = event.params.team;
  const role = ctx.request.body?.role;
  if (role !== "editor" && role !== "viewer") return { status: 400, body: { error: "role is editor or viewer" } };
  // ctx.db reads past the policies, so the function checks who asks.
  const owner = await ctx.db.findOne("memberships", { teamId, userId: ctx.auth.uid, role: "owner" });
  if (!owner) return { status: 404, body: { error: "no such team" } };
  const token = hex(crypto.getRandomValues(new Uint8Array(24)));
  const tokenHash = hex(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(token)));
  const expiresAt = new Date(Date.now() + WEEK);
  await ctx.db.insertOne("invitations", { teamId, role, tokenHash, invitedBy: ctx.auth.uid, expiresAt });
  return { status: 201, body: { link: `${ctx.variables.APP_URL}/join#${token}`, token, expiresAt } };
};
