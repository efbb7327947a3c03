// How uploads are sent: whole, or in pieces by tus 1.0, which continue. Loaded by the first upload.
import { isError, ManybaseError } from "./errors.js";
import type { StoredFile } from "./files.js";
import { aborted, jittered, type Call } from "./http.js";
import type { Upload } from "./upload.js";

const tus = { "tus-resumable": "1.0.0" };
const firstPieceBytes = 256 << 10;
const maxPieceBytes = 16 << 20;
/** The server takes 10,000 pieces; some are repeated. */
const maxPieces = 5_000;
/** Pieces grow until one takes about so long: progress stays visible, and a lost connection costs little. */
const pieceMs = 1_500;
const maxFailures = 8;
const keptMs = 24 * 3_600_000;

const base64 = (text: string) => btoa(String.fromCharCode(...new TextEncoder().encode(text)));

function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer);
      reject(aborted(signal));
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", end);
      resolve();
    }, ms);
    if (signal?.aborted) end();
    signal?.addEventListener("abort", end, { once: true });
  });
}

/** Where the address of an unfinished upload is kept: the same file to the same path finds it. */
function keyOf({ transport, address, total, type, blob }: Upload): string {
  return `manybase:upload:${transport.base}${address}:${total}:${(blob as File).lastModified ?? ""}:${type}`;
}

export const send = (upload: Upload): Promise<StoredFile> =>
  upload.resumable ? sendPieces(upload) : sendWhole(upload);

async function sendWhole(upload: Upload): Promise<StoredFile> {
  const { metadata } = upload.options;
  const { file } = await upload.transport.json<{ file: StoredFile }>({
    method: "PUT",
    path: upload.address,
    body: upload.blob,
    headers: { "content-type": upload.type, "x-service-metadata": metadata && upload.transport.codec.stringify(metadata) },
    has: "file",
    repeatable: true,
    signal: upload.signal,
    timeoutMs: 0,
  });
  upload.progress(upload.total);
  return file;
}

async function sendPieces(upload: Upload): Promise<StoredFile> {
  const { total, blob, signal } = upload;
  let offset = await begin(upload);
  let size = firstPieceBytes;
  for (let failures = 0; offset < total;) {
    upload.progress(offset);
    await upload.whilePaused();
    const began = Date.now();
    try {
      offset = await request(upload, {
        method: "PATCH",
        body: blob.slice(offset, offset + size),
        headers: { ...tus, "upload-offset": String(offset), "content-type": "application/offset+octet-stream" },
      });
      failures = 0;
      const wanted = Date.now() - began < pieceMs ? size * 2 : size / 2;
      size = Math.max(firstPieceBytes, Math.ceil(total / maxPieces), Math.min(maxPieceBytes, wanted));
    } catch (error) {
      if (signal.aborted) throw aborted(signal);
      const paused = isError(error, "ABORTED");
      if (!paused && (!isPassing(error) || ++failures > maxFailures)) throw error;
      if (!paused) await pause(jittered(500, failures, 20_000), signal);
      await upload.whilePaused();
      size = Math.max(firstPieceBytes, Math.ceil(total / maxPieces));
      const stored = await request(upload, { method: "HEAD", headers: tus }).catch((cause) => {
        if (!isPassing(cause)) throw cause;
      });
      offset = stored ?? offset;
    }
  }
  await upload.storage.set(keyOf(upload), null);
  upload.progress(total);
  // The last piece has made the file; its record only tells more about it.
  const path = decodeURIComponent(upload.address.split("/").slice(3).join("/"));
  return (await upload.find().catch(() => null)) ?? { path, size: total, contentType: upload.type };
}

export async function discard(upload: Upload): Promise<void> {
  await upload.storage.set(keyOf(upload), null);
  const call = { method: "DELETE", path: upload.location!, headers: tus, repeatable: true };
  // What stays is removed by the server after a day.
  await upload.transport.json(call).catch(() => {});
}

/** Begins the upload, or finds the one that an earlier page has begun; gives the offset to continue from. */
async function begin(upload: Upload): Promise<number> {
  const key = keyOf(upload);
  const { transport, storage, address, signal } = upload;
  const kept = await readKept(upload, key);
  if (kept) upload.location = kept;
  while (kept) {
    await upload.whilePaused();
    try {
      return await request(upload, { method: "HEAD", headers: tus });
    } catch (error) {
      if (isError(error, "ABORTED") && !signal.aborted) continue;
      if (!isError(error) || error.status < 400 || error.status >= 500) throw error;
      // The server does not have it any more.
      break;
    }
  }
  const metadata = [`filetype ${base64(upload.type)}`];
  if (upload.options.metadata) metadata.push(`metadata ${base64(transport.codec.stringify(upload.options.metadata))}`);
  const { response } = await transport.exchange({
    method: "POST",
    path: address,
    headers: { ...tus, "upload-length": String(upload.total), "upload-metadata": metadata.join(",") },
    signal,
    // An upload that a lost response has begun expires by itself.
    repeatable: true,
  });
  // The part that names the upload: a token is sent to no other host than the client's.
  upload.location = address + uploadOf(response, transport.base);
  await storage.set(key, JSON.stringify({ location: upload.location, at: Date.now() }));
  return 0;
}

/** A response that lacks what tus has there: continuing without it could go on for ever. */
const invalid = (response: Response, lacking: string) =>
  new ManybaseError(response.status, "INVALID_RESPONSE", `the response to an upload has no ${lacking}`);

/** The part of an upload's address that names it. */
function uploadOf(response: Response, base: string): string {
  try {
    const { search } = new URL(response.headers.get("location")!, base);
    if (search) return search;
  } catch {
    // Not an address.
  }
  throw invalid(response, "location");
}

async function readKept(upload: Upload, key: string): Promise<string | undefined> {
  try {
    const { location, at } = JSON.parse((await upload.storage.get(key)) ?? "{}");
    if (Date.now() - at < keptMs && location.startsWith(upload.address + "?")) return location;
  } catch {
    // Not what this package has written.
  }
  return undefined;
}

/** Sends one request that `pause` and `cancel` end; gives the offset that the server then has. */
async function request(upload: Upload, call: Partial<Call> & { method: string }): Promise<number> {
  const running = (upload.running = new AbortController());
  const end = () => running.abort();
  upload.signal.addEventListener("abort", end, { once: true });
  if (upload.signal.aborted || upload.status === "paused") end();
  try {
    const once = call.method === "PATCH";
    const sent = { ...call, path: upload.location!, once, timeoutMs: 0, signal: running.signal };
    const { response } = await upload.transport.exchange(sent);
    const offset = Number(response.headers.get("upload-offset") ?? NaN);
    if (!(offset >= 0 && (!once || offset > upload.sent))) throw invalid(response, "upload-offset that fits");
    return offset;
  } finally {
    upload.signal.removeEventListener("abort", end);
  }
}

/** An error after which the upload continues: of the connection, a busy server, or another request's piece. */
function isPassing(error: unknown): boolean {
  if (!(error instanceof ManybaseError)) return false;
  return error.status === 0 || error.status >= 500 || [408, 409, 429].includes(error.status);
}
