// The version of the server is compared by itself, and a mismatch is told once. The server here says another version.
import { version } from "manybase";
import { createAdmin } from "manybase/admin";
import { check, equal, fails, sleep, until } from "../context.mjs";

const [major, minor] = version.split(".").map(Number);
const older = minor > 0 ? `${major}.${minor - 1}.9` : `${major}.${minor + 1}.0`;
const newer = `${major + 1}.0.0`;

/** Options of a client whose server has the version, with what it was told. */
function told(t, said) {
  const warnings = [];
  const { warn } = console;
  console.warn = (text) => warnings.push(text);
  t.onEnd(() => (console.warn = warn));
  const seen = { warnings, notified: [], requests: 0 };
  seen.options = {
    onIncompatible: (server) => seen.notified.push(server),
    fetch: (url, init) => {
      if (!String(url).endsWith("/health")) return fetch(url, init);
      ++seen.requests;
      return said instanceof Error
        ? Promise.reject(said)
        : Promise.resolve(
            new Response(typeof said === "string" ? JSON.stringify({ version: said, commit: "abc" }) : "<html>"),
          );
    },
  };
  return seen;
}

async function subscribed(books) {
  let began = false;
  const off = books.subscribe(() => {}, { onSubscribed: () => (began = true) });
  await until(() => began, "subscribed");
  return off;
}

export async function a_subscription_compares_them_once(t) {
  const name = await t.collection();
  for (const said of [older, newer]) {
    const seen = told(t, said);
    const books = t.key(seen.options).collection(name);
    for (let n = 0; n < 2; ++n) (await subscribed(books))();
    await until(
      () => seen.notified.length === 1,
      () => JSON.stringify(seen),
    );
    equal([seen.notified[0].version, seen.notified[0].compatible], [said, false]);
    await fails(books.get("none"), "NOT_FOUND");
    await sleep(50);
    equal([seen.requests, seen.notified.length, seen.warnings.length], [1, 1, 1]);
    check(
      [said, version, "/dashboard/sdk/manybase.tgz"].every((one) => seen.warnings[0].includes(one)),
      seen.warnings[0],
    );
  }
}

export async function a_refused_call_compares_them_and_fails_as_it_would(t) {
  const seen = told(t, newer);
  const books = t.key(seen.options).collection(await t.collection());
  await books.create({ id: "a" });
  await books.list();
  await fails(books.create({ id: "a" }), "CONFLICT");
  equal(seen.requests, 0, "no request while calls go well");
  await fails(books.list({ filter: { $where: "1" } }), "INVALID_FILTER", 400);
  await until(
    () => seen.notified.length === 1 && seen.warnings.length === 1,
    () => JSON.stringify(seen),
  );
  const admin = told(t, older);
  await fails(
    createAdmin({ url: t.url, token: t.setup.adminKey, ...admin.options }).getPolicy("none"),
    "NOT_FOUND",
    404,
  );
  await until(
    () => admin.notified.length === 1,
    () => JSON.stringify(admin),
  );
}

export async function servers_that_fit_or_do_not_say_are_no_reason_to_warn(t) {
  const name = await t.collection();
  for (const said of [`${major}.${minor}.99`, new TypeError("offline"), undefined]) {
    const seen = told(t, said);
    const books = t.key(seen.options).collection(name);
    await fails(books.get("none"), "NOT_FOUND");
    await until(() => seen.requests === 1, "compared");
    await sleep(50);
    equal([seen.requests, seen.notified, seen.warnings], [1, [], []], String(said));
  }
}

export async function the_real_server_fits(t) {
  const seen = told(t, version);
  const books = t.key({ onIncompatible: seen.options.onIncompatible }).collection(await t.collection());
  await subscribed(books);
  await fails(books.get("none"), "NOT_FOUND");
  await sleep(200);
  equal([seen.notified, seen.warnings], [[], []]);
}
