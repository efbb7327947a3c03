import type { Fields } from "../../lib/json";

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

/** Knows which documents changed since a moment, from what lists showed of them before. */
export class Newer {
  readonly #seen = new Map<string, string>();
  readonly #since: string;

  /** `now` as the server writes moments; documents that are not seen before count from then on. */
  constructor(now: string, documents: readonly Fields[]) {
    this.#since = [now, ...documents.map((one) => textOf(one["updatedAt"]))].reduce((a, b) => (a > b ? a : b));
    for (const one of documents) this.#seen.set(String(one["id"]), textOf(one["updatedAt"]));
  }

  /** The ids of those that are newer than what was seen of them. */
  take(documents: readonly Fields[]): string[] {
    return documents.flatMap((one) => {
      const id = String(one["id"]);
      const updated = textOf(one["updatedAt"]);
      const before = this.#seen.get(id) ?? this.#since;
      this.#seen.set(id, updated);
      return updated > before ? [id] : [];
    });
  }
}
