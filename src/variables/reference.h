// References to a project's variables in texts: "${NAME}". All other text stands for itself, "${name}" and a single
// "${" too.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mb::variables {

// "^[A-Z][A-Z0-9_]{0,63}$"
bool isVariableName(std::string_view name);
// The rule as a message.
inline constexpr std::string_view kVariableNameRule =
    "must be a capital letter, then at most 63 capital letters, digits or underscores";

// A part of a text: a reference, of which `text` is the name, or plain text.
struct Piece {
  std::string_view text;
  bool reference = false;
};
// The parts of `text`, in its order; they live as long as it.
std::vector<Piece> piecesOf(std::string_view text);

// Adds the names in `text` to `names`, each once.
void addNames(std::string_view text, std::vector<std::string>& names);
// The names in `text`, each once, in its order.
std::vector<std::string> namesIn(std::string_view text);
bool holdsReference(std::string_view text);
// Whether `text` is one reference and nothing else.
bool isReference(std::string_view text);

// The beginning of a URL up to its path: the part that decides scheme, host and port, also where it holds references.
std::string_view authorityIn(std::string_view url);
// The host in "https://host:port", "host:port" or "host".
std::string_view hostIn(std::string_view authority);

}  // namespace mb::variables
