import { isError } from "./errors.js";
import type { CallOptions, Transport } from "./http.js";
import type { SafeStorage } from "./storage.js";
import { Upload, type UploadOptions, type UploadSource } from "./upload.js";

/** The record of a file. */
export interface StoredFile {
  /** Its path in the bucket. */
  path: string;
  /** In bytes. */
  size: number;
  /** Its media type. */
  contentType: string;
  /** Identifies the content. */
  etag?: string;
  /** When it was first stored. */
  createdAt?: string;
  /** When it was last replaced. */
  updatedAt?: string;
  /** The user who stored it, null for an API key. */
  ownerId?: string | null;
  /** What was stored with it. */
  metadata?: Record<string, unknown>;
}

/** A link that any client can read. */
export interface SignedLink {
  /** The address. */
  url: string;
  /** When it ends. */
  expiresAt: string;
}

const encodePath = (path: string) => path.split("/").map(encodeURIComponent).join("/");

/** The files of one bucket. */
export class Bucket {
  readonly #transport: Transport;
  readonly #storage: SafeStorage;

  constructor(
    transport: Transport,
    storage: SafeStorage,
    /** The bucket's name. */
    readonly name: string,
  ) {
    this.#transport = transport;
    this.#storage = storage;
  }

  #address(path?: string): string {
    return `/storage/${encodeURIComponent(this.name)}` + (path === undefined ? "" : `/${encodePath(path)}`);
  }

  /**
   * Stores a file, replacing one at the path. Await the result for the stored file. With `resumable` it is sent in pieces:
   * it continues after a lost connection, after `pause()`, and after a reload of the page when the same file is uploaded to
   * the same path again.
   */
  upload(path: string, data: UploadSource, options: UploadOptions = {}): Upload {
    return new Upload(this.#transport, this.#storage, this.#address(path), data, options, () =>
      this.find(path, options),
    );
  }

  /** Files and folders whose paths begin with `prefix`, by path. */
  async list(
    options: CallOptions & { prefix?: string; limit?: number; skip?: number } = {},
  ): Promise<{ files: StoredFile[]; folders: string[] }> {
    const { prefix, limit, skip, ...call } = options;
    return this.#transport.json({
      ...call,
      method: "GET",
      path: this.#address(),
      query: { prefix, limit, skip },
      has: "files",
    });
  }

  /** The bytes, as the response of the server. */
  download(path: string, options: CallOptions & { range?: string } = {}): Promise<Response> {
    const { range, ...call } = options;
    const sent = { ...call, method: "GET", path: this.#address(path), headers: { range }, unread: true };
    return this.#transport.exchange(sent).then(({ response }) => response);
  }

  /** A link with which any client can read the file, for up to 7 days; an hour by default. */
  sign(path: string, options: CallOptions & { seconds?: number } = {}): Promise<SignedLink> {
    const { seconds = 3600, ...call } = options;
    return this.#transport.json({
      ...call,
      method: "GET",
      path: this.#address(path),
      query: { sign: seconds },
      has: "url",
    });
  }

  /** The address of a file in a public bucket. */
  publicUrl(path: string): string {
    return this.#transport.address(this.#address(path), { project: this.#transport.project });
  }

  /** Replaces the metadata of a file. */
  setMetadata(path: string, metadata: Record<string, unknown>, options: CallOptions = {}): Promise<void> {
    return this.#transport.json({
      ...options,
      method: "PATCH",
      path: this.#address(path),
      json: { metadata },
      repeatable: true,
    });
  }

  /** Creates an empty folder, which then is listed. */
  createFolder(folder: string, options: CallOptions = {}): Promise<void> {
    return this.#transport.json({ ...options, method: "POST", path: this.#address(), json: { folder } });
  }

  /** Deletes a file. */
  delete(path: string, options: CallOptions = {}): Promise<void> {
    return this.#transport.json<void>({ ...options, method: "DELETE", path: this.#address(path), repeatable: true });
  }

  /** The record of a stored file; null where there is none, or it is not listed for the caller. */
  async find(path: string, options: CallOptions = {}): Promise<StoredFile | null> {
    const { signal, timeoutMs } = options;
    try {
      const { files } = await this.list({ prefix: path, limit: 1, signal, timeoutMs });
      return files[0]?.path === path ? files[0] : null;
    } catch (error) {
      if (isError(error) && /^40[34]$/.test(`${error.status}`)) return null;
      throw error;
    }
  }
}
