import { expect, test } from "vitest";
import { keepsEvents, orList, scheduleWords, triggerText, triggerWords } from "./triggers";

test("schedules in words, where they are short", () => {
  expect(scheduleWords("* * * * *")).toBe("every minute");
  expect(scheduleWords("@hourly")).toBe("every hour");
  expect(scheduleWords("5 * * * *")).toBe("every hour at minute 5");
  expect(scheduleWords("*/15 * * * *")).toBe("every 15 minutes");
  expect(scheduleWords("@daily")).toBe("every day at 00:00");
  expect(scheduleWords("30 6 * * *")).toBe("every day at 06:30");
  expect(scheduleWords("@weekly")).toBe("every Sunday at 00:00");
  expect(scheduleWords("0 9 * * 1")).toBe("every Monday at 09:00");
  expect(scheduleWords("@monthly")).toBe("on the first of each month at 00:00");
});

test("other schedules are shown as they are", () => {
  // Every 25 minutes of an hour are not every 25 minutes.
  for (const one of ["*/25 * * * *", "*/5 9-17 * * 1-5", "0 0 1 1 *", "0 0 * * 1,2", "0 0 * * 8", "0 0 2 * *", "nonsense", ""]) {
    expect(scheduleWords(one)).toBe(`at ${one}`);
  }
});

test("triggers in words", () => {
  const books = { type: "database", collection: "books", events: ["insert", "update", "delete"] } as const;
  const trigger = { ...books, events: [...books.events] };
  expect(triggerWords(trigger, "post")).toEqual({ words: "after each insert, update or delete in", subject: "books" });
  expect(triggerText(trigger, "pre")).toBe("before each insert, update or delete in books");
  expect(triggerText({ type: "http", method: "GET", path: "/hello/:name" }, "post")).toBe("on requests of GET /hello/:name");
  expect(triggerText({ type: "cron", schedule: "@daily", timezone: "Europe/Zurich" }, "post")).toBe(
    "every day at 00:00 (Europe/Zurich)",
  );
  expect(triggerText({ type: "auth", event: "userCreated" }, "post")).toBe("after each sign-up");
  expect(triggerText({ type: "storage", event: "fileUploaded" }, "post")).toBe("after each upload");
  expect(orList(["a", "b"])).toBe("a or b");
});

test("runs that a caller waits for keep no event", () => {
  expect(["database", "auth", "storage", "cron", "http", "manual"].filter(keepsEvents)).toEqual([
    "database",
    "auth",
    "storage",
    "cron",
  ]);
});
