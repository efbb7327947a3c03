// The stored tests of an integration.
import type { Integration, IntegrationTestInput } from "manybase/admin";
import { adminOf } from "../../app/queries";
import type { TestStore } from "../../components/tests/stored";
import { integrationsChanged } from "./queries";

/** The tests of an integration, to be changed. */
export const testsOf = (projectId: string, { name, tests }: Integration): TestStore => ({
  tests,
  latest: async () => (await adminOf(projectId).getIntegration(name)).integration.tests,
  async store(next) {
    // They are what a person has typed: the server says what is wrong with them.
    await adminOf(projectId).setIntegrationTests(name, { tests: next as unknown as IntegrationTestInput[] });
    await integrationsChanged(projectId);
  },
});
