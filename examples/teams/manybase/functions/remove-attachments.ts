// After a task is deleted, by a member or with its team: its files are deleted, since no reference holds files.
export default async (event: { previous: { id: string; teamId: string } }, ctx: any) => {
  const prefix = `${event.previous.teamId}/${event.previous.id}/`;
  for (;;) {
    const files = await ctx.storage.list("attachments", { prefix, limit: 100 });
    if (files.length === 0) return;
    for (const file of files) await ctx.storage.delete("attachments", file.path);
  }
};
