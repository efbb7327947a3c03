interface Task {
  id: string;
  teamId: string;
  title: string;
  changedBy?: string;
  updatedAt: Date;
}

// After a task has changed: an entry in the activity of its team. A run may be repeated; the unique index over task, what
// and at keeps one entry of each change.
export default async (event: { event: string; document: Task | null; previous?: Task }, ctx: any) => {
  const task = (event.document ?? event.previous)!;
  const what = event.event === "insert" ? "created" : event.event === "delete" ? "deleted" : "changed";
  // Who deletes a task is not stored in it.
  const who = event.document?.changedBy;
  if (!(await ctx.db.findOne("teams", { id: task.teamId }))) return; // deleted with its team
  try {
    await ctx.db.insertOne("activity", { teamId: task.teamId, task: task.id, title: task.title, what, who, at: task.updatedAt });
  } catch (error: any) {
    if (error.code !== "CONFLICT") throw error;
  }
};
