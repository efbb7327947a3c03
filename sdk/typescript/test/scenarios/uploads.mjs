// Files: kinds of content, rules, ranges, limits, and uploads that are interrupted.
import { memoryStorage } from "manybase";
import { check, equal, fails, jsonResponse, password, unique, until, watchedFetch } from "../context.mjs";

const text = async (response) => (check(response.ok, `${response.status}`), response.text());
const bytes = (length) => Uint8Array.from({ length }, (_, at) => (at * 11) % 253);

export async function every_kind_of_content_is_stored(t) {
  const bucket = (await t.user()).files(await t.bucket());
  const buffer = new TextEncoder().encode("bytes").buffer;
  const kinds = [
    ["text", "plain text ü", undefined, "plain text ü", "application/octet-stream"],
    ["buffer", buffer, undefined, "bytes", "application/octet-stream"],
    ["view", new Uint8Array(buffer, 1, 3), undefined, "yte", "application/octet-stream"],
    ["blob", new Blob(["{}"], { type: "application/json" }), undefined, "{}", "application/json"],
    ["named", new File(["<p>"], "a.html", { type: "text/html" }), "text/x-own", "<p>", "text/x-own"],
    ["empty", "", undefined, "", "application/octet-stream"],
  ];
  for (const [path, data, contentType, content, type] of kinds) {
    const file = await bucket.upload(path, data, { contentType });
    equal(
      [file.path, file.size, file.contentType.split(";")[0]],
      [path, new TextEncoder().encode(content).length, type],
    );
    equal(await text(await bucket.download(path)), content, path);
  }
  equal(
    (await bucket.list()).files.map((one) => one.path),
    kinds.map(([path]) => path).sort(),
  );
}

export async function an_empty_file_may_be_sent_in_pieces(t) {
  const bucket = (await t.user()).files(await t.bucket());
  const seen = [];
  const file = await bucket.upload("empty", "", {
    resumable: true,
    onProgress: ({ sent, total }) => seen.push([sent, total]),
  });
  equal([file.size, seen], [0, [[0, 0]]]);
  equal((await bucket.find("empty"))?.size, 0, "it is there");
}

export async function an_upload_replaces_and_keeps_or_removes_metadata(t) {
  const bucket = (await t.user()).files(await t.bucket());
  await bucket.upload("a", "one", { metadata: { team: "x" } });
  equal((await bucket.upload("a", "two")).metadata, { team: "x" }, "kept");
  equal((await bucket.upload("a", bytes(600_000), { resumable: true, metadata: { n: 1 } })).metadata, { n: 1 });
  equal((await bucket.upload("a", "three", { metadata: {} })).metadata, {}, "removed");
  await fails(bucket.upload("a", "x", { metadata: { long: "x".repeat(3_000) } }), undefined, 400);
  equal(await text(await bucket.download("a")), "three");
  await fails(bucket.setMetadata("none", { n: 1 }), "NOT_FOUND", 404);
}

export async function ranges_and_conditions_of_downloads(t) {
  const bucket = (await t.user()).files(await t.bucket());
  await bucket.upload("digits", "0123456789");
  const part = await bucket.download("digits", { range: "bytes=-3" });
  equal([part.status, part.headers.get("content-range"), await part.text()], [206, "bytes 7-9/10", "789"]);
  // Chromium drops the body of this response, and the code with it.
  const error = await fails(bucket.download("digits", { range: "bytes=20-30" }), undefined, 416);
  equal([error.code, error.requestId?.length > 8], [t.inPage ? "INVALID_RESPONSE" : "RANGE_NOT_SATISFIABLE", true]);
  await fails(bucket.download("none"), "NOT_FOUND", 404);
  const controller = new AbortController();
  await bucket.upload("long", bytes(4_000_000));
  const response = await bucket.download("long", { signal: controller.signal });
  controller.abort();
  const reading = await fails(response.arrayBuffer());
  check(reading instanceof Error, "the signal ends the reading of the body too");
}

export async function folders_and_pages_of_lists(t) {
  const bucket = t.key().files(await t.bucket());
  for (const path of ["b/1", "b/2", "a", "b/sub/3", "c"]) await bucket.upload(path, path);
  await bucket.createFolder("docs/2026");
  const paths = ({ files }) => files.map((one) => one.path);
  const all = await bucket.list();
  equal([paths(all), all.folders.includes("docs/2026")], [["a", "b/1", "b/2", "b/sub/3", "c"], true]);
  equal(paths(await bucket.list({ prefix: "b/" })), ["b/1", "b/2", "b/sub/3"]);
  equal(paths(await bucket.list({ limit: 2, skip: 1 })), ["b/1", "b/2"]);
  equal([await bucket.find("b/"), (await bucket.find("b/1")).size], [null, 3]);
  await bucket.delete("docs/2026");
  equal((await bucket.list()).folders.includes("docs/2026"), false);
  for (const path of ["a//b", "x".repeat(901), "a\\b", "a\u0001b"]) {
    await fails(bucket.upload(path, "x"), "INVALID_PARAM", 400);
  }
}

