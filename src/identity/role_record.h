// The stored record of a custom role. Private to identity/.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "document/shape.h"
#include "identity/records.h"
#include "identity/roles.h"

namespace mb::identity {

struct RoleRecord {
  std::string id;  // the name in lower case, so that names are unique case-insensitively
  std::string name;
  std::vector<std::string> permissions;
  std::optional<int64_t> grants;  // how often it was granted
  Timestamp createdAt;
  Timestamp updatedAt;
  static constexpr auto shape() {
    return doc::shape<RoleRecord>(
        "RoleRecord", doc::field("id", &RoleRecord::id), doc::field("name", &RoleRecord::name),
        doc::field("permissions", &RoleRecord::permissions), doc::field("grants", &RoleRecord::grants),
        doc::field("createdAt", &RoleRecord::createdAt), doc::field("updatedAt", &RoleRecord::updatedAt));
  }
};

inline store::CollectionNo roleCollection(RoleKind kind) {
  return kind == RoleKind::member ? kMemberRoles : kEndUserRoles;
}
// Case-insensitive.
bool isBuiltInRole(RoleKind kind, std::string_view name);

}  // namespace mb::identity
