/** What the dashboard reads in an access token. The server alone decides; nothing here is verified. */
export interface Claims {
  sub?: string;
  sid?: string;
  perms?: string[];
}

export function claimsOf(token: string): Claims {
  try {
    const part = token.split(".")[1]!.replace(/-/g, "+").replace(/_/g, "/");
    const bytes = Uint8Array.from(atob(part), (c) => c.charCodeAt(0));
    return JSON.parse(new TextDecoder().decode(bytes)) as Claims;
  } catch {
    return {};
  }
}
