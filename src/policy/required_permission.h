// The permissions that the server's own routes, configuration and services require. This is the one place that declares
// them: another text does not compile where one is required. Roles and keys may hold patterns of them, and others
// (policy/permissions.h).
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace mb::policy {

inline constexpr std::array<std::string_view, 29> kRequiredPermissions = {
    "audit:read",        "auth:config:read",  "auth:config:write", "collections:manage", "collections:read",
    "config:manage",     "functions:invoke",  "functions:manage",  "functions:read",     "integrations:manage",
    "integrations:read", "introspect:manage", "introspect:read",   "keys:manage",        "keys:read",
    "ops:read",          "policies:manage",   "policies:read",     "roles:manage",       "roles:read",
    "storage:manage",    "storage:read",      "storage:write",     "users:manage",       "users:read",
    "webhooks:manage",   "webhooks:read",     "variables:manage",  "variables:read",
};

// "data:<collection>:<operation>" is required of documents; ":0" is the route's first path parameter.
inline constexpr std::array<std::string_view, 5> kDocumentPermissions = {
    "data::0:create", "data::0:delete", "data::0:list", "data::0:read", "data::0:update",
};

class RequiredPermission {
 public:
  // NOLINTNEXTLINE(google-explicit-constructor): a literal is one
  consteval RequiredPermission(const char* text) : text_(text) {
    if (std::ranges::find(kRequiredPermissions, text_) == kRequiredPermissions.end() &&
        std::ranges::find(kDocumentPermissions, text_) == kDocumentPermissions.end()) {
      throw "declare it in kRequiredPermissions";
    }
  }
  // NOLINTNEXTLINE(google-explicit-constructor)
  constexpr operator std::string_view() const { return text_; }

 private:
  std::string_view text_;
};

}  // namespace mb::policy
