// The uploads of this tab: a few at a time, in the order in which they were chosen. They go on while other screens are open.
import { isError, type Bucket, type Upload } from "manybase";

export type Status = "waiting" | "running" | "paused" | "done" | "failed" | "cancelled";

export interface Entry {
  readonly id: number;
  readonly projectId: string;
  readonly bucket: string;
  readonly path: string;
  readonly total: number;
  readonly sent: number;
  readonly status: Status;
  readonly resumable: boolean;
  readonly error?: unknown;
}

interface Job {
  files: Bucket;
  file: File;
  onDone: () => void;
  upload?: Upload;
}

const atOnce = 2;
/** From here on a file is sent in pieces, so that it shows progress and can be paused. */
const resumableFrom = 1 << 20;

/** A list of uploads that runs them. */
export class Uploads {
  #entries: readonly Entry[] = [];
  readonly #jobs = new Map<number, Job>();
  readonly #listeners = new Set<() => void>();
  #count = 0;

  readonly get = (): readonly Entry[] => this.#entries;
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  /** Adds a file; `onDone` is called once it is stored. */
  add(files: Bucket, projectId: string, path: string, file: File, onDone: () => void): void {
    const id = ++this.#count;
    this.#jobs.set(id, { files, file, onDone });
    const resumable = file.size > resumableFrom;
    this.#set([
      ...this.#entries,
      { id, projectId, bucket: files.name, path, total: file.size, sent: 0, status: "waiting", resumable },
    ]);
    this.#next();
  }

  pause(id: number): void {
    this.#jobs.get(id)?.upload?.pause();
    this.#change(id, { status: "paused" });
    this.#next();
  }

  resume(id: number): void {
    this.#jobs.get(id)?.upload?.resume();
    this.#change(id, { status: "running" });
  }

  /** Ends it, and removes from the server what was sent. */
  cancel(id: number): void {
    const upload = this.#jobs.get(id)?.upload;
    this.#change(id, { status: "cancelled" });
    this.#jobs.delete(id);
    void upload?.cancel();
    this.#next();
  }

  retry(id: number): void {
    this.#change(id, { status: "waiting", error: undefined });
    this.#next();
  }

  /** Takes those out of the list that have ended. */
  clear(): void {
    const open = this.#entries.filter(({ status }) => isOpen(status));
    const kept = new Set(open.map(({ id }) => id));
    for (const id of this.#jobs.keys()) if (!kept.has(id)) this.#jobs.delete(id);
    this.#set(open);
  }

  #next(): void {
    const running = this.#entries.filter(({ status }) => status === "running").length;
    for (const { id } of this.#entries.filter(({ status }) => status === "waiting").slice(0, Math.max(0, atOnce - running))) {
      void this.#run(id);
    }
  }

  async #run(id: number): Promise<void> {
    const job = this.#jobs.get(id)!;
    const entry = this.#entries.find((one) => one.id === id)!;
    this.#change(id, { status: "running" });
    const upload = job.files.upload(entry.path, job.file, {
      resumable: entry.resumable,
      onProgress: ({ sent }) => this.#change(id, { sent }),
    });
    job.upload = upload;
    try {
      await upload;
      this.#change(id, { status: "done", sent: entry.total });
      this.#jobs.delete(id);
      job.onDone();
    } catch (error) {
      if (this.#jobs.has(id) && !isError(error, "ABORTED")) this.#change(id, { status: "failed", error });
    }
    this.#next();
  }

  #change(id: number, change: Partial<Entry>): void {
    this.#set(this.#entries.map((one) => (one.id === id ? { ...one, ...change } : one)));
  }

  #set(entries: readonly Entry[]): void {
    this.#entries = entries;
    for (const listener of this.#listeners) listener();
  }
}

export const isOpen = (status: Status): boolean => status === "waiting" || status === "running" || status === "paused";

export const uploads = new Uploads();

// Leaving the page ends what is not sent yet.
addEventListener("beforeunload", (event) => {
  if (uploads.get().some(({ status }) => isOpen(status))) event.preventDefault();
});
