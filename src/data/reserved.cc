#include "data/reserved.h"

#include <algorithm>
#include <array>

namespace mb::data {
namespace {

constexpr std::array<std::string_view, 22> kReserved = {
    "admin",   "audit",  "auth",         "billing",   "buckets",      "control",  "files", "functions",
    "graphql", "health", "integrations", "jwks.json", "openapi.json", "projects", "ready", "realtime",
    "roles",   "run",    "sessions",     "storage",   "users",        "webhooks"};

bool isLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool isNameCharacter(char c) {
  return isLetter(c) || (c >= '0' && c <= '9') || c == '_' || c == '-';
}
bool isBounded(std::string_view text) {
  return !text.empty() && text.size() <= 64 && std::ranges::all_of(text, isNameCharacter);
}

}  // namespace

bool isReservedCollection(std::string_view name) {
  return name.starts_with("__") || name.starts_with("system.") || std::ranges::binary_search(kReserved, name);
}

std::string reservedCollections() {
  return fmt::format("{} and names that start with __ or system.", fmt::join(kReserved, ", "));
}

bool isCollectionName(std::string_view name) {
  return isBounded(name) && isLetter(name.front());
}

bool isDocumentId(std::string_view id) {
  return isBounded(id);
}

}  // namespace mb::data
