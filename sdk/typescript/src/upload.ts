import { loaded } from "./errors.js";
import type { StoredFile } from "./files.js";
import { aborted, type Transport } from "./http.js";
import type { SafeStorage } from "./storage.js";

/** What can be uploaded; text is sent as UTF-8. */
export type UploadSource = Blob | ArrayBuffer | Uint8Array | string;

/** How much of a file was sent. */
export interface UploadProgress {
  /** Bytes that the server has. */
  sent: number;
  /** Bytes of the file. */
  total: number;
}

/** Options of an upload. */
export interface UploadOptions {
  /** The type of a Blob by default, else `application/octet-stream`. */
  contentType?: string;
  /** Stored with the file. */
  metadata?: Record<string, unknown>;
  /** Send it in pieces that continue after an interruption. On by default for files over 8 MiB, and with `onProgress`. */
  resumable?: boolean;
  /** Called after each piece. */
  onProgress?: (progress: UploadProgress) => void;
  /** Ends the upload; what was sent is kept for 24 hours. */
  signal?: AbortSignal;
}

/** How far an upload is. */
export type UploadStatus = "running" | "paused" | "done" | "failed";

const resumableFrom = 8 << 20;

/** A file on its way to the server. Await it for the stored file. */
export class Upload implements PromiseLike<StoredFile> {
  /** How far it is. */
  status: UploadStatus = "running";
  /** Bytes that the server has. */
  sent = 0;
  /** Bytes of the file. */
  readonly total: number;
  /** @internal */
  readonly blob: Blob;
  /** @internal */
  readonly type: string;
  /** @internal The upload's own address, once it has begun. */
  location: string | undefined;
  /** @internal Ends the request that is under way. */
  running: AbortController | undefined;
  readonly #result: Promise<StoredFile>;
  readonly #controller = new AbortController();
  /** @internal */
  readonly resumable: boolean;
  #wake: (() => void) | undefined;

  constructor(
    /** @internal */
    readonly transport: Transport,
    /** @internal */
    readonly storage: SafeStorage,
    /** @internal */
    readonly address: string,
    source: UploadSource,
    /** @internal */
    readonly options: UploadOptions,
    /** @internal Gives the record of the stored file. */
    readonly find: () => Promise<StoredFile | null>,
  ) {
    this.blob = source instanceof Blob ? source : new Blob([source as BlobPart]);
    this.total = this.blob.size;
    this.type = options.contentType || this.blob.type || "application/octet-stream";
    this.resumable = options.resumable ?? (options.onProgress !== undefined || this.total > resumableFrom);
    const { signal } = options;
    const abort = () => this.#controller.abort(signal!.reason);
    if (signal?.aborted) abort();
    signal?.addEventListener("abort", abort, { once: true });
    this.#result = this.#run();
    // An upload that is followed by `status` alone is no unhandled rejection.
    this.#result.catch(() => {});
  }

  /** @internal */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** The stored file: an upload can be awaited. */
  then<A = StoredFile, B = never>(
    resolve?: ((file: StoredFile) => A | PromiseLike<A>) | null,
    reject?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.#result.then(resolve, reject);
  }

  /** Stops sending until `resume()`. What was sent is kept by the server for 24 hours. */
  pause(): void {
    if (this.status !== "running" || !this.resumable) return;
    this.status = "paused";
    this.running?.abort();
  }

  /** Continues a paused upload. */
  resume(): void {
    if (this.status !== "paused") return;
    this.status = "running";
    this.#wake?.();
  }

  /** Ends the upload and removes what was sent. The result is the error `ABORTED`. */
  async cancel(): Promise<void> {
    this.#controller.abort();
    this.#wake?.();
    await this.#result.catch(() => {});
    if (this.location) await (await loaded(import("./pieces.js"))).discard(this);
  }

  /** @internal Waits while the upload is paused. */
  async whilePaused(): Promise<void> {
    while (this.status === "paused" && !this.signal.aborted) {
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
    if (this.signal.aborted) throw aborted(this.signal);
  }

  /** @internal */
  progress(sent: number): void {
    this.sent = sent;
    this.options.onProgress?.({ sent, total: this.total });
  }

  async #run(): Promise<StoredFile> {
    try {
      const file = await (await loaded(import("./pieces.js"))).send(this);
      this.status = "done";
      return file;
    } catch (error) {
      this.status = "failed";
      throw error;
    }
  }
}