export async function signed_links_open_one_file_for_a_time(t) {
  const user = await t.user();
  const bucket = user.files(await t.bucket());
  await bucket.upload("a", "for you");
  await bucket.upload("b", "not for you");
  const { url, expiresAt } = await bucket.sign("a");
  check(Math.abs(Date.parse(expiresAt) - Date.now() - 3_600_000) < 60_000, `an hour by default, not ${expiresAt}`);
  equal(await text(await fetch(url)), "for you");
  const other = new URL(url);
  other.pathname = other.pathname.replace(/a$/, "b");
  equal((await fetch(other)).status, 404, "of another file it opens nothing");
  equal((await fetch(url.replace(/.$/, (last) => (last === "A" ? "B" : "A")))).status, 404, "nor changed");
  await fails(bucket.sign("a", { seconds: 700_000 }), undefined, 400);
  await fails(bucket.sign("none"), "NOT_FOUND", 404);
  await fails((await t.user()).files(bucket.name).sign("a"), undefined, 404);
  equal((await fetch(bucket.publicUrl("a"))).status, 404, "the bucket is private");
}

export async function files_of_others_are_not_there(t) {
  const [ann, ben] = [await t.user(), await t.user()];
  const name = await t.bucket();
  await ann.files(name).upload("mine", "secret");
  const theirs = ben.files(name);
  equal([(await theirs.list()).files, await theirs.find("mine")], [[], null]);
  await fails(theirs.download("mine"), "NOT_FOUND", 404);
  const overwriting = await fails(theirs.upload("mine", "x"));
  check([403, 404].includes(overwriting.status), overwriting.stack);
  const deleting = await fails(theirs.delete("mine"));
  check([403, 404].includes(deleting.status), deleting.stack);
  equal(await text(await ann.files(name).download("mine")), "secret");
  const anonymous = t.client().files(name);
  await fails(anonymous.list(), "UNAUTHENTICATED", 401);
  await fails(anonymous.upload("x", "x"), "UNAUTHENTICATED", 401);
  await fails(ann.files(unique("none")).list(), "NOT_FOUND", 404);
}

export async function rules_of_a_bucket_hold_at_the_first_byte(t) {
  const rules = {
    read: {},
    list: { filter: { "metadata.team": "red" } },
    create: { validate: "file.size <= 1000 && file.contentType.startsWith('image/') && has(file.metadata.team)" },
    delete: { filter: { ownerId: "$auth.uid" } },
  };
  const user = await t.user();
  const bucket = user.files(await t.bucket("private", rules));
  const image = { contentType: "image/png", metadata: { team: "red" } };
  await bucket.upload("a", "x", image);
  await bucket.upload("b", "x", { ...image, metadata: { team: "blue" } });
  await fails(bucket.upload("c", "x", { metadata: { team: "red" } }), "FORBIDDEN", 403);
  await fails(bucket.upload("c", bytes(2_000), image), "FORBIDDEN", 403);
  const seen = [];
  await fails(
    bucket.upload("c", bytes(2_000_000), { ...image, onProgress: ({ sent }) => seen.push(sent) }),
    "FORBIDDEN",
    403,
  );
  equal(seen, [], "refused before a piece was sent");
  await fails(bucket.upload("a", "changed", image), "FORBIDDEN", 403);
  equal(
    (await bucket.list()).files.map((one) => one.path),
    ["a"],
    "what the filter shows",
  );
  await fails((await t.user()).files(bucket.name).delete("a"), "NOT_FOUND", 404);
  await bucket.delete("a");
}

export async function a_file_above_the_limit_is_refused(t) {
  const own = await t.ownProject(undefined, { maxFileSize: 100_000 });
  const bucket = (await own.user()).files(await own.bucket());
  await fails(bucket.upload("whole", bytes(100_001)), "PAYLOAD_TOO_LARGE", 413);
  await fails(bucket.upload("pieces", bytes(100_001), { resumable: true }), "PAYLOAD_TOO_LARGE", 413);
  equal((await bucket.upload("fits", bytes(100_000))).size, 100_000);
  equal((await bucket.list()).files.length, 1);
}

