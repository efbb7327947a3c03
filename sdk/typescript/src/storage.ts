/** Where a client keeps its session and the addresses of unfinished uploads. A value of null removes the key. */
export interface KeyValueStorage {
  /** The value of a key; null or undefined for none. */
  get(key: string): string | null | undefined | Promise<string | null | undefined>;
  /** Stores a value, or removes it. */
  set(key: string, value: string | null): void | Promise<void>;
}

/** A storage that ends with the program. */
export function memoryStorage(): KeyValueStorage {
  const values = new Map<string, string>();
  return {
    get: (key) => values.get(key),
    set: (key, value) => void (value === null ? values.delete(key) : values.set(key, value)),
  };
}

const localStorageOfPage: KeyValueStorage = {
  get: (key) => localStorage.getItem(key),
  set: (key, value) => (value === null ? localStorage.removeItem(key) : localStorage.setItem(key, value)),
};

/**
 * A storage that never throws: what the given one refuses is kept in memory. Without one, the page's `localStorage`, or
 * memory where there is no page.
 */
export class SafeStorage {
  /** True where other tabs read the same values. */
  readonly shared: boolean;
  readonly #inner: KeyValueStorage;
  readonly #refused = new Map<string, string | null>();

  constructor(given: KeyValueStorage | "memory" | undefined) {
    const page = given === undefined && typeof document !== "undefined";
    this.shared = page || typeof given === "object";
    this.#inner = page ? localStorageOfPage : typeof given === "object" ? given : memoryStorage();
  }

  async get(key: string): Promise<string | null> {
    try {
      return this.#refused.has(key) ? this.#refused.get(key)! : ((await this.#inner.get(key)) ?? null);
    } catch {
      return null;
    }
  }

  async set(key: string, value: string | null): Promise<void> {
    try {
      await this.#inner.set(key, value);
      this.#refused.delete(key);
    } catch {
      this.#refused.set(key, value);
    }
  }
}
