// The stored tests of a function.
import type { Function as ServerFunction } from "manybase/admin";
import { adminOf } from "../../app/queries";
import type { TestStore } from "../../components/tests/stored";
import { functionMessages } from "../../messages/functions";
import { exampleEvent } from "./events";
import { refresh } from "./queries";
import { eventsOf, triggerOf } from "./triggers";

/** The tests of a function, to be changed. */
export const testsOf = (projectId: string, { name, tests }: ServerFunction): TestStore => ({
  tests,
  latest: async () => (await adminOf(projectId).getFunction(name)).function.tests,
  async store(next) {
    await adminOf(projectId).updateFunction(name, { tests: next });
    await refresh(projectId);
  },
});

/** A first test with an event. */
export const newTest = (event: unknown) => ({ name: functionMessages.tests.defaultName, event, expect: { status: "success" } });

/** A first test with an example of the function's events. */
export function exampleTest(one: ServerFunction) {
  const trigger = triggerOf(one);
  return newTest(exampleEvent(trigger, eventsOf(trigger)[0] ?? "insert", new Date()));
}
