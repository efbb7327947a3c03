// The server's version against this package's. Loaded when it is needed.
import type { CallOptions, ServerInfo, Transport } from "./http.js";
import { version } from "./version.js";

/** Versions of one line fit: of the same major version, before 1.0 of the same minor one. */
const lineOf = (text: string) => text.match(/^(0\.)?\d+/)?.[0];

/** The server's version, and whether it fits this package. */
export async function serverInfo(transport: Transport, options: CallOptions & { once?: boolean }): Promise<ServerInfo> {
  const call = { ...options, method: "GET", path: "/health", anonymous: true, has: "version" };
  const found = await transport.json<ServerInfo>(call);
  return { ...found, compatible: lineOf(found.version) === lineOf(version) };
}

/** Warns, and calls `notify`, where the server does not fit. What cannot be compared is no reason to. */
export async function compare(transport: Transport, notify: ((server: ServerInfo) => void) | undefined): Promise<void> {
  const server = await serverInfo(transport, { once: true }).catch(() => undefined);
  if (!server || server.compatible) return;
  const remedy = `install ${transport.base.replace(/api\/v1$/, "dashboard/sdk/manybase.tgz")}`;
  console.warn(`manybase: this package is of version ${version}, the server of ${server.version}: ${remedy}`);
  notify?.(server);
}
