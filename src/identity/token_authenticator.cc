#include "identity/token_authenticator.h"

#include <limits>

#include "base/log.h"
#include "identity/callers.h"
#include "identity/records.h"

namespace mb::identity {

namespace {

constexpr size_t kTokensPerCore = 4096;
constexpr int64_t kNoteEveryMs = 60'000;

Error refusedToken() {
  return Error(ErrorCode::unauthenticated, "this token is not valid here");
}

// The errors for a token that was sent to the other plane.
Error needsProjectToken() {
  return Error(
      ErrorCode::unauthenticated,
      "this token is not valid here: it is one of the control plane, and a project's routes need an end user's "
      "or a member's token of the project, or an API key");
}

Error needsControlToken(std::string_view given) {
  return Error(
      ErrorCode::unauthenticated,
      fmt::format("this token is not valid here: it is {}, and the control plane needs a platform user's token",
                  given));
}

Result<> mustBeActive(const snapshot::ProjectSnapshot& project) {
  if (project.info().status == snapshot::ProjectStatus::active) return {};
  return fail(ErrorCode::projectSuspended, "this project is suspended");
}

}  // namespace

TokenAuthenticator::TokenAuthenticator(const IdentityDeps& deps, const Tokens& tokens, Users& users, Sessions& sessions,
                                       ApiKeys& keys, const IdentitySlots& slots, TaskGroup& background)
    : deps_(deps),
      tokens_(tokens),
      users_(users),
      sessions_(sessions),
      keys_(keys),
      slots_(slots),
      background_(background) {
  for (int core = 0; core < deps.cores.count(); ++core) caches_.push_back(std::make_unique<Cache>(kTokensPerCore));
}

TokenAuthenticator::Cache* TokenAuthenticator::cache() {
  const int core = Cores::current();
  return core < 0 || static_cast<size_t>(core) >= caches_.size() ? nullptr : caches_[static_cast<size_t>(core)].get();
}

TokenAuthenticator::Entry* TokenAuthenticator::find(std::string_view token) {
  Cache* own = cache();
  return own == nullptr ? nullptr : own->find(token);
}

Identified TokenAuthenticator::remember(std::string token, Entry entry, snapshot::SnapshotPtr project) {
  Identified identified{entry.caller, std::move(project), entry.validity};
  entry.token.permissions.clear();
  if (Cache* own = cache()) own->put(std::move(token), std::move(entry));
  return identified;
}

std::optional<Identified> TokenAuthenticator::cachedProject(std::string_view token) {
  const Entry* entry = find(token);
  if (entry == nullptr || entry->caller.kind == policy::CallerKind::platform) return std::nullopt;
  const int64_t now = deps_.clock.now().ms;
  if (!entry->validity.holds(authState(entry->caller.project))) return std::nullopt;
  if (entry->caller.kind == policy::CallerKind::apiKey && now - entry->notedMs >= kNoteEveryMs) return std::nullopt;
  snapshot::SnapshotPtr project = deps_.snapshots.cached(entry->caller.projectId.str());
  if (!project || project->epoch() != entry->validity.projectEpoch || !mustBeActive(*project)) return std::nullopt;
  return Identified{entry->caller, std::move(project), entry->validity};
}

AuthState TokenAuthenticator::authState(store::ProjectNo project) const {
  return {.nowMs = deps_.clock.now().ms,
          .projectEpoch = deps_.store.epoch(project),
          .controlEpoch = deps_.store.epoch(store::kControlProject),
          .drops = tokens_.drops()};
}

Result<AccessToken> TokenAuthenticator::claimsOf(std::string_view token) {
  const Entry* known = find(token);
  if (known != nullptr && deps_.clock.now().ms < known->validity.expiresMs && signatureHolds(*known)) {
    return known->token;
  }
  return tokens_.verify(token);
}

Task<snapshot::SnapshotPtr> TokenAuthenticator::snapshotOf(std::string project) {
  CO_TRY(snapshot::SnapshotPtr found, co_await deps_.snapshots.find(std::move(project)));
  if (!found || found->info().status == snapshot::ProjectStatus::deleted) {
    co_return fail(ErrorCode::notFound, "no such project");
  }
  co_return found;
}

Task<UserRecord> TokenAuthenticator::liveUser(Realm realm, UserId user, SessionId session) {
  CO_TRY(const std::optional<SessionRecord> live, co_await sessions_.get(realm, session));
  if (!live || live->userId != user || live->expiresAt <= deps_.clock.now()) co_return fail(refusedToken());
  CO_TRY(std::optional<UserRecord> found, co_await users_.get(realm, user));
  if (!found || !found->active() || isOver(*live, *found)) co_return fail(refusedToken());
  co_return *std::move(found);
}

Task<Identified> TokenAuthenticator::project(std::string token) {
  if (auto known = cachedProject(token)) co_return *std::move(known);
  if (token.starts_with(kKeyPrefix)) co_return co_await byKey(std::move(token));
  const uint64_t drops = tokens_.drops();
  CO_TRY(AccessToken claims, claimsOf(token));
  if (claims.kind == TokenKind::platform) co_return fail(needsProjectToken());
  CO_TRY(snapshot::SnapshotPtr project, co_await snapshotOf(claims.project.str()));
  CO_RETURN_IF_ERROR(mustBeActive(*project));
  if (claims.kind == TokenKind::member) {
    co_return co_await member(std::move(token), std::move(claims), std::move(project), drops);
  }
  co_return co_await endUser(std::move(token), std::move(claims), std::move(project), drops);
}

CallerValidity TokenAuthenticator::validityOf(store::ProjectNo home, const AccessToken& claims, uint64_t drops) const {
  CallerValidity validity;
  validity.session = sessions_.watch(claims.session);
  validity.user = sessions_.watchUser(home, claims.user);
  validity.ofPlatformUser = home == store::kControlProject;
  if (validity.ofPlatformUser) validity.controlEpoch = deps_.store.epoch(store::kControlProject).value;
  validity.drops = drops;
  validity.expiresMs = claims.expiresAt.ms;
  return validity;
}

Task<Identified> TokenAuthenticator::endUser(std::string token, AccessToken claims, snapshot::SnapshotPtr project,
                                             uint64_t drops) {
  const Realm realm = Realm::of(project->info());
  Entry entry;
  entry.validity = validityOf(realm.project, claims, drops);
  CO_TRY(const UserRecord user, co_await liveUser(realm, claims.user, claims.session));
  entry.caller = endUserCaller(*project, slots_, user, claims, tokens_.issuer());
  entry.validity.projectEpoch = project->epoch();
  entry.token = std::move(claims);
  co_return remember(std::move(token), std::move(entry), std::move(project));
}

Task<Identified> TokenAuthenticator::member(std::string token, AccessToken claims, snapshot::SnapshotPtr project,
                                            uint64_t drops) {
  Entry entry;
  entry.validity = validityOf(store::kControlProject, claims, drops);
  CO_TRY(const UserRecord user, co_await liveUser(Realm::platform(), claims.user, claims.session));
  const auto& members = project->get(slots_.members).byUser;
  const auto membership = members.find(user.id.str());
  if (membership == members.end()) co_return fail(refusedToken());
  entry.caller = memberCaller(*project, slots_, user.id.str(), membership->second.role);
  entry.caller.sessionId = claims.session.str();
  entry.caller.email = user.email;
  entry.validity.projectEpoch = project->epoch();
  entry.token = std::move(claims);
  co_return remember(std::move(token), std::move(entry), std::move(project));
}

Task<Identified> TokenAuthenticator::control(std::string token) {
  // By its form alone: the error must not show whether the key exists.
  if (token.starts_with(kKeyPrefix)) co_return fail(needsControlToken("an API key of a project"));
  const store::Epoch controlEpoch = deps_.store.epoch(store::kControlProject);
  const Entry* known = find(token);
  if (known != nullptr && known->caller.kind == policy::CallerKind::platform &&
      controlEpoch == known->validity.controlEpoch && !known->validity.session.changed() &&
      !known->validity.user.changed() && deps_.clock.now().ms < known->validity.expiresMs && signatureHolds(*known)) {
    co_return Identified{known->caller, nullptr, known->validity};
  }
  const uint64_t drops = tokens_.drops();
  CO_TRY(AccessToken claims, claimsOf(token));
  if (claims.kind != TokenKind::platform) {
    co_return fail(needsControlToken(claims.kind == TokenKind::member ? "a member's token of a project"
                                                                      : "an end user's token of a project"));
  }
  Entry entry;
  entry.validity = validityOf(store::kControlProject, claims, drops);
  CO_TRY(const UserRecord user, co_await liveUser(Realm::platform(), claims.user, claims.session));
  policy::Caller& caller = entry.caller;
  caller.kind = policy::CallerKind::platform;
  caller.id = user.id.str();
  caller.sessionId = claims.session.str();
  caller.project = store::kControlProject;
  caller.email = user.email;
  caller.superAdmin = user.platformRole == kSuperAdmin;
  entry.token = std::move(claims);
  co_return remember(std::move(token), std::move(entry), nullptr);
}

Task<Identified> TokenAuthenticator::byKey(std::string token) {
  const auto parts = splitKey(token);
  if (!parts) co_return fail(refusedToken());
  CO_TRY(snapshot::SnapshotPtr project, co_await deps_.snapshots.find(std::string(parts->project)));
  // The same error as for a wrong secret: a forged key must not show which projects exist.
  if (!project || project->info().status == snapshot::ProjectStatus::deleted) co_return fail(refusedToken());
  const Digest digest = sha256(parts->secret);
  const std::string_view hash(reinterpret_cast<const char*>(digest.data()), digest.size());
  const auto& keys = project->get(slots_.keys).byHash;
  const auto found = keys.find(hash);
  if (found == keys.end() || !equalConstantTime(found->second.hash, hash)) co_return fail(refusedToken());
  const ApiKeyTable::Key& key = found->second;
  const int64_t now = deps_.clock.now().ms;
  if (key.expiresAt && key.expiresAt->ms <= now) co_return fail(refusedToken());
  CO_RETURN_IF_ERROR(mustBeActive(*project));

  Entry entry;
  entry.caller = keyCaller(*project, key);
  entry.validity.projectEpoch = project->epoch();
  entry.validity.drops = tokens_.drops();
  entry.validity.expiresMs = key.expiresAt ? key.expiresAt->ms : std::numeric_limits<int64_t>::max();
  const Entry* before = find(token);
  entry.notedMs = before == nullptr ? 0 : before->notedMs;
  const int core = Cores::current();
  if (core >= 0 && now - entry.notedMs >= kNoteEveryMs) {
    entry.notedMs = now;
    background_.spawn(deps_.cores.at(core).get_executor(), noteUse(entry.caller.project, KeyId(entry.caller.id)));
  }
  co_return remember(std::move(token), std::move(entry), std::move(project));
}

Async<void> TokenAuthenticator::noteUse(store::ProjectNo project, KeyId key) {
  const auto noted = co_await keys_.touch(project, std::move(key), readDeadline());
  if (!noted) logDebug("use of an API key not recorded", {{"message", noted.error().message()}});
}

}  // namespace mb::identity
