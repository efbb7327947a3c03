// Headers as text that a person edits: one a line, as `name: value`.

/** The lines of a text that hold something. */
export const linesOf = (text: string): string[] =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean);

export const headerText = (headers: Readonly<Record<string, unknown>>): string =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${String(value)}`)
    .join("\n");

/** The headers of lines as `name: value`, or the first line that is none. */
export function parseHeaders(text: string): { headers: Record<string, string> } | { wrong: string } {
  const pairs: [string, string][] = [];
  for (const line of linesOf(text)) {
    const at = line.indexOf(":");
    if (at < 1) return { wrong: line };
    pairs.push([line.slice(0, at).trim(), line.slice(at + 1).trim()]);
  }
  return { headers: Object.fromEntries(pairs) };
}
