// The server's order of values, for lists that are kept sorted here. Some of it cannot be known from JSON: a decimal and a
// date are text there. `doubt` is called where the server may order differently, and the list is read again.

const emptyArray = Symbol();
const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;

function rankOf(value: unknown): number {
  if (value === emptyArray) return 0;
  if (value === undefined || value === null) return 1;
  if (typeof value === "number" || typeof value === "bigint") return 2;
  if (typeof value === "string") return 3;
  if (Array.isArray(value)) return 5;
  return typeof value === "object" ? 4 : 6;
}

/** Text is ordered by its code points; JavaScript compares halves of those past U+FFFF. */
function compareText(a: string, b: string): number {
  const end = Math.min(a.length, b.length);
  for (let at = 0; at < end; ++at) {
    const x = a.charCodeAt(at);
    const y = b.charCodeAt(at);
    if (x !== y) return adjusted(x) - adjusted(y);
  }
  return a.length - b.length;
}
const adjusted = (unit: number) => (unit >= 0xe000 ? unit - 0x800 : unit >= 0xd800 ? unit + 0x2000 : unit);

const decimal = /^-?(\d+(\.\d+)?(E[+-]?\d+)?|Infinity)$|^NaN$/i;

function compareValues(a: unknown, b: unknown, doubt: () => void): number {
  const byRank = rankOf(a) - rankOf(b);
  if (byRank !== 0) return byRank;
  switch (rankOf(a)) {
    case 2:
      // Larger integers were rounded when they were read; bigints were not, and compare with numbers exactly.
      if (a === b && typeof a === "number" && Math.abs(a) > Number.MAX_SAFE_INTEGER) doubt();
      return (a as number) < (b as number) ? -1 : (a as number) > (b as number) ? 1 : 0;
    case 3: {
      const byText = compareText(a as string, b as string);
      if (byText !== 0 && decimal.test(a as string) && decimal.test(b as string)) {
        const byNumber = Number(a) - Number(b);
        if (!(byNumber * byText > 0)) doubt();
      }
      return byText;
    }
    case 6:
      return Number(a) - Number(b);
    case 4:
    case 5:
      doubt();
  }
  return 0;
}

function valuesAt(value: unknown, steps: readonly string[], at = 0): unknown[] {
  if (at === steps.length) return Array.isArray(value) ? (value.length ? value : [emptyArray]) : [value];
  const step = steps[at]!;
  if (Array.isArray(value)) {
    const inner = value
      .filter((one) => isObject(one) && !Array.isArray(one))
      .flatMap((one) => valuesAt(one, steps, at));
    return /^\d+$/.test(step) && value[+step] !== undefined
      ? inner.concat(valuesAt(value[+step], steps, at + 1))
      : inner;
  }
  return isObject(value) && Object.hasOwn(value, step) ? valuesAt(value[step], steps, at + 1) : [undefined];
}

/** Compares documents by sort keys, then by id. Of several values at a path the smallest counts, descending the largest. */
export function comparator(keys: readonly Record<string, 1 | -1>[], doubt: () => void): (a: any, b: any) => number {
  const list = keys.flatMap((key) => Object.entries(key)).map(([path, order]) => ({ steps: path.split("."), order }));
  const first = (document: unknown, steps: string[], order: number) => {
    const [value, ...more] = valuesAt(document, steps);
    return more.reduce((best, one) => (compareValues(one, best, doubt) * order < 0 ? one : best), value);
  };
  return (a, b) => {
    for (const { steps, order } of list) {
      const result = compareValues(first(a, steps, order), first(b, steps, order), doubt);
      if (result !== 0) return result * order;
    }
    return compareText(a.id, b.id);
  };
}
