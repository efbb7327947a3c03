export const ends = ["never", "30", "90", "365", "date"] as const;

const dayMs = 86_400_000;

/** The moment at which a key ends: null for never, undefined where `day` is no day to come. Days end in local time. */
export function endOf(end: string, day: string, now = Date.now()): string | null | undefined {
  if (end === "never") return null;
  if (end !== "date") return new Date(now + Number(end) * dayMs).toISOString();
  const [, year, month, date] = /^(\d{4,6})-(\d\d)-(\d\d)$/.exec(day) ?? [];
  const moment = new Date(Number(year), Number(month) - 1, Number(date) + 1).getTime();
  return moment > now ? new Date(moment).toISOString() : undefined;
}
