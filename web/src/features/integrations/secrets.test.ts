import { expect, test } from "vitest";
import type { Provider } from "./catalogue";
import { secretsOf, storedSecrets } from "./secrets";

const http: Provider = { provider: "http", label: "HTTP", config: [], secrets: ["authorization", "headers"], ops: [] };
const stored = storedSecrets({
  authorization: { configured: true },
  headers: { configured: true, names: ["x-key", "x-old"] },
  token: { configured: false },
});

test("stored secrets by their names", () => {
  expect(stored).toEqual(["authorization", "headers/x-key", "headers/x-old"]);
  expect(storedSecrets({ headers: { configured: false, names: [] } })).toEqual([]);
});

test("what is not typed is not sent, and so kept", () => {
  expect(secretsOf(http, stored, { "secrets/authorization": "", "secrets/headers": "", "secrets/headers/x-key": "" }, [])).toEqual({});
});

test("what is typed is set, what is marked is removed", () => {
  const values = {
    "secrets/authorization": "Bearer new",
    "secrets/headers/x-key": " 7 ",
    "drop/headers/x-old": "on",
    "row/3/name": " X-New ",
    "row/3/value": "8",
    "row/4/name": "x-absent",
    "row/4/value": "9",
  };
  expect(secretsOf(http, stored, values, [3])).toEqual({
    authorization: "Bearer new",
    headers: { "x-key": " 7 ", "x-old": null, "X-New": "8" },
  });
  expect(secretsOf(http, stored, { "drop/authorization": "on" }, [])).toEqual({ authorization: null });
});
