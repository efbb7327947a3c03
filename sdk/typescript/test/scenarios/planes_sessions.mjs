// Tokens and sessions of the control plane: exchange, renewal, sign-out. Not in pages.
import { createAdmin } from "manybase/admin";
import { check, clockWrongBy, day, equal, fails, jsonResponse, until, watchedFetch } from "../context.mjs";

export async function a_project_token_is_exchanged_once_and_again_when_refused(t) {
  const watched = watchedFetch();
  const control = await t.platformUser({ fetch: watched });
  const { project } = await control.createProject({ name: "Tokens" });
  const tokens = control.projectTokens(project.id);
  const admin = createAdmin({ url: t.url, token: tokens });
  for (let n = 0; n < 3; ++n) await admin.listCollections();
  equal(watched.count("/token"), 1, "kept while it is fresh");
  const first = await tokens();
  const second = await tokens(first);
  check(second !== first && watched.count("/token") === 2, "another one after a refusal");
  equal(await tokens(first), second, "and none more for a refusal of the old one");
  await clockWrongBy(day, () => admin.listCollections());
  equal(watched.count("/token"), 3, "after a day");
}

export async function a_session_of_the_control_plane_is_renewed_once_for_many_calls(t) {
  let answer;
  const watched = watchedFetch((line) => line.endsWith("/auth/refresh") && answer?.());
  let ended = 0;
  const control = await t.platformUser({ fetch: watched, onSession: (event) => event === "revoked" && ++ended });
  await clockWrongBy(day, async () => {
    await Promise.all(Array.from({ length: 8 }, () => control.me()));
    equal(watched.count("/auth/refresh"), 1);
  });
  await clockWrongBy(3 * day, async () => {
    answer = () => jsonResponse({ error: { code: "INTERNAL", message: "sorry" } }, 500);
    await fails(control.me(), "INTERNAL", 500);
    answer = () => jsonResponse({});
    await fails(control.me(), "INVALID_RESPONSE", 200);
    answer = undefined;
    equal([(await control.me()).user.email, ended], [control.email, 0], "neither has ended the session");
    answer = () => jsonResponse({ error: { code: "UNAUTHENTICATED", message: "over" } }, 401);
  });
  await clockWrongBy(6 * day, async () => {
    await fails(control.me(), "UNAUTHENTICATED", 401);
    await fails(control.me(), "UNAUTHENTICATED", 401);
  });
  equal([ended, watched.count("/auth/refresh")], [1, 5], "the end is told once, and nothing is asked after it");
}

export async function signing_out_without_a_network_keeps_the_session(t) {
  let away = false;
  const watched = watchedFetch(() => {
    if (away) throw new TypeError("no network");
  });
  const control = await t.platformUser({ fetch: watched });
  away = true;
  await fails(control.signOut(), "NETWORK", 0);
  away = false;
  equal((await control.me()).user.email, control.email);
  await control.signOut();
  await fails(control.me(), "UNAUTHENTICATED", 401);
  await until(async () => (await fails(control.listProjects())).status === 401, "signed out");
}
