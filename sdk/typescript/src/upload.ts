import { isError, ManybaseError } from "./errors.js";
import type { StoredFile } from "./files.js";
import { aborted, jittered, pause, type Call, type Transport } from "./http.js";
import type { SafeStorage } from "./storage.js";

export type UploadSource = Blob | ArrayBuffer | Uint8Array | string;

export interface UploadProgress {
  sent: number;
  total: number;
}

export interface UploadOptions {
  /** The type of a Blob by default, else `application/octet-stream`. */
  contentType?: string;
  metadata?: Record<string, unknown>;
  /** Send it in pieces that continue after an interruption. On by default for files over 8 MiB, and with `onProgress`. */
  resumable?: boolean;
  onProgress?: (progress: UploadProgress) => void;
  signal?: AbortSignal;
}

export type UploadStatus = "running" | "paused" | "done" | "failed";

const tus = { "tus-resumable": "1.0.0" };
const resumableFrom = 8 << 20;
const firstPieceBytes = 256 << 10;
const maxPieceBytes = 16 << 20;
/** Pieces grow until one takes about so long: progress stays visible, and a lost connection costs little. */
const pieceMs = 1_500;
const maxFailures = 8;
const keptMs = 24 * 3_600_000;

const base64 = (text: string) => btoa(String.fromCharCode(...new TextEncoder().encode(text)));

/** A file on its way to the server. Await it for the stored file. */
export class Upload implements PromiseLike<StoredFile> {
  status: UploadStatus = "running";
  sent = 0;
  readonly total: number;
  private readonly blob: Blob;
  private readonly type: string;
  private readonly result: Promise<StoredFile>;
  private readonly controller = new AbortController();
  private readonly key: string;
  private readonly resumable: boolean;
  private location: string | undefined;
  private running: AbortController | undefined;
  private wake: (() => void) | undefined;

  constructor(
    private readonly transport: Transport,
    private readonly storage: SafeStorage,
    private readonly address: string,
    source: UploadSource,
    private readonly options: UploadOptions,
    private readonly find: () => Promise<StoredFile | null>,
  ) {
    this.blob = source instanceof Blob ? source : new Blob([source as BlobPart]);
    this.total = this.blob.size;
    this.type = options.contentType || this.blob.type || "application/octet-stream";
    this.resumable = options.resumable ?? (options.onProgress !== undefined || this.total > resumableFrom);
    const modified = (source as File).lastModified ?? "";
    this.key = `manybase:upload:${transport.base}${address}:${this.total}:${modified}:${this.type}`;
    const { signal } = options;
    if (signal?.aborted) this.controller.abort(signal.reason);
    signal?.addEventListener("abort", () => this.controller.abort(signal.reason), { once: true });
    this.result = this.run();
    // An upload that is followed by `status` alone is no unhandled rejection.
    this.result.catch(() => {});
  }

  then<A = StoredFile, B = never>(
    resolve?: ((file: StoredFile) => A | PromiseLike<A>) | null,
    reject?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.result.then(resolve, reject);
  }

  /** Stops sending until `resume()`. What was sent is kept by the server for 24 hours. */
  pause(): void {
    if (this.status !== "running" || !this.resumable) return;
    this.status = "paused";
    this.running?.abort();
  }

  resume(): void {
    if (this.status !== "paused") return;
    this.status = "running";
    this.wake?.();
  }

  /** Ends the upload and removes what was sent. The result is the error `ABORTED`. */
  async cancel(): Promise<void> {
    this.controller.abort();
    this.wake?.();
    await this.result.catch(() => {});
    if (!this.location) return;
    await this.storage.set(this.key, null);
    const call = { method: "DELETE", path: this.location, headers: tus, repeatable: true };
    await this.transport.json(call).catch(() => {});
  }

  private async run(): Promise<StoredFile> {
    try {
      const file = this.resumable ? await this.sendPieces() : await this.sendWhole();
      this.status = "done";
      return file;
    } catch (error) {
      this.status = "failed";
      throw error;
    }
  }

  private async sendWhole(): Promise<StoredFile> {
    const { metadata } = this.options;
    const { file } = await this.transport.json<{ file: StoredFile }>({
      method: "PUT",
      path: this.address,
      body: this.blob,
      headers: { "content-type": this.type, "x-service-metadata": metadata && JSON.stringify(metadata) },
      repeatable: true,
      signal: this.controller.signal,
      timeoutMs: 0,
    });
    this.progress(this.total);
    return file;
  }

