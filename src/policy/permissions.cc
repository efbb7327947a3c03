#include "policy/permissions.h"

#include <fmt/format.h>

#include <algorithm>

namespace mb::policy {
namespace {

constexpr size_t kMaxBytes = 200;
constexpr size_t kMaxSegments = 4;

// Removes and returns the first segment of `rest`; `rest` becomes empty, without data, after the last one.
std::string_view takeSegment(std::string_view& rest) {
  const size_t colon = rest.find(':');
  const std::string_view segment = rest.substr(0, colon);
  rest = colon == std::string_view::npos ? std::string_view() : rest.substr(colon + 1);
  return segment;
}

// Whether a last segment includes another: manage includes read.
bool includesLast(std::string_view held, std::string_view needed) {
  return held == needed || (held == "manage" && needed == "read");
}

// Whether `held` allows everything that `needed` allows, which may be a pattern too. REQUIRES: no empty segments.
bool covers(std::string_view held, std::string_view needed) {
  while (!held.empty() && !needed.empty()) {
    const std::string_view heldSegment = takeSegment(held);
    const std::string_view neededSegment = takeSegment(needed);
    if (heldSegment == "*") {
      if (held.empty()) return true;
      // The last "*" of `needed` matches any number of segments, this one only one.
      if (neededSegment == "*" && needed.empty()) return false;
      continue;
    }
    const bool bothLast = held.empty() && needed.empty();
    if (bothLast ? !includesLast(heldSegment, neededSegment) : heldSegment != neededSegment) return false;
  }
  return held.empty() && needed.empty();
}

bool isWellFormed(std::string_view permission) {
  return !permission.empty() && !permission.starts_with(':') && !permission.ends_with(':') &&
         permission.find("::") == std::string_view::npos;
}

bool isAllowedCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '*' ||
         c == '.' || c == '-' || c == ':';
}

std::unexpected<Error> refuse(std::string_view permission, std::string_view reason) {
  return fail(ErrorCode::validation,
              fmt::format("\"{}\" is not a valid permission: {}", permission.substr(0, 100), reason));
}

}  // namespace

Result<> checkPermission(std::string_view permission) {
  if (permission.empty()) return fail(ErrorCode::validation, "a permission must not be empty");
  if (permission.size() > kMaxBytes) return refuse(permission, fmt::format("it must have at most {} bytes", kMaxBytes));
  if (!std::ranges::all_of(permission, isAllowedCharacter)) {
    return refuse(permission, "only letters, digits and _ * . - are allowed between its colons");
  }
  if (!isWellFormed(permission)) return refuse(permission, "a segment must not be empty");
  size_t segments = 0;
  for (std::string_view rest = permission; !rest.empty(); ++segments) {
    const std::string_view segment = takeSegment(rest);
    if (segment != "*" && segment.find('*') != std::string_view::npos) {
      return refuse(permission, "a * must be a whole segment");
    }
  }
  if (segments > kMaxSegments) return refuse(permission, fmt::format("it must have at most {} segments", kMaxSegments));
  return {};
}

PermissionSet::PermissionSet(std::vector<std::string> permissions) : permissions_(std::move(permissions)) {
  // An invalid permission allows nothing.
  std::erase_if(permissions_, [](const std::string& permission) { return !isWellFormed(permission); });
}

const std::string* PermissionSet::granting(std::string_view needed) const {
  if (!isWellFormed(needed)) return nullptr;
  const auto found = std::ranges::find_if(permissions_, [&](const std::string& held) { return covers(held, needed); });
  return found == permissions_.end() ? nullptr : &*found;
}

bool PermissionSet::includes(const PermissionSet& other) const {
  return std::ranges::all_of(other.permissions_, [&](const std::string& theirs) { return allows(theirs); });
}

bool PermissionSet::holdsLiterally(std::string_view permission) const {
  return std::ranges::find(permissions_, permission) != permissions_.end();
}

}  // namespace mb::policy
