// Identity's slots of the project snapshot: members, permissions of roles, API keys, sign-in providers.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/lru_cache.h"
#include "identity/oauth_types.h"
#include "policy/permissions.h"
#include "snapshot/snapshot.h"

namespace mb::identity {

// Member roles (built-ins Owner, Admin, Editor, Viewer and custom ones) and end-user roles (built-in user).
struct RoleTable {
  std::map<std::string, policy::PermissionsPtr, std::less<>> member;
  std::map<std::string, policy::PermissionsPtr, std::less<>> endUser;
};

// Platform users with an active membership, and the roles of pending invites; filled by projects/.
struct MemberTable {
  struct Member {
    std::string membershipId;
    std::string role;
  };
  std::unordered_map<std::string, Member, StringHash, std::equal_to<>> byUser;
  std::set<std::string, std::less<>> invitedAs;  // roles of pending invites
};

struct ApiKeyTable {
  struct Key {
    std::string id;
    std::string hash;  // sha256 of the secret, raw bytes
    std::vector<std::string> scopes;
    policy::PermissionsPtr permissions;
    std::optional<Timestamp> expiresAt;
  };
  std::unordered_map<std::string, Key, StringHash, std::equal_to<>> byHash;
};

struct IdentitySlots {
  snapshot::SlotKey<RoleTable> roles;
  snapshot::SlotKey<MemberTable> members;
  snapshot::SlotKey<ApiKeyTable> keys;
  snapshot::SlotKey<OauthConfig> oauth;
};

}  // namespace mb::identity
