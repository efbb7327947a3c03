// Colours of CEL and GraphQL, token by token: no package of CodeMirror has them in a fitting size.
import { StreamLanguage, type StreamParser } from "@codemirror/language";

interface Rules {
  comment: string;
  strings: RegExp;
  keywords: ReadonlySet<string>;
  atoms: ReadonlySet<string>;
  /** A name with a mark before it, such as a variable. */
  marked?: RegExp;
}

const parserOf = ({ comment, strings, keywords, atoms, marked }: Rules): StreamParser<null> => ({
  startState: () => null,
  token(stream) {
    if (stream.eatSpace()) return null;
    if (stream.match(comment)) {
      stream.skipToEnd();
      return "comment";
    }
    if (stream.match(strings)) return "string";
    if (stream.match(/^-?(0x[0-9a-f]+|\d+(\.\d+)?(e[+-]?\d+)?)u?/i)) return "number";
    if (marked && stream.match(marked)) return "propertyName";
    const word = stream.match(/^[A-Za-z_]\w*/) as RegExpMatchArray | null;
    if (!word) {
      stream.next();
      return null;
    }
    if (atoms.has(word[0])) return "atom";
    if (keywords.has(word[0])) return "keyword";
    if (stream.match(/^\s*\(/, false)) return "variableName.function";
    return "variableName";
  },
  languageData: { commentTokens: { line: comment }, closeBrackets: { brackets: ["(", "[", "{", '"', "'"] } },
});

export const cel = () =>
  StreamLanguage.define(
    parserOf({
      comment: "//",
      strings: /^[rb]{0,2}("(\\.|[^"\\])*"?|'(\\.|[^'\\])*'?)/i,
      keywords: new Set(["in"]),
      atoms: new Set(["true", "false", "null"]),
    }),
  );

export const graphql = () =>
  StreamLanguage.define(
    parserOf({
      comment: "#",
      strings: /^"(\\.|[^"\\])*"?/,
      keywords: new Set(["query", "mutation", "subscription", "fragment", "on"]),
      atoms: new Set(["true", "false", "null"]),
      marked: /^[$@][A-Za-z_]\w*/,
    }),
  );
