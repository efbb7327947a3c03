import type { AdminMethods } from "manybase/admin";

export type MetricSeries = Awaited<ReturnType<AdminMethods["getMetricSeries"]>>;
export type Usage = Awaited<ReturnType<AdminMethods["getUsage"]>>;
type Values = readonly (number | null)[];

/** Sums lists step by step; a step is null where all are. */
export function addSteps(lists: readonly Values[]): (number | null)[] {
  const length = Math.max(0, ...lists.map((list) => list.length));
  return Array.from({ length }, (_, at) => {
    const known = lists.map((list) => list[at] ?? null).filter((one) => one !== null);
    return known.length === 0 ? null : known.reduce((a, b) => a + b, 0);
  });
}

export const total = (values: Values): number => values.reduce<number>((sum, one) => sum + (one ?? 0), 0);
export const highest = (values: Values): number => Math.max(0, ...values.map((one) => one ?? 0));

/** Requests by plane, those with most first, without planes that had none. */
export function planesOf({ planes }: MetricSeries): { plane: string; ok: number; error: number }[] {
  return Object.entries(planes)
    .map(([plane, { ok, error }]) => ({ plane, ok: total(ok), error: total(error) }))
    .filter(({ ok, error }) => ok + error > 0)
    .sort((a, b) => b.ok + b.error - (a.ok + a.error) || a.plane.localeCompare(b.plane, "en"));
}
