import { expect, test } from "vitest";
import { appRequests } from "./requests";

test("requests of administration are not those of apps", () => {
  const planes = {
    data: { ok: 5, error: 2 },
    auth: { ok: 1, error: 0 },
    admin: { ok: 90, error: 9 },
    control: { ok: 7, error: 7 },
  };
  expect(appRequests(planes)).toEqual({ ok: 6, error: 2 });
  expect(appRequests({})).toEqual({ ok: 0, error: 0 });
});
