// Permission strings, and the sets of them that roles, keys and members hold: "data:posts:read", "functions:manage",
// "*". A "*" segment matches one segment; as last segment it covers every further one. "<x>:manage" includes
// "<x>:read" (docs/policies.md, "Permissions").
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace mb::policy {

// Fails with validation: empty, more than four segments, characters outside [A-Za-z0-9_*.-], over 200 bytes.
Result<> checkPermission(std::string_view permission);

class PermissionSet {
 public:
  PermissionSet() = default;
  explicit PermissionSet(std::vector<std::string> permissions);

  bool allows(std::string_view needed) const { return granting(needed) != nullptr; }
  // The first permission of this set that allows `needed`; null: none does.
  const std::string* granting(std::string_view needed) const;
  // Whether this set allows everything that `other` allows: a caller may only grant permissions that it holds.
  bool includes(const PermissionSet& other) const;
  // Whether the set contains exactly this string.
  bool holdsLiterally(std::string_view permission) const;
  const std::vector<std::string>& list() const { return permissions_; }

 private:
  std::vector<std::string> permissions_;
};
using PermissionsPtr = std::shared_ptr<const PermissionSet>;

}  // namespace mb::policy
