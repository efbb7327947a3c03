// Policies to start with.
const own = { filter: { ownerId: "$auth.uid" } };

export const startPolicies: Record<string, Record<string, unknown>> = {
  owner: { read: own, list: own, create: {}, update: own, delete: own },
  readers: { read: {}, list: {} },
  shared: { read: {}, list: {}, create: {}, update: {}, delete: {} },
};
