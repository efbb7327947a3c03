#include "functions/function_variables.h"

#include <algorithm>

#include "document/json.h"

namespace mb::functions {

namespace {

constexpr std::string_view kContext = "ctx";
constexpr std::string_view kField = "variables";

bool isIdentifier(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$';
}

// Reads a text from its beginning on, token by token.
class TextReader {
 public:
  explicit TextReader(std::string_view text) : rest_(text) {}

  bool take(std::string_view token) {
    skipBlanks();
    if (!rest_.starts_with(token)) return false;
    rest_.remove_prefix(token.size());
    return true;
  }
  // "." or "?.".
  bool takeDot() { return take("?.") || take("."); }
  std::string_view takeWord() {
    skipBlanks();
    const auto end = std::ranges::find_if_not(rest_, isIdentifier);
    const std::string_view word = rest_.substr(0, static_cast<size_t>(end - rest_.begin()));
    rest_.remove_prefix(word.size());
    return word;
  }
  // A property of the value before: .NAME, ["NAME"] or ['NAME']; "" for anything else.
  std::string_view takeProperty() {
    const bool dot = takeDot();
    if (!take("[")) return dot ? takeWord() : std::string_view();
    const std::string_view quote = take("\"") ? "\"" : take("'") ? "'" : "";
    const std::string_view word = takeWord();
    return !quote.empty() && take(quote) && take("]") ? word : std::string_view();
  }

 private:
  void skipBlanks() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\r\n"), rest_.size())); }
  std::string_view rest_;
};

void addRead(std::string_view text, std::vector<std::string>& names) {
  for (size_t at = text.find(kContext); at != std::string_view::npos; at = text.find(kContext, at + 1)) {
    const bool isPart = at > 0 && (isIdentifier(text[at - 1]) || text[at - 1] == '.');
    if (isPart) continue;
    TextReader reader(text.substr(at + kContext.size()));
    if (!reader.takeDot() || reader.takeWord() != kField) continue;
    const std::string_view name = reader.takeProperty();
    if (!variables::isVariableName(name) || std::ranges::find(names, name) != names.end()) continue;
    names.emplace_back(name);
  }
}

}  // namespace

std::vector<std::string> variablesIn(std::string_view code, const std::optional<doc::Document>& flow) {
  std::vector<std::string> names;
  addRead(code, names);
  if (flow) addRead(doc::toJson(*flow), names);
  return names;
}

std::string secretProblem(const std::vector<std::string>& names, const variables::Values& values) {
  const auto secret = std::ranges::find_if(names, [&](const std::string& name) { return values.isSecret(name); });
  if (secret == names.end()) return {};
  return fmt::format("reads the secret variable {}: ctx.variables holds plain ones only", *secret);
}

}  // namespace mb::functions
