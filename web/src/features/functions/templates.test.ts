import { expect, test, vi } from "vitest";
import { exampleEvent } from "./events";
import type { Flow } from "./flow/types";
import { flowFor, templates } from "./templates";
import { eventsOf, type Trigger } from "./triggers";

test.each(templates.map((one) => [one.key, one] as const))("the template %s runs with its event, and by hand", async (_, template) => {
  const made = template.make({ collection: "books", path: "/hello", schedule: "@hourly" }[template.field ?? "path"]);
  const source = `data:text/javascript,${encodeURIComponent(made.code!)}`;
  const { default: handler } = (await import(/* @vite-ignore */ source)) as { default(event: unknown, ctx: unknown): Promise<unknown> };
  const trigger = made.trigger as unknown as Trigger;
  const written = vi.spyOn(console, "info").mockImplementation(() => undefined);
  const kinds = eventsOf(trigger);
  for (const kind of kinds.length > 0 ? kinds : (["insert"] as const)) {
    const event = exampleEvent(trigger, kind, new Date(0));
    const request = trigger.type === "http" ? { query: {}, body: event["body"] ?? null } : undefined;
    const byTrigger = await handler(event, { request });
    const lines = written.mock.calls.splice(0);
    const byHand = await handler({ type: "manual", payload: event }, { request });
    expect(byHand).toEqual(byTrigger);
    expect(written.mock.calls.splice(0)).toEqual(lines);
    // Something comes of each: a line, a response, or a write that continues.
    expect(lines.length > 0 || byTrigger !== undefined || ["update", "check"].includes(template.key)).toBe(true);
  }
  written.mockRestore();
});

test("a check refuses what breaks its rule, and a change is seen", async () => {
  const load = async (key: string) => {
    const { code } = templates.find((one) => one.key === key)!.make("books");
    return (await import(/* @vite-ignore */ `data:text/javascript,${encodeURIComponent(code!)}`)).default;
  };
  expect(await (await load("check"))({ document: { title: "" } }, {})).toEqual({ abort: true, reason: "title must not be empty" });
  const written = vi.spyOn(console, "info").mockImplementation(() => undefined);
  await (await load("update"))({ document: { status: "paid" }, previous: { status: "open" } }, {});
  expect(written.mock.calls).toEqual([["status", "open", "→", "paid"]]);
  written.mockRestore();
});

test.each(templates.map((one) => [one.key, one] as const))("the template %s is a flow, unless it runs within the write", (key, template) => {
  const made = flowFor(template, "books");
  if (key === "check") return expect(made).toBeUndefined();
  expect(made!.trigger).toEqual(template.make("books").trigger);
  const { nodes, edges } = made!.flow as unknown as Flow;
  expect(edges).toMatchObject([{ source: nodes[0]!.id, target: nodes[1]!.id }]);
  expect(nodes[1]!.type).toBe(key === "get" || key === "post" ? "respond" : "log");
});
