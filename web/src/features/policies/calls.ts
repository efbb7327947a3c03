import type { Call } from "../../components/shell/show-call";
import { policiesMessages } from "../../messages/policies";
import { defaultPolicy } from "./data";
import { inlineJson } from "../../lib/json";
import type { Json, JsonObject } from "./model/json";
import { trialRequest, TrialProblem, type TrialForm } from "./model/trial";

const words = policiesMessages.calls;
const text = (value: unknown): string => inlineJson(value as Json);

function requestOf(trial: TrialForm, collection: string) {
  try {
    return trialRequest(trial, collection);
  } catch (error) {
    if (error instanceof TrialProblem) return undefined;
    throw error;
  }
}

/** The calls behind the screen of a policy. */
export function callsOf(collection: string, policy: JsonObject, trial: TrialForm): Call[] {
  const path = `/admin/collections/${encodeURIComponent(collection)}/policy`;
  const request = requestOf(trial, collection);
  return [
    { title: words.read, method: "GET", path, sdk: `const { policy, source } = await admin.getPolicy(${text(collection)});` },
    {
      title: words.save,
      method: "PUT",
      path,
      body: policy as Json,
      sdk: `await admin.setPolicy(${text(collection)}, ${text(policy)});`,
    },
    ...(collection !== defaultPolicy && request
      ? [{ title: words.test, method: "POST", path: "/admin/policies/test", body: request, sdk: `const { allowed, steps } = await admin.testPolicy(${text(request)});` }]
      : []),
    { title: words.sets, method: "GET", path: "/admin/policies/sets", sdk: "const { sets } = await admin.listPolicySets();" },
    { title: words.tests, method: "POST", path: "/admin/policies/tests/run", body: {}, sdk: "const report = await admin.runPolicyTests();" },
  ];
}
