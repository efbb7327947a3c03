// Where each token of what runs stood in what was written, as a source map (version 3). In place of sucrase's own, which
// loses its way behind an empty piece of a template (`${a}`).
import { refuseNamespaces } from "./namespaces.js";

const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

function variableLength(number) {
  let rest = number < 0 ? (-number << 1) | 1 : number << 1;
  let text = "";
  do {
    const digit = rest & 31;
    rest >>>= 5;
    text += digits[rest > 0 ? digit | 32 : digit];
  } while (rest > 0);
  return text;
}

function lineStarts(text) {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}

// `offsets` ascend.
function positions(offsets, starts) {
  let line = 0;
  return offsets.map((offset) => {
    while (line + 1 < starts.length && starts[line + 1] <= offset) line++;
    return { line, column: offset - starts[line] };
  });
}

// `mappings`: for each token where it stands in `code`, undefined where it is gone.
export default function computeSourceMap({ code, mappings }, filePath, options, source, tokens) {
  refuseNamespaces(source, tokens);  // here, since here the tokens are seen
  const written = positions(tokens.map((token) => token.start), lineStarts(source));
  const kept = [];
  for (let i = 0; i < mappings.length && i < tokens.length; i++)
    if (mappings[i] !== undefined) kept.push({ from: written[i], at: mappings[i] });
  kept.sort((one, other) => one.at - other.at);
  const standing = positions(kept.map((token) => token.at), lineStarts(code));

  let text = "";
  let last = { line: 0, column: 0, from: { line: 0, column: 0 } };
  for (let i = 0; i < kept.length; i++) {
    const { line, column } = standing[i];
    const { from } = kept[i];
    if (i > 0 && line === last.line && column === last.column) continue;
    if (line > last.line) {
      text += ";".repeat(line - last.line);
    } else if (i > 0) {
      text += ",";
    }
    text += variableLength(line > last.line ? column : column - last.column) + "A" +
      variableLength(from.line - last.from.line) + variableLength(from.column - last.from.column);
    last = { line, column, from };
  }
  return { version: 3, file: options.compiledFilename, sources: [filePath], names: [], mappings: text };
}
