import { expect, test } from "vitest";
import { labelOf, matching, newConnection, patchOf } from "./input";

const kind = { kind: "github", label: "GitHub", config: ["owner"], secrets: ["installationId"] };
const stored = {
  id: "conn_1",
  kind: "github",
  scope: { type: "org" as const, orgId: "org_1" },
  name: "Host",
  config: { owner: "acme" },
  secrets: { installationId: { configured: true } },
  createdAt: "",
  updatedAt: "",
};

test("a new connection has what was typed", () => {
  expect(newConnection(kind, { name: " Host ", "config/owner": " acme ", "secrets/installationId": "471" })).toEqual({
    kind: "github",
    name: " Host ",
    config: { owner: "acme" },
    secrets: { installationId: "471" },
  });
  expect(newConnection(kind, { name: "Host", "config/owner": " ", "secrets/installationId": "" })).toMatchObject({ config: {}, secrets: {} });
});

test("a change has what differs, and secrets that were typed", () => {
  const same = { name: "Host ", "config/owner": "acme", "secrets/installationId": "" };
  expect(patchOf(stored, kind, same)).toEqual({});
  expect(patchOf(stored, kind, { ...same, name: "Other" })).toEqual({ name: "Other" });
  expect(patchOf(stored, kind, { ...same, "config/owner": "" })).toEqual({ config: {} });
  expect(patchOf(stored, kind, { ...same, "secrets/installationId": "1" })).toEqual({ secrets: { installationId: "1" } });
});

test("a text finds names, kinds and configurations", () => {
  const other = { ...stored, id: "conn_2", kind: "unknown", name: "Second", config: {} };
  const found = (text: string) => matching([stored, other], [kind], text).map(({ name }) => name);
  expect(found("")).toEqual(["Host", "Second"]);
  expect(found(" ACME")).toEqual(["Host"]);
  expect(found("github")).toEqual(["Host"]);
  expect(found("second")).toEqual(["Second"]);
  expect(labelOf([kind], "unknown")).toBe("unknown");
});
