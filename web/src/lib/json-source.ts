// JSON as text that a person edits: where each value of it is, and what is wrong with it.
export interface Place {
  /** From 1. */
  line: number;
  /** From 1. */
  column: number;
}
export interface SourceProblem extends Place {
  message: string;
}

const maxDepth = 150;

class Mistake extends Error {
  constructor(
    readonly offset: number,
    message: string,
  ) {
    super(message);
  }
}

const step = (name: string | number): string => `/${String(name).replaceAll("~", "~0").replaceAll("/", "~1")}`;

/** A number, or a `bigint` where that would round an integer of 64 bits: as the SDK's `exactNumbers()` reads it. */
function numberOf(word: string): number | bigint {
  const rounded = Number(word);
  if (Number.isSafeInteger(rounded) || !/^-?\d+$/.test(word)) return rounded;
  const integer = BigInt(word);
  return BigInt.asIntN(64, integer) === integer ? integer : rounded;
}

/** Reads a text, and finds the places of all its values by their pointers. Throws the first mistake. */
function scan(text: string): { value: unknown; offsets: Map<string, number> } {
  const offsets = new Map<string, number>();
  const token = /[ \t\n\r]*(?:([{}[\]:,])|("(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*")|(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-]))/y;
  const blank = /[ \t\n\r]*/y;
  let at = 0;
  /** Where the next token begins. */
  const begin = (): number => {
    blank.lastIndex = at;
    return at + blank.exec(text)![0].length;
  };
  const next = (): { mark?: string; string?: string; word?: string } => {
    token.lastIndex = at;
    const found = token.exec(text);
    if (!found) {
      const where = begin();
      throw new Mistake(where, where >= text.length ? "the text ends too early" : `${JSON.stringify(text[where])} is not expected here`);
    }
    at = token.lastIndex;
    return { mark: found[1], string: found[2], word: found[3] };
  };
  const peek = (): string | undefined => text[begin()];
  const expect = (mark: string): void => {
    const where = begin();
    if (next().mark !== mark) throw new Mistake(where, `${mark} is expected here`);
  };
  /** Reads members until the closing mark. */
  const list = (close: string, member: () => void): void => {
    if (peek() === close) return void next();
    for (;;) {
      member();
      const where = begin();
      const { mark } = next();
      if (mark === close) return;
      if (mark !== ",") throw new Mistake(where, `, or ${close} is expected here`);
    }
  };
  const read = (pointer: string, depth: number): unknown => {
    const where = begin();
    if (!offsets.has(pointer)) offsets.set(pointer, where);
    const { mark, string, word } = next();
    if (string !== undefined) return JSON.parse(string) as string;
    if (word !== undefined) return /[a-z]$/.test(word) ? (JSON.parse(word) as boolean | null) : numberOf(word);
    if (depth >= maxDepth) throw new Mistake(where, `there are more than ${maxDepth} levels`);
    if (mark === "[") {
      const items: unknown[] = [];
      list("]", () => items.push(read(pointer + step(items.length), depth + 1)));
      return items;
    }
    if (mark !== "{") throw new Mistake(where, `${mark} is not expected here`);
    const members: [string, unknown][] = [];
    list("}", () => {
      const key = begin();
      const { string: quoted } = next();
      if (quoted === undefined) throw new Mistake(key, 'a key in "…" is expected here');
      const name = JSON.parse(quoted) as string;
      const below = pointer + step(name);
      if (offsets.has(below)) throw new Mistake(key, `the key ${quoted} occurs twice`);
      offsets.set(below, key);
      expect(":");
      members.push([name, read(below, depth + 1)]);
    });
    return Object.fromEntries(members);
  };
  const value = read("", 0);
  const end = begin();
  if (end < text.length) throw new Mistake(end, "nothing is expected here: the value has ended");
  return { value, offsets };
}

function placeAt(text: string, offset: number): Place {
  const before = text.slice(0, offset);
  return { line: before.split("\n").length, column: offset - before.lastIndexOf("\n") };
}

/** The value of a JSON text with integers as `bigint` where a number would round them, or what is wrong with the text. */
export function readJson(text: string): { value: unknown; problem?: undefined } | { problem: SourceProblem } {
  try {
    return { value: scan(text).value };
  } catch (error) {
    if (!(error instanceof Mistake)) throw error;
    return { problem: { ...placeAt(text, error.offset), message: error.message } };
  }
}

/** The problems of a JSON text by their pointers, each at what its pointer names or at the nearest part around it. */
export function placeProblems(text: string, problems: readonly { path: string; message: string }[]): SourceProblem[] {
  let offsets: Map<string, number>;
  try {
    ({ offsets } = scan(text));
  } catch {
    offsets = new Map();
  }
  return problems.map(({ path, message }) => {
    let pointer = path;
    while (pointer && !offsets.has(pointer)) pointer = pointer.slice(0, pointer.lastIndexOf("/"));
    return { ...placeAt(text, offsets.get(pointer) ?? 0), message: path ? `${path}: ${message}` : message };
  });
}

/** A text that is not the JSON that is expected; lines and columns count from 1. */
export class JsonProblem extends Error {
  constructor(
    message: string,
    readonly line: number,
    readonly column?: number,
  ) {
    super(message);
  }
}

/** The value of a text as `readJson` has it; throws a `JsonProblem`. */
export function parseJson(text: string): unknown {
  const read = readJson(text);
  if (read.problem) throw new JsonProblem(read.problem.message, read.problem.line, read.problem.column);
  return read.value;
}
