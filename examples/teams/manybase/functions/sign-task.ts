// Before a task is stored: its field changedBy is the caller, whatever the caller sent.
export default (event: { document: object }, ctx: any) => ({ document: { ...event.document, changedBy: ctx.auth.uid } });
