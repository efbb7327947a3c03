// What scenarios get: clients, users, collections of their own, and waits. Runs in Node.js and in browsers.
import { createClient } from "manybase";

export class Failure extends Error {}

export function equal(actual, expected, what = "") {
  const a = JSON.stringify(actual);
  const b = JSON.stringify(expected);
  if (a !== b) throw new Failure(`${what || "expected"}\n  ${b}\nbut got\n  ${a}`);
}

export function check(condition, what) {
  if (!condition) throw new Failure(what);
}

/** The error that a promise ends with; fails if it has none, or one of another code. */
export async function fails(promise, code, status) {
  let result;
  try {
    result = await promise;
  } catch (error) {
    if (code !== undefined && error.code !== code) throw new Failure(`expected ${code}, got ${error.stack}`);
    if (status !== undefined) equal(error.status, status, "status");
    return error;
  }
  throw new Failure(`expected ${code}, got ${JSON.stringify(result)}`);
}

export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Waits until `condition` gives something true, and gives that. `what` is awaited; of a function its result is shown. */
export async function until(condition, what, seconds = 10) {
  for (const end = Date.now() + seconds * 1000; ; await sleep(10)) {
    const value = await condition();
    if (value) return value;
    if (Date.now() > end) throw new Failure(`not within ${seconds} s: ${typeof what === "function" ? what() : what}`);
  }
}

let count = 0;
export const unique = (prefix) => `${prefix}${++count}x${Math.floor(Math.random() * 1e6)}`;

export const password = "correct horse battery";
export const open = { read: {}, list: {}, create: {}, update: {}, delete: {} };

/** `setup`: {url, project, adminKey} of a running server. */
export class Context {
  #closers = [];

  constructor(setup) {
    this.setup = setup;
    this.url = setup.url;
    this.project = setup.project;
  }

  onEnd(closer) {
    this.#closers.push(closer);
  }

  async end() {
    for (const closer of this.#closers.reverse()) await closer();
  }

  /** A client without a session. */
  client(options = {}) {
    const client = createClient({ url: this.url, project: this.project, storage: "memory", ...options });
    this.onEnd(() => client.close());
    return client;
  }

  /** A client with the rights of an administrator's key. */
  key(options = {}) {
    return this.client({ apiKey: this.setup.adminKey, ...options });
  }

  /** A new end user who is signed in, with their address. */
  async user(options = {}) {
    const client = this.client(options);
    const email = `${unique("user")}@example.com`;
    await client.auth.register({ email, password });
    const { user } = await client.auth.login({ email, password });
    return Object.assign(client, { email, id: user.id });
  }

  /** A request to the admin plane; gives the body of the response. */
  async admin(method, path, body) {
    const response = await fetch(`${this.setup.server ?? this.url}/api/v1/admin${path}`, {
      method,
      headers: { authorization: `Bearer ${this.setup.adminKey}`, "content-type": "application/json" },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const text = await response.text();
    check(response.ok, `${method} ${path} gave ${response.status} ${text}`);
    return text ? JSON.parse(text) : undefined;
  }

  /** A new collection; gives its name. */
  async collection(policy = open, schema = undefined) {
    const name = unique("c");
    await this.admin("POST", "/collections", { name });
    if (schema) await this.admin("PUT", `/collections/${name}/schema`, schema);
    if (policy) await this.admin("PUT", `/collections/${name}/policy`, policy);
    return name;
  }

  async bucket(access = "private") {
    const name = unique("b");
    await this.admin("POST", "/storage/buckets", { name, access });
    return name;
  }
}
