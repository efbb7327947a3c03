// Namespaces are taken out whole, like types, so code in one would be lost without a word: only declared ones may stand.
import { ContextualKeyword } from "./node_modules/sucrase/dist/esm/parser/tokenizer/keywords";
import { TokenType } from "./node_modules/sucrase/dist/esm/parser/tokenizer/types";

const kinds = [ContextualKeyword._namespace, ContextualKeyword._module, ContextualKeyword._global];
const inNames = [TokenType.name, TokenType.string, TokenType.dot];

// Of a namespace that begins at tokens[at] the index of its brace: its keyword, a name with dots or a string, a brace.
function braceOf(tokens, at) {
  if (!tokens[at].isType || !kinds.includes(tokens[at].contextualKeyword)) return -1;
  let next = at + 1;
  while (inNames.includes(tokens[next].type)) next++;
  return tokens[next].type === TokenType.braceL ? next : -1;
}

function endOfBlock(tokens, brace) {
  let depth = 0;
  for (let at = brace; at < tokens.length; at++) {
    if (tokens[at].type === TokenType.braceL) depth++;
    if (tokens[at].type === TokenType.braceR && --depth === 0) return at;
  }
  return tokens.length;
}

export function refuseNamespaces(source, tokens) {
  for (let at = 0; at < tokens.length; at++) {
    const brace = braceOf(tokens, at);
    if (brace < 0) continue;
    // What stands in a declared one is declared, too.
    if (at > 0 && tokens[at - 1].contextualKeyword === ContextualKeyword._declare) {
      at = endOfBlock(tokens, brace);
      continue;
    }
    const message = "A namespace is no place for code: only a declared one may stand";
    const error = new SyntaxError(message);
    // Sucrase writes its own words before those of the error.
    error.found = { message, at: tokens[at].start };
    throw error;
  }
}
