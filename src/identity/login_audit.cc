#include "identity/login_audit.h"

#include "base/log.h"
#include "identity/records.h"

namespace mb::identity {

namespace {
// The maximum length of an address (RFC 5321).
constexpr size_t kMaxEmail = 254;
}  // namespace

std::string_view refusalOf(ErrorCode code) {
  switch (code) {
    case ErrorCode::invalidCredentials:
      return "credentials";
    case ErrorCode::userInactive:
      return "inactive";
    case ErrorCode::userBlocked:
      return "blocked";
    case ErrorCode::rateLimited:
      return "tooManyTries";
    default:
      return "";
  }
}

std::string shortened(std::string_view email) {
  size_t characters = 0;
  for (size_t at = 0; at < email.size(); ++at) {
    const bool begins = (static_cast<unsigned char>(email[at]) & 0xC0) != 0x80;
    if (begins && ++characters > kMaxEmail) return std::string(email.substr(0, at));
  }
  return std::string(email);
}

Async<void> noteFailedLogin(const IdentityDeps& deps, Realm realm, FailedLogin login, policy::Caller by) {
  doc::BsonWriter details;
  details.appendString("method", login.method);
  details.appendString("reason", login.reason);
  if (!login.email.empty()) details.appendString("email", shortened(login.email));
  const bool certain = !login.user.empty();
  const store::ActorKind kind = certain ? realm.userKind() : store::ActorKind::anonymous;
  std::vector<store::Insert> entries = deps.auditor.failure(
      realm.project, "login.failed", {std::string(store::nameOf(kind)), login.user.str(), std::nullopt},
      certain ? "users/" + login.user.str() : "users", by.ip, by.requestId, details.finish());
  if (entries.empty()) co_return;
  store::Write write({.deadline = readDeadline(), .actor = {kind, login.user.str()}, .bumpEpochs = {}});
  write.insert(std::move(entries));
  const auto outcome = co_await deps.store.write(std::move(write), nullptr);
  if (!outcome) {
    logWarn("failed sign-in not recorded in the audit log",
            {{"project", realm.id.str()}, {"problem", outcome.error().message()}});
  }
}

}  // namespace mb::identity
