// Triggers of functions: their kinds, their words, and events that look like theirs.
import type { Function as ServerFunction } from "manybase/admin";

export type DatabaseEvent = "insert" | "update" | "delete";

export type Trigger =
  | { type: "database"; collection: string; events: DatabaseEvent[] }
  | { type: "auth"; event: string }
  | { type: "storage"; event: string }
  | { type: "http"; method: string; path: string }
  | { type: "cron"; schedule: string; timezone?: string };

export type TriggerType = Trigger["type"];
export const triggerTypes: readonly TriggerType[] = ["database", "http", "cron", "auth", "storage"];
export const databaseEvents: readonly DatabaseEvent[] = ["insert", "update", "delete"];
export const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"];

export const isTriggerType = (value: unknown): value is TriggerType => triggerTypes.includes(value as TriggerType);

/** The trigger of a function or of a version. */
export const triggerOf = (holder: Pick<ServerFunction, "trigger">): Trigger => holder.trigger as unknown as Trigger;

/** The changes that it runs on, none for other triggers. */
export const eventsOf = (trigger: Trigger): readonly DatabaseEvent[] => (trigger.type === "database" ? trigger.events : []);

/** Whether a run of this trigger has an event that the server keeps, so that it can be repeated. */
export const keepsEvents = (trigger: string): boolean => ["database", "auth", "storage", "cron"].includes(trigger);

const weekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const nicknames: Record<string, string> = {
  "@hourly": "0 * * * *",
  "@daily": "0 0 * * *",
  "@weekly": "0 0 * * 0",
  "@monthly": "0 0 1 * *",
};

/** A schedule in words where they are short, else itself: "every hour", "every day at 06:30", "at 0 9-17 * * *". */
export function scheduleWords(schedule: string): string {
  const fields = (nicknames[schedule] ?? schedule).trim().split(/\s+/);
  const [minute = "", hour = "", day, month, weekday = ""] = fields;
  const rest = fields.length === 5 && month === "*" ? `${day} ${weekday}` : undefined;
  const number = (text: string) => (/^\d{1,2}$/.test(text) ? Number(text) : undefined);
  const at = [hour, minute].map((part) => part.padStart(2, "0")).join(":");
  const timed = number(minute) !== undefined && number(hour) !== undefined;
  const named = weekdays[number(weekday) ?? -1];
  if (rest === "* *" && hour === "*" && minute === "*") return "every minute";
  if (rest === "* *" && hour === "*" && number(minute) === 0) return "every hour";
  if (rest === "* *" && hour === "*" && number(minute) !== undefined) return `every hour at minute ${Number(minute)}`;
  const step = /^\*\/(\d{1,2})$/.exec(minute);
  if (rest === "* *" && hour === "*" && step && 60 % Number(step[1]) === 0) return `every ${Number(step[1])} minutes`;
  if (timed && rest === "* *") return `every day at ${at}`;
  if (timed && rest === `* ${weekday}` && named) return `every ${named} at ${at}`;
  if (timed && rest === "1 *") return `on the first of each month at ${at}`;
  return `at ${schedule}`;
}

/** "a, b or c" */
export const orList = (parts: readonly string[]): string =>
  parts.length < 2 ? parts.join("") : `${parts.slice(0, -1).join(", ")} or ${parts.at(-1)}`;

/** When a function runs, without the collection: "after each insert or update in". */
export function triggerWords(trigger: Trigger, timing: string): { words: string; subject?: string } {
  switch (trigger.type) {
    case "database":
      return {
        words: `${timing === "pre" ? "before" : "after"} each ${orList(trigger.events)} in`,
        subject: trigger.collection,
      };
    case "auth":
      return { words: "after each sign-up" };
    case "storage":
      return { words: "after each upload" };
    case "http":
      return { words: `on requests of ${trigger.method}`, subject: trigger.path };
    case "cron":
      return { words: `${scheduleWords(trigger.schedule)} (${trigger.timezone ?? "UTC"})` };
  }
}

/** A text that holds all that a filter compares. */
export const triggerText = (trigger: Trigger, timing: string): string => {
  const { words, subject } = triggerWords(trigger, timing);
  return subject === undefined ? words : `${words} ${subject}`;
};