export async function a_kept_upload_may_be_paused_before_it_continues(t) {
  const storage = memoryStorage();
  const user = await t.user({ storage });
  const name = await t.bucket();
  const data = new Blob([bytes(2_000_000)]);
  const first = user.files(name).upload("kept", data, { onProgress: ({ sent }) => sent > 0 && first.pause() });
  await until(() => first.status === "paused", "paused");
  const steps = [];
  const second = t
    .client({ storage })
    .files(name)
    .upload("kept", data, { onProgress: ({ sent }) => steps.push(sent) });
  second.pause();
  equal(second.status, "paused");
  equal(await Promise.race([second, new Promise((resolve) => setTimeout(resolve, 80, "waiting"))]), "waiting");
  second.resume();
  equal((await second).size, 2_000_000);
  check(steps[0] > 0, "it continues");
}

export async function an_upload_that_the_server_forgot_begins_again(t) {
  const inner = memoryStorage();
  let key;
  const storage = {
    get: (name) => inner.get(name),
    set: (name, value) => (name.startsWith("manybase:upload:") && (key = name), inner.set(name, value)),
  };
  const user = await t.user({ storage });
  const bucket = user.files(await t.bucket());
  const data = new Blob([bytes(700_000)], { type: "image/png" });
  const interrupted = bucket.upload("a", data, { onProgress: ({ sent }) => sent > 0 && interrupted.pause() });
  await until(() => interrupted.status === "paused", "paused");
  const kept = JSON.parse(inner.get(key));
  for (const text of [
    JSON.stringify({ ...kept, location: `${kept.location.split("?")[0]}?upload=gone` }),
    JSON.stringify({ ...kept, location: "https://elsewhere.example.com/?upload=1" }),
    JSON.stringify({ ...kept, at: 0 }),
    JSON.stringify({ at: Date.now() }),
    "not JSON",
  ]) {
    inner.set(key, text);
    const steps = [];
    const file = await bucket.upload("a", data, { onProgress: ({ sent }) => steps.push(sent) });
    equal([file.size, steps[0]], [700_000, 0], text);
    equal(inner.get(key), undefined, "nothing is kept of a finished upload");
  }
}

export async function uploads_end_by_signal_cancel_and_close(t) {
  const bucket = (await t.user()).files(await t.bucket());
  const over = new AbortController();
  over.abort(new Error("the user left"));
  await fails(bucket.upload("a", "x", { signal: over.signal }), "ABORTED", 0);
  await fails(bucket.upload("a", bytes(600_000), { resumable: true, signal: over.signal }), "ABORTED", 0);
  const controller = new AbortController();
  const running = bucket.upload("b", bytes(3_000_000), {
    signal: controller.signal,
    onProgress: ({ sent }) => sent > 0 && controller.abort(),
  });
  await fails(running, "ABORTED", 0);
  equal([running.status, await bucket.find("b")], ["failed", null]);
  const whole = bucket.upload("c", bytes(3_000_000));
  await whole.cancel();
  await fails(whole, "ABORTED", 0);
  whole.pause();
  whole.resume();
  equal(whole.status, "failed", "it is over");
}

export async function servers_that_lose_offsets_end_an_upload(t) {
  const user = await t.user();
  const name = await t.bucket();
  const responses = {
    "an answer to everything": () => jsonResponse({}),
    "an offset that does not move": (line) =>
      new Response(null, {
        status: line.startsWith("POST") ? 201 : 204,
        headers: { location: "/x?upload=1", "upload-offset": "0" },
      }),
    "a location that is none": (line) =>
      line.startsWith("POST") && new Response(null, { status: 201, headers: { location: "http://[" } }),
  };
  for (const [what, answer] of Object.entries(responses)) {
    const watched = watchedFetch((line) => line.includes(`/storage/${name}`) && answer(line));
    const client = t.client({ fetch: watched });
    await client.auth.login({ email: user.email, password });
    watched.sent.length = 0;
    const error = await fails(client.files(name).upload("a", bytes(600_000), { resumable: true }), "INVALID_RESPONSE");
    check(watched.sent.length <= 3, `${what}: ${watched.sent.length} requests, ${error.message}`);
  }
  const watched = watchedFetch((line) => line.startsWith("PUT") && jsonResponse({}));
  await fails(t.key({ fetch: watched }).files(name).upload("b", "x"), "INVALID_RESPONSE", 200);
  equal(watched.sent.length, 1);
}
