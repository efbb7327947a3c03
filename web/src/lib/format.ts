const moment = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "short" });
const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto", style: "long" });
const units: [Intl.RelativeTimeFormatUnit, number][] = [
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
];

export const formatMoment = (iso: string): string => moment.format(new Date(iso));

/** "2026-01-10 12:00:00 UTC" */
export const formatUtc = (iso: string): string => `${new Date(iso).toISOString().slice(0, 19).replace("T", " ")} UTC`;

/** "3 minutes ago", "in 2 days", "just now". */
export function formatAge(iso: string, now = Date.now()): string {
  const seconds = (new Date(iso).getTime() - now) / 1000;
  for (const [unit, size] of units) {
    if (Math.abs(seconds) >= size) return relative.format(Math.trunc(seconds / size), unit);
  }
  return "just now";
}

/** "a second", "40 seconds", "2 minutes". */
export function formatWait(seconds: number): string {
  if (seconds <= 1) return "a second";
  return seconds < 100 ? `${Math.ceil(seconds)} seconds` : `${Math.ceil(seconds / 60)} minutes`;
}

/** The first letter for a tile or an avatar, whole where it consists of several code units. */
export const initialOf = (text: string): string =>
  [...text.normalize("NFC")].find((c) => /[\p{L}\p{N}]/u.test(c))?.toUpperCase() ?? "?";

/** "Google" of "google", "acme" of "oidc-acme". */
export function providerLabel(provider: string): string {
  const known: Record<string, string> = { google: "Google", github: "GitHub" };
  return known[provider] ?? provider.replace(/^oidc-/, "");
}

/** "Chrome on Linux" of a user agent, else its start. */
export function describeAgent(agent: string): string {
  const browser = /(Firefox|Edg|OPR|Chrome|Safari|curl|node)\b/.exec(agent)?.[1];
  const system = /(Windows|Android|iPhone|iPad|Mac OS X|Linux)/.exec(agent)?.[1];
  if (!browser) return agent.slice(0, 60) || "unknown client";
  const names: Record<string, string> = { Edg: "Edge", OPR: "Opera", node: "Node.js" };
  const name = names[browser] ?? browser;
  return system ? `${name} on ${system.replace("Mac OS X", "macOS")}` : name;
}
