#include "variables/reference.h"

#include <algorithm>

namespace mb::variables {

namespace {

constexpr size_t kMaxNameBytes = 64;

bool isUpper(char c) {
  return c >= 'A' && c <= 'Z';
}

}  // namespace

bool isVariableName(std::string_view name) {
  if (name.empty() || name.size() > kMaxNameBytes || !isUpper(name.front())) return false;
  return std::ranges::all_of(name, [](char c) { return isUpper(c) || (c >= '0' && c <= '9') || c == '_'; });
}

std::vector<Piece> piecesOf(std::string_view text) {
  std::vector<Piece> pieces;
  size_t plain = 0;  // where the current plain text begins
  for (size_t at = text.find("${"); at != std::string_view::npos; at = text.find("${", at)) {
    const size_t end = text.find('}', at);
    if (end == std::string_view::npos) break;
    const std::string_view name = text.substr(at + 2, end - at - 2);
    if (!isVariableName(name)) {
      at += 2;
      continue;
    }
    if (at > plain) pieces.push_back({text.substr(plain, at - plain)});
    pieces.push_back({name, true});
    plain = at = end + 1;
  }
  if (plain < text.size()) pieces.push_back({text.substr(plain)});
  return pieces;
}

void addNames(std::string_view text, std::vector<std::string>& names) {
  for (const Piece& piece : piecesOf(text)) {
    if (piece.reference && std::ranges::find(names, piece.text) == names.end()) names.emplace_back(piece.text);
  }
}

std::vector<std::string> namesIn(std::string_view text) {
  std::vector<std::string> names;
  addNames(text, names);
  return names;
}

bool holdsReference(std::string_view text) {
  return std::ranges::any_of(piecesOf(text), &Piece::reference);
}

bool isReference(std::string_view text) {
  const std::vector<Piece> pieces = piecesOf(text);
  return pieces.size() == 1 && pieces.front().reference;
}

std::string_view authorityIn(std::string_view url) {
  constexpr std::string_view kEnds = "/?#\\";
  const size_t scheme = url.find("://");
  const size_t first = url.find_first_of(kEnds);
  const size_t begin = scheme != std::string_view::npos && first == scheme + 1 ? scheme + 3 : 0;
  return url.substr(0, url.find_first_of(kEnds, begin));
}

std::string_view hostIn(std::string_view authority) {
  const size_t scheme = authority.find("://");
  if (scheme != std::string_view::npos) authority.remove_prefix(scheme + 3);
  // The colons of an IPv6 address are inside its brackets.
  return authority.ends_with(']') ? authority : authority.substr(0, authority.rfind(':'));
}

}  // namespace mb::variables
