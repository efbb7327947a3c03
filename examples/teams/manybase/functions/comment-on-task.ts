// Before a comment is stored: it belongs to the team of its task. Tasks of other teams and tasks that do not exist get one
// answer, since the lookup sees all tasks.
export default async (event: { document: { task: string; teamId: string } }, ctx: any) => {
  const task = await ctx.lookup.get("tasks", event.document.task);
  if (task?.teamId !== event.document.teamId) return { abort: true, reason: "no such task in this team" };
};
