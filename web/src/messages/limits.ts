// The texts of the limits of plans.
export const limitsMessages = {
  limits: {
    storageBytes: "Files",
    functionRunsPerMonth: "Function runs this month",
    vectors: "Vectors",
    realtimeConnections: "Realtime connections now",
    maxProjects: "Projects of the payer",
    environmentsPerProject: "Environments",
  },
  of: (used: string, limit: string) => `${used} of ${limit}`,
  unlimited: (used: string) => `${used}, unlimited`,
  reached: "reached",
  near: "nearly reached",
};
