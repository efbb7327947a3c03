// The server's rule for permissions (docs/security.md): it decides, this only hides what it would refuse.

/** Whether `held` covers `needed`. `*` is any part, at the end all that follow; `manage` at the end includes `read`. */
function covers(held: string, needed: string): boolean {
  const own = held.split(":");
  const parts = needed.split(":");
  if (own.includes("") || parts.includes("")) return false;
  const last = own.length - 1;
  for (const [at, part] of own.entries()) {
    if (part === "*" && at === last) return parts.length > at;
    const wanted = parts[at];
    if (wanted === undefined) return false;
    if (part === "*" || part === wanted) continue;
    if (!(at === last && part === "manage" && wanted === "read")) return false;
  }
  return own.length === parts.length;
}

/** What a token grants. It is not verified: see above. */
export function permissionsOf(token: string): string[] {
  try {
    const part = token.split(".")[1]!.replace(/-/g, "+").replace(/_/g, "/");
    const bytes = Uint8Array.from(atob(part), (c) => c.charCodeAt(0));
    return (JSON.parse(new TextDecoder().decode(bytes)) as { perms?: string[] }).perms ?? [];
  } catch {
    return [];
  }
}

export const can = (held: readonly string[], needed: string): boolean => held.some((one) => covers(one, needed));
