export interface Counts {
  ok: number;
  error: number;
}

/** Requests of apps: without those of this dashboard and other administration. */
export function appRequests(planes: Record<string, Counts>): Counts {
  const sum = { ok: 0, error: 0 };
  for (const [plane, { ok, error }] of Object.entries(planes)) {
    if (plane === "admin" || plane === "control") continue;
    sum.ok += ok;
    sum.error += error;
  }
  return sum;
}
