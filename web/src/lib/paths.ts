/** A path of this application out of an untrusted address, or undefined: never an address of another site. */
export function ownPath(text: unknown): string | undefined {
  if (typeof text !== "string" || !text.startsWith("/") || /^\/[/\\]/.test(text) || /[\u0000-\u001f\\]/.test(text)) {
    return undefined;
  }
  return text;
}
