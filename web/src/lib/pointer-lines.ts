// Where in a JSON text the value of a JSON pointer begins.

const unescaped = (token: string) => token.replaceAll("~1", "/").replaceAll("~0", "~");

/**
 * The line, counted from 1, of the value at `pointer` (RFC 6901), or of the deepest part of it that the text has.
 * REQUIRES: the text is JSON.
 */
export function lineOf(text: string, pointer: string): number {
  const wanted = pointer.split("/").slice(1).map(unescaped);
  let at = 0;
  let line = 1;
  let found = 1;

  const space = () => {
    for (; at < text.length && /[\s,:]/.test(text[at]!); at++) if (text[at] === "\n") line++;
  };
  const string = (): string => {
    const start = at++;
    while (text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
    at++;
    return JSON.parse(text.slice(start, at)) as string;
  };
  // Reads one value; `depth` parts of the pointer lead to it, or -1 where the pointer does not.
  const value = (depth: number): void => {
    space();
    if (depth >= 0) found = line;
    const open = text[at];
    if (open === '"') return void string();
    if (open !== "{" && open !== "[") {
      while (at < text.length && !/[\s,\]}]/.test(text[at]!)) at++;
      return;
    }
    at++;
    const own = found;
    let hit: number | undefined;
    for (let index = 0; (space(), at < text.length && text[at] !== "}" && text[at] !== "]"); index++) {
      const key = open === "{" ? string() : String(index);
      const leads = depth >= 0 && wanted[depth] === key;
      value(leads ? depth + 1 : -1);
      if (leads) hit = found;
    }
    at++;
    if (depth >= 0) found = hit ?? own;
  };
  value(0);
  return found;
}
