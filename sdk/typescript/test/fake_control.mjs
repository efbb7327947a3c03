// The control plane's sign-in with a cookie, as a stand-in for the server: one browser with a cookie, and its tabs.
import { createControl } from "manybase/control";
import { sleep } from "./context.mjs";

let browsers = 0;

export class Browser {
  /** The refresh token in the cookie, which no tab can read. */
  cookie;
  /** Sessions of the server by their refresh token: { id, email }. */
  sessions = new Map();
  /** What was requested, as "METHOD path" with the mark "+" where the request has the header. */
  requests = [];
  /** Refreshes now, and the most at one time. */
  refreshing = 0;
  mostRefreshing = 0;
  /** Gives a response or an error in place of the server's. */
  instead = () => undefined;
  made = 0;
  tokens = new Map();

  constructor(t) {
    this.t = t;
    this.url = `http://browser${++browsers}.test`;
    /** The key of the mark in a page's `localStorage` that there is a session. */
    this.marker = `manybase:control:${this.url}/api/v1`;
    if (typeof document === "undefined") return;
    localStorage.removeItem(this.marker);
    t.onEnd(() => localStorage.removeItem(this.marker));
  }

  /** What the pages' storage holds of the session. */
  get marked() {
    return localStorage.getItem(this.marker);
  }

  /** A tab: a client, and the events that it was told, with a mark where they are of another tab. */
  tab(options = {}) {
    const events = [];
    const fetch = (url, init) => this.#serve(url, init);
    const control = createControl({
      url: this.url,
      session: "cookie",
      fetch,
      onSession: (event, elsewhere) => events.push(elsewhere ? `${event} elsewhere` : event),
      ...options,
    });
    this.t.onEnd(() => control.close());
    return Object.assign(control, { events });
  }

  count(line) {
    return this.requests.filter((one) => one === line).length;
  }

  /** Another account's sign-in at a provider: its token comes in the page's address. */
  provide(email) {
    const refreshToken = `r${++this.made}`;
    this.sessions.set(refreshToken, { id: `s${this.made}`, email });
    return refreshToken;
  }

  #grant(refreshToken) {
    const { email } = this.sessions.get(refreshToken);
    const claims = btoa(JSON.stringify({ sub: email })).replace(/=+$/, "");
    const accessToken = `h.${claims}.${++this.made}`;
    this.tokens.set(accessToken, refreshToken);
    return { accessToken, expiresIn: 900 };
  }

  async #serve(url, { method, headers, body }) {
    const path = new URL(url).pathname.replace("/api/v1/control", "");
    const sent = Object.fromEntries(headers);
    const marked = sent["x-service-session"] === "cookie";
    this.requests.push(`${method} ${path}${marked ? " +" : ""}`);
    await sleep(5);
    const instead = this.instead(method, path);
    if (instead) return instead;
    const json = body ? JSON.parse(body) : undefined;
    if (method === "POST" && path === "/auth/refresh") return this.#refresh(marked, json);
    if (method === "POST" && ["/auth/login", "/auth/mfa/verify", "/auth/invites/accept"].includes(path)) {
      if (json.email === "mfa@example.com") return reply(200, { mfaRequired: true, mfaToken: "mfa" });
      const refreshToken = this.provide(json.email ?? "mfa@example.com");
      if (marked) this.cookie = refreshToken;
      const tokens = this.#grant(refreshToken);
      return reply(200, { ...tokens, user: { email: json.email }, ...(marked ? {} : { refreshToken }) });
    }
    const refreshToken = this.tokens.get(sent.authorization?.slice(7));
    const session = this.sessions.get(refreshToken);
    if (!session) return refuse(401, "UNAUTHENTICATED");
    if (path === "/me") return reply(200, { user: { email: session.email } });
    if (path === "/auth/sessions") {
      const sessions = [...this.sessions.values()].map(({ id }) => ({ id, current: id === session.id }));
      return reply(200, { sessions });
    }
    if (method === "DELETE") {
      this.sessions.delete(refreshToken);
      if (this.cookie === refreshToken) this.cookie = undefined;
      return new Response(null, { status: 204 });
    }
    return reply(200, { token: `project of ${session.email} ${++this.made}`, expiresIn: 900 });
  }

  async #refresh(marked, json) {
    this.mostRefreshing = Math.max(this.mostRefreshing, ++this.refreshing);
    await sleep(20);
    --this.refreshing;
    if (marked && json.refreshToken && this.sessions.has(json.refreshToken)) this.cookie = json.refreshToken;
    const refreshToken = json.refreshToken ?? (marked ? this.cookie : undefined);
    if (!this.sessions.has(refreshToken)) return refuse(401, "UNAUTHENTICATED");
    return reply(200, this.#grant(refreshToken));
  }
}

const reply = (status, json) => new Response(JSON.stringify(json), { status });
export const refuse = (status, code) => reply(status, { error: { code, message: code } });