  private async sendPieces(): Promise<StoredFile> {
    let offset = await this.begin();
    let size = firstPieceBytes;
    for (let failures = 0; offset < this.total; ) {
      this.progress(offset);
      await this.whilePaused();
      const began = Date.now();
      try {
        const piece = this.blob.slice(offset, offset + size);
        const next = await this.offset({
          method: "PATCH",
          body: piece,
          headers: { ...tus, "upload-offset": String(offset), "content-type": "application/offset+octet-stream" },
        });
        offset = next;
        failures = 0;
        const factor = Date.now() - began < pieceMs ? 2 : 0.5;
        // The server takes at most 10,000 pieces.
        const least = Math.max(firstPieceBytes, Math.ceil(this.total / 5_000));
        size = Math.max(least, Math.min(maxPieceBytes, size * factor));
      } catch (error) {
        if (this.controller.signal.aborted) throw aborted(this.controller.signal);
        const paused = isError(error, "ABORTED");
        if (!paused && (!this.passing(error) || ++failures > maxFailures)) throw error;
        if (!paused) await pause(jittered(500, failures, 20_000), this.controller.signal);
        await this.whilePaused();
        size = firstPieceBytes;
        offset = (await this.offsetOf(this.location!).catch((cause) => {
          if (this.passing(cause)) return undefined;
          throw cause;
        })) ?? offset;
      }
    }
    await this.storage.set(this.key, null);
    this.progress(this.total);
    const file = { path: decodeURIComponent(this.address.split("/").slice(3).join("/")), size: this.total, contentType: this.type };
    return (await this.find().catch(() => null)) ?? file;
  }

  /** Begins the upload, or finds the one that an earlier page has begun; gives the offset to continue from. */
  private async begin(): Promise<number> {
    const kept = await this.kept();
    if (kept && Date.now() - kept.at < keptMs) {
      const offset = await this.offsetOf(kept.location).catch((error) => {
        // The server does not have it any more.
        if (error instanceof ManybaseError && error.status >= 400 && error.status < 500) return undefined;
        throw error;
      });
      if (offset !== undefined) {
        this.location = kept.location;
        return offset;
      }
    }
    const metadata = [`filetype ${base64(this.type)}`];
    if (this.options.metadata) metadata.push(`metadata ${base64(JSON.stringify(this.options.metadata))}`);
    const { response } = await this.transport.exchange({
      method: "POST",
      path: this.address,
      headers: { ...tus, "upload-length": String(this.total), "upload-metadata": metadata.join(",") },
      signal: this.controller.signal,
      // An upload that a lost response has begun expires by itself.
      repeatable: true,
    });
    // The part that names the upload: a token is sent to no other host than the client's.
    this.location = this.address + new URL(response.headers.get("location")!, this.transport.base).search;
    await this.storage.set(this.key, JSON.stringify({ location: this.location, at: Date.now() }));
    return 0;
  }

  private async kept(): Promise<{ location: string; at: number } | null> {
    try {
      return JSON.parse((await this.storage.get(this.key)) ?? "null");
    } catch {
      return null;
    }
  }

  private offsetOf(location: string): Promise<number> {
    this.location = location;
    return this.offset({ method: "HEAD", headers: tus });
  }

  private async offset(call: Partial<Call> & { method: string }): Promise<number> {
    const running = (this.running = new AbortController());
    const end = () => running.abort();
    const { signal } = this.controller;
    signal.addEventListener("abort", end, { once: true });
    if (signal.aborted || this.status === "paused") end();
    try {
      const sent = { ...call, path: this.location!, once: call.method === "PATCH", timeoutMs: 0, signal: running.signal };
      const { response } = await this.transport.exchange(sent);
      return Number(response.headers.get("upload-offset"));
    } finally {
      signal.removeEventListener("abort", end);
    }
  }

  /** An error after which the upload continues: by the connection, a busy server, or another request's piece. */
  private passing(error: unknown): boolean {
    return (
      error instanceof ManybaseError &&
      (error.status === 0 || error.status === 409 || error.status === 429 || error.status === 408 || error.status >= 500)
    );
  }

  private async whilePaused(): Promise<void> {
    while (this.status === "paused" && !this.controller.signal.aborted) {
      await new Promise<void>((resolve) => (this.wake = resolve));
    }
    if (this.controller.signal.aborted) throw aborted(this.controller.signal);
  }

  private progress(sent: number): void {
    this.sent = sent;
    this.options.onProgress?.({ sent, total: this.total });
  }
}
