#include "functions/flow_template.h"

#include "base/text.h"

namespace mb::functions {

namespace {

constexpr std::string_view kTemplateBlanks = " \t\r\n";

// The position after the string literal that begins at `at`; npos if it does not end.
size_t behindLiteral(std::string_view text, size_t at) {
  const char quote = text[at];
  const bool raw = at > 0 && (text[at - 1] == 'r' || text[at - 1] == 'R');
  const std::string close(text.substr(at).starts_with(std::string(3, quote)) ? 3 : 1, quote);
  for (size_t i = at + close.size(); i < text.size(); ++i) {
    if (text[i] == '\\' && !raw) {
      ++i;
    } else if (text.substr(i).starts_with(close)) {
      return i + close.size();
    }
  }
  return std::string_view::npos;
}

// The position of the }} of the expression that begins at `at`; npos without one.
size_t closeOf(std::string_view text, size_t at) {
  int depth = 0;
  while (at < text.size()) {
    const char c = text[at];
    if (c == '\'' || c == '"') {
      at = behindLiteral(text, at);
      continue;
    }
    if (c == '}' && depth == 0) return text.substr(at).starts_with("}}") ? at : std::string_view::npos;
    if (c == '{') ++depth;
    if (c == '}') --depth;
    ++at;
  }
  return std::string_view::npos;
}

}  // namespace

Result<std::vector<TemplatePiece>> splitTemplate(std::string_view text) {
  std::vector<TemplatePiece> pieces;
  while (!text.empty()) {
    const size_t open = text.find("{{");
    if (open != 0) pieces.push_back({false, text.substr(0, open)});
    if (open == std::string_view::npos) break;
    const size_t close = closeOf(text, open + 2);
    if (close == std::string_view::npos) return fail(ErrorCode::validation, "has {{ without its }}");
    const std::string_view expression = trimmed(text.substr(open + 2, close - open - 2), kTemplateBlanks);
    if (expression.empty()) return fail(ErrorCode::validation, "has nothing between {{ and }}");
    pieces.push_back({true, expression});
    text.remove_prefix(close + 2);
  }
  return pieces;
}

}  // namespace mb::functions
