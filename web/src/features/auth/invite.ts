/** The token of an invitation, out of the link in its mail or by itself; undefined where the text has none. */
export function inviteToken(text: string): string | undefined {
  const given = text.trim();
  if (/^[\w.-]+$/.test(given)) return given;
  if (!URL.canParse(given)) return undefined;
  return new URL(given).searchParams.get("invite") || undefined;
}
