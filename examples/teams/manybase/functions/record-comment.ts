interface Comment {
  task: string;
  teamId: string;
  ownerId?: string;
  createdAt: Date;
}

// After a comment is stored: an entry in the activity of its team, one of each comment.
export default async (event: { document: Comment }, ctx: any) => {
  const { task, teamId, ownerId, createdAt } = event.document;
  if (!(await ctx.db.findOne("teams", { id: teamId }))) return; // deleted with its team
  try {
    await ctx.db.insertOne("activity", { teamId, task, what: "commented", who: ownerId, at: createdAt });
  } catch (error: any) {
    if (error.code !== "CONFLICT") throw error;
  }
};
