import { expect, test } from "vitest";
import { fieldsOf } from "./catalogue";
import { configOf, destinationOf, fieldText } from "./config";

const fields = fieldsOf({
  baseUrl: { type: "string" },
  headers: { type: "object", additionalProperties: { type: "string" } },
  timeoutMs: { type: "integer" },
  allowPrivate: { type: "boolean" },
  more: {},
});
const from = (texts: Record<string, string>) => configOf(fields, (name) => texts[name] ?? "");

test("a configuration becomes texts, and they the same configuration", () => {
  const config = {
    baseUrl: "https://api.example.com/v1",
    headers: { "x-team": "red: 1", accept: "*/*" },
    timeoutMs: 500,
    allowPrivate: false,
    more: { big: 9007199254740993n },
  };
  const texts = Object.fromEntries(fields.map((field) => [field.name, fieldText(field, config[field.name as keyof typeof config])]));
  expect(texts["headers"]).toBe("x-team: red: 1\naccept: */*");
  expect(from({ ...texts, headers: texts["headers"]!.replaceAll("\n", "\r\n") })).toEqual({ config });
  expect(fieldText(fields[0]!, null)).toBe("");
});

test("what is empty is not set", () => {
  expect(from({ baseUrl: "  ", headers: "\n", allowPrivate: "" })).toEqual({ config: {} });
  expect(from({ allowPrivate: "true" })).toEqual({ config: { allowPrivate: true } });
});

test("a variable may replace a number and a yes or no", () => {
  expect(from({ timeoutMs: "${LIMIT}", allowPrivate: "${INSIDE}" })).toEqual({ config: { timeoutMs: "${LIMIT}", allowPrivate: "${INSIDE}" } });
  expect(from({ timeoutMs: "${limit}" })).toEqual({ wrong: { field: "timeoutMs", why: "number", what: "${limit}" } });
});

test("the first text that is no value is named", () => {
  expect(from({ headers: "x-a: 1\nnothing", timeoutMs: "soon" })).toEqual({ wrong: { field: "headers", why: "header", what: "nothing" } });
  expect(from({ timeoutMs: "1.5" })).toEqual({ wrong: { field: "timeoutMs", why: "number", what: "1.5" } });
  expect(from({ more: "{" })).toMatchObject({ wrong: { field: "more", why: "json" } });
});

test.each([
  ["http", { baseUrl: "https://API.example.com:443/v1?a" }, "https://api.example.com"],
  ["http", { baseUrl: "http://api.example.com:8080\\x" }, "http://api.example.com:8080"],
  ["http", { baseUrl: "https://${HOST}/v1" }, "https://${HOST}"],
  ["http", { baseUrl: "${BASE}/v1" }, "${BASE}"],
  ["http", { baseUrl: "nonsense" }, "nonsense"],
  ["http", {}, ""],
  ["email", { host: "mail.example.com" }, "mail.example.com:587"],
  ["email", { host: "mail.example.com", secure: true }, "mail.example.com:465"],
  ["email", { host: "mail.example.com", secure: true, port: 25 }, "mail.example.com:25"],
  ["bot", { platform: "slack" }, "slack"],
  ["another", { baseUrl: "https://example.com" }, undefined],
])("the destination of %s with %j", (provider, config, destination) => {
  expect(destinationOf({ provider }, config)).toBe(destination);
});
