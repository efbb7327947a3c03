const dayOf = (date: Date): string => date.toISOString().slice(0, 10);

/** The days (UTC) of this month until today. */
export function thisMonth(now = new Date()): { from: string; to: string } {
  const to = dayOf(now);
  return { from: `${to.slice(0, 8)}01`, to };
}
