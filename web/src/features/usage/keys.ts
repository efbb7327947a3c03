/** The key of all that the screen reads of a project. */
export const usageKey = (projectId: string) => [projectId, "usage"];
