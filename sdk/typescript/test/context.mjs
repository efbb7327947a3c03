// What scenarios get: clients, users, collections of their own, and waits. Runs in Node.js and in browsers.
import { createClient, live } from "manybase";
import { createAdmin } from "manybase/admin";
import { createControl } from "manybase/control";

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

/** The paths that an error's details name. */
export const paths = (error) => error.details.map((one) => one.path);

/** The values of the field `n` in the documents that a live list shows. */
export const numbers = (list) => list.state.documents.map((one) => one.n);
export const shown = (list) => numbers(list).join();

export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Waits until `condition` gives something true, and gives that. `what` is awaited; of a function its result is shown. */
export async function until(condition, what, seconds = 10, everyMs = 10) {
  for (const end = Date.now() + seconds * 1000; ; await sleep(everyMs)) {
    const value = await condition();
    if (value) return value;
    if (Date.now() > end) throw new Failure(`not within ${seconds} s: ${typeof what === "function" ? what() : what}`);
  }
}

let count = 0;
export const unique = (prefix) => `${prefix}${++count}x${Math.floor(Math.random() * 1e6)}`;

/** Runs `work` while this program's clock is wrong by `ms`. */
export async function clockWrongBy(ms, work) {
  const { now } = Date;
  Date.now = () => now() + ms;
  try {
    return await work();
  } finally {
    Date.now = now;
  }
}

/** A fetch that counts: `watched.sent` are the requests, as "METHOD /path" below /api/v1; `answer` may give a response. */
export function watchedFetch(answer = () => undefined) {
  const watched = async (url, init) => {
    const line = `${init.method} ${new URL(url).pathname.replace("/api/v1", "")}`;
    watched.sent.push(line);
    return (await answer(line, init)) || fetch(url, init);
  };
  watched.sent = [];
  watched.count = (end) => watched.sent.filter((line) => line.endsWith(end)).length;
  return watched;
}

/** A response with a JSON body. */
export const jsonResponse = (body, status = 200, headers = {}) =>
  new Response(JSON.stringify(body), { status, headers: { "content-type": "application/json", ...headers } });

/** The present code of an authenticator app with this secret. */
export async function totp(secret) {
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
  const bits = [...secret.replace(/=+$/, "")].map((one) => alphabet.indexOf(one).toString(2).padStart(5, "0")).join("");
  const key = Uint8Array.from(bits.match(/.{8}/g), (byte) => parseInt(byte, 2));
  const counter = new DataView(new ArrayBuffer(8));
  counter.setUint32(4, Math.floor(Date.now() / 30_000));
  const imported = await crypto.subtle.importKey("raw", key, { name: "HMAC", hash: "SHA-1" }, false, ["sign"]);
  const mac = new DataView(await crypto.subtle.sign("HMAC", imported, counter.buffer));
  const code = (mac.getUint32(mac.getUint8(19) & 15) & 0x7fffffff) % 1_000_000;
  return String(code).padStart(6, "0");
}

export const day = 24 * 3_600_000;
export const password = "correct horse battery";
export const open = { read: {}, list: {}, create: {}, update: {}, delete: {} };

/** `setup`: {url, project, adminKey, platform, mails} of a running server. */
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

  /** A live list, once it was read and follows changes. */
  async live(query, options = {}) {
    const list = live(query, options);
    this.onEnd(() => list.close());
    await until(
      () => list.state.status === "live",
      () => `live, not ${JSON.stringify(list.state)}`,
    );
    return list;
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

  async bucket(access = "private", rules = undefined) {
    const name = unique("b");
    await this.admin("POST", "/storage/buckets", { name, access, rules });
    return name;
  }

  /** The context of a project of its own, with these settings; its platform user is its Owner. */
  async ownProject(settings = undefined, change = {}) {
    const control = this.control();
    await control.platformLogin(this.setup.platform);
    const { project } = await control.createProject({ name: unique("Own ") });
    this.onEnd(() => control.deleteProject(project.id).catch(() => {}));
    if (settings || Object.keys(change).length) await control.updateProject(project.id, { ...change, settings });
    const admin = createAdmin({ url: this.setup.server ?? this.url, token: control.projectTokens(project.id) });
    const { key } = await admin.createApiKey({ name: "scenarios", scopes: ["admin"] });
    const own = new Context({ ...this.setup, project: project.id, adminKey: key });
    this.onEnd(() => own.end());
    return own;
  }

  /** The control plane. */
  control(options = {}) {
    return createControl({ url: this.url, ...options });
  }

  /** The control plane of a new platform user who is signed in, with their address and id. */
  async platformUser(options = {}) {
    const control = this.control(options);
    const email = `${unique("dev")}@example.com`;
    const { user } = await control.platformRegister({ email, password, name: "Grace" });
    await control.platformLogin({ email, password });
    return Object.assign(control, { email, userId: user.id });
  }

  /** The admin plane, by the administrator's key. */
  adminPlane(options = {}) {
    return createAdmin({ url: this.url, token: this.setup.adminKey, ...options });
  }

  /** Whether a test runs in a page. */
  get inPage() {
    return typeof document !== "undefined";
  }

  /** The token in the link of the first mail to an address that leads to a page, once it was sent. */
  mailed(address, page) {
    return until(
      async () => {
        const mails = await (await fetch(`${this.setup.mails}?to=${encodeURIComponent(address)}`)).json();
        const link = mails.join("\n").match(new RegExp(`https?://\\S+${page}\\?\\S+`))?.[0];
        return link && new URL(link).searchParams.get("token");
      },
      `a mail to ${address} that leads to ${page}`,
      30,
      50,
    );
  }
}
