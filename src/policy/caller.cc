#include "policy/caller.h"

#include <algorithm>
#include <array>

namespace mb::policy {

bool Caller::hasScope(std::string_view scope) const {
  return std::ranges::any_of(scopes, [scope](const std::string& held) {
    // The scope `service` includes those of the data plane.
    return held == scope || held == "admin" || (held == kServiceScope && scope != "admin");
  });
}

bool Caller::bypassesPolicies() const {
  return kind == CallerKind::apiKey && std::ranges::find(scopes, kServiceScope) != scopes.end();
}

bool Caller::isAdminByWildcard() const {
  if (kind == CallerKind::member) return true;
  return kind == CallerKind::apiKey && (bypassesPolicies() || std::ranges::find(scopes, "admin") != scopes.end());
}

bool Caller::adminOf(std::string_view collection) const {
  constexpr std::string_view kBefore = "data:";
  constexpr std::string_view kAfter = ":admin";
  std::array<char, 128> buffer;
  if (collection.size() > buffer.size() - kBefore.size() - kAfter.size()) return false;
  char* end = std::ranges::copy(kBefore, buffer.data()).out;
  end = std::ranges::copy(collection, end).out;
  end = std::ranges::copy(kAfter, end).out;
  const std::string_view permission(buffer.data(), static_cast<size_t>(end - buffer.data()));

  if (permissions->holdsLiterally(permission)) return true;
  return isAdminByWildcard() && permissions->allows(permission);
}

store::ActorKind actorKindOf(CallerKind kind) {
  switch (kind) {
    case CallerKind::endUser:
      return store::ActorKind::user;
    case CallerKind::member:
      return store::ActorKind::member;
    case CallerKind::apiKey:
      return store::ActorKind::apikey;
    case CallerKind::platform:
      return store::ActorKind::platform;
    case CallerKind::server:
      return store::ActorKind::server;
    case CallerKind::anonymous:
      break;
  }
  return store::ActorKind::anonymous;
}

std::string_view actorKind(CallerKind kind) {
  return store::nameOf(actorKindOf(kind));
}

store::Actor actorOf(const Caller& caller) {
  return {actorKindOf(caller.kind), caller.id};
}

}  // namespace mb::policy
