import { expect, test } from "vitest";
import { exampleArgs, fieldsOf, providerOf } from "./catalogue";

const http = providerOf({
  provider: "http",
  label: "HTTP",
  config: {
    baseUrl: { type: "string", required: true, description: "such as https://api.example.com/v1" },
    headers: { type: "object", additionalProperties: { type: "string", maxLength: 4096 } },
    timeoutMs: { type: "integer" },
    allowPrivate: { type: "boolean" },
  },
  secrets: ["authorization", "headers", 7],
  ops: [{ name: "get", args: { path: { type: "string", required: true }, query: { type: "object" }, body: { description: "text" } } }],
});

test("the fields of a form come from the catalogue", () => {
  expect(http.config.map(({ name, kind }) => [name, kind])).toEqual([
    ["baseUrl", "text"],
    ["headers", "headers"],
    ["timeoutMs", "number"],
    ["allowPrivate", "boolean"],
  ]);
  expect(http.config[0]).toMatchObject({ required: true, description: "such as https://api.example.com/v1" });
  expect(http.secrets).toEqual(["authorization", "headers"]);
  expect(fieldsOf({ platform: { type: "string", enum: ["slack", "discord"], required: true }, odd: true })).toEqual([
    { name: "platform", kind: "choice", types: ["string"], required: true, description: undefined, options: ["slack", "discord"] },
    { name: "odd", kind: "json", types: [], required: false, options: [] },
  ]);
  expect(fieldsOf(null)).toEqual([]);
});

test("arguments that may have several types are JSON", () => {
  const [to, channel] = fieldsOf({
    to: { anyOf: [{ type: "string" }, { type: "array" }] },
    channel: { type: ["string", "integer"] },
  });
  expect([to!.kind, to!.types]).toEqual(["json", ["string", "array"]]);
  expect([channel!.kind, channel!.types]).toEqual(["json", ["string", "integer"]]);
});

test("an example has what is required, and what there is an example of", () => {
  const [get] = http.ops;
  expect(exampleArgs(get!, { path: "/health" })).toEqual({ path: "/health" });
  expect(exampleArgs(get!, { body: 1 })).toEqual({ path: "", body: 1 });
  const args = fieldsOf({
    n: { type: "integer", required: true },
    list: { type: "array", required: true },
    one: { type: "string", enum: ["a", "b"], required: true },
    any: { required: true },
  });
  expect(exampleArgs({ name: "op", args }, {})).toEqual({ n: 0, list: [], one: "a", any: null });
});
