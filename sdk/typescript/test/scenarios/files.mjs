import { memoryStorage } from "manybase";
import { check, equal, fails, until } from "../context.mjs";

const bytes = (length) => Uint8Array.from({ length }, (_, at) => (at * 7) % 251);
const text = async (response) => (check(response.ok, `${response.status}`), response.text());

export async function store_read_sign_delete(t) {
  const user = await t.user();
  const bucket = user.files(await t.bucket());
  const file = await bucket.upload("a folder/ä&b.txt", new Blob(["hello"], { type: "text/plain" }), {
    metadata: { team: "x" },
  });
  // Bun adds a charset to the type of a Blob.
  equal(
    [file.path, file.size, file.contentType.split(";")[0], file.metadata],
    ["a folder/ä&b.txt", 5, "text/plain", { team: "x" }],
  );
  equal(await text(await bucket.download(file.path)), "hello");
  equal(await text(await bucket.download(file.path, { range: "bytes=1-3" })), "ell");
  const { url } = await bucket.sign(file.path, { seconds: 60 });
  equal(await text(await fetch(url)), "hello");
  await bucket.setMetadata(file.path, { team: "y" });
  equal((await bucket.find(file.path)).metadata, { team: "y" });
  equal((await bucket.list({ prefix: "a folder/" })).files.length, 1);
  await bucket.delete(file.path);
  await fails(bucket.download(file.path), "NOT_FOUND", 404);
  equal(await bucket.find(file.path), null);
}

export async function public_addresses(t) {
  const user = await t.user();
  const bucket = user.files(await t.bucket("public"));
  await bucket.upload("p.txt", "for all");
  equal(await text(await fetch(bucket.publicUrl("p.txt"))), "for all");
}

export async function pieces_with_progress(t) {
  const user = await t.user();
  const bucket = user.files(await t.bucket());
  const data = bytes(3_000_000);
  const seen = [];
  const file = await bucket.upload("big", data, {
    onProgress: ({ sent, total }) => seen.push([sent, total]),
    metadata: { n: 1 },
  });
  equal([file.size, file.contentType, file.metadata], [3_000_000, "application/octet-stream", { n: 1 }]);
  equal(
    [seen[0], seen[seen.length - 1]],
    [
      [0, 3_000_000],
      [3_000_000, 3_000_000],
    ],
  );
  check(seen.length > 3, `progress, not ${seen.length} steps`);
  const read = new Uint8Array(await (await bucket.download("big")).arrayBuffer());
  check(read.every((byte, at) => byte === data[at]) && read.length === data.length, "the same bytes");
}

export async function pause_resume_and_cancel(t) {
  const user = await t.user();
  const bucket = user.files(await t.bucket());
  const upload = bucket.upload("paused", bytes(2_000_000), {
    onProgress: ({ sent }) =>
      sent > 0 &&
      sent < 2_000_000 &&
      upload.status === "running" &&
      !upload.once &&
      (upload.once = upload.pause() || true),
  });
  await until(() => upload.status === "paused", "paused");
  equal(await Promise.race([upload, new Promise((resolve) => setTimeout(resolve, 100, "waiting"))]), "waiting");
  upload.resume();
  equal((await upload).size, 2_000_000);
  const second = bucket.upload("cancelled", bytes(2_000_000), { onProgress: ({ sent }) => sent > 0 && second.pause() });
  await until(() => second.status === "paused", "paused");
  await second.cancel();
  await fails(second, "ABORTED", 0);
  equal(second.status, "failed");
}

export async function an_upload_continues_after_a_reload(t) {
  const storage = memoryStorage();
  const user = await t.user({ storage });
  const name = await t.bucket();
  const data = new Blob([bytes(4_000_000)], { type: "image/png" });
  const first = user.files(name).upload("photo", data, { onProgress: ({ sent }) => sent > 0 && first.pause() });
  await until(() => first.status === "paused", "paused");
  // Another page with the same storage.
  const reloaded = t.client({ storage });
  const steps = [];
  const file = await reloaded.files(name).upload("photo", data, { onProgress: ({ sent }) => steps.push(sent) });
  equal([file.size, file.contentType], [4_000_000, "image/png"]);
  check(steps[0] > 0, "it begins where the first page stopped");
}
