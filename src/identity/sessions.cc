#include "identity/sessions.h"

#include <algorithm>

#include "identity/records.h"
#include "identity/refresh_project.h"
#include "store/retry.h"

namespace mb::identity {

namespace {

constexpr size_t kMaxUserAgent = 512;
constexpr int64_t kTouchEveryMs = 60'000;
constexpr int kMaxRefreshRaces = 3;

std::string hashOf(std::string_view family) {
  return toHex(sha256(family));
}

// A User-Agent as printable ASCII: header values may contain any bytes.
std::string printable(std::string_view text) {
  std::string out(text.substr(0, kMaxUserAgent));
  for (char& c : out) {
    if (c < 0x20 || c > 0x7E) c = '?';
  }
  return out;
}

Error refusedRefresh() {
  return Error(ErrorCode::unauthenticated, "this refresh token is not valid");
}

store::WriteOptions optionsOf(const UserId& user, store::Deadline deadline) {
  return {.deadline = deadline, .actor = {store::ActorKind::user, user.str()}, .bumpEpochs = {}};
}

// Absent unless the client gets a cookie, so that records of other sessions stay as they are.
std::optional<bool> inCookie(const ClientInfo& client) {
  return client.transport == TokenTransport::cookie ? std::optional(true) : std::nullopt;
}

doc::Document detailsOf(const SessionId& session, std::string_view method = "") {
  doc::BsonWriter out;
  if (!method.empty()) out.appendString("method", method);
  out.appendString("session", session.str());
  return out.finish();
}

}  // namespace

bool isOver(const SessionRecord& session, const UserRecord& user) {
  return user.signedOutAt &&
         std::max(session.createdAt, session.keptAt.value_or(session.createdAt)) <= *user.signedOutAt;
}

Task<Sessions::Opened> Sessions::open(Realm realm, UserRecord user, ClientInfo client, store::Deadline deadline) {
  const std::optional<Timestamp> signedOutAt = user.signedOutAt;
  const bool factorGiven = user.mfaEnabled;
  const Timestamp now = deps_.clock.now();
  const AuditClient auditClient = client.method.empty() ? AuditClient() : AuditClient(client);
  Opened opened;
  opened.refreshToken = withProject(realm.id, RefreshTokens::newFamily());
  opened.session = {.id = deps_.ids.next<SessionTag>(),
                    .userId = user.id,
                    .tokenHash = hashOf(opened.refreshToken),
                    // Later than the end of all earlier ones, even if the clock was set back.
                    .createdAt = signedOutAt ? std::max(now, Timestamp{signedOutAt->ms + 1}) : now,
                    .lastUsedAt = now,
                    .expiresAt = {now.ms + kSessionMs},
                    .userAgent = printable(client.userAgent),
                    .ip = std::move(client.ip),
                    .inCookie = inCookie(client)};

  const store::CollectionRef collection = collectionOf(realm.project, kSessions);
  CO_TRY(std::vector<SessionRecord> others, co_await allOf(realm, user.id, deadline));
  std::sort(others.begin(), others.end(),
            [](const SessionRecord& a, const SessionRecord& b) { return a.lastUsedAt > b.lastUsedAt; });

  store::Write write(optionsOf(user.id, deadline));
  const store::Target session = write.create(collection, opened.session.id.str());
  // A shared lock, so that sign-ins of one user run concurrently; signing out everywhere excludes all of them.
  const store::Target holder = write.hold(targetOf(realm.project, kUsers, user.id.str()));
  std::vector<store::Target> ended;
  for (size_t i = 0; i < others.size(); ++i) {
    const bool expired = others[i].expiresAt <= now;
    if (!expired && i + 1 < kSessionsPerUser) continue;
    write.options.notices.push_back(sessionEnd(realm.project, others[i].id.str()));
    ended.push_back(write.change(collection, others[i].id.str()));
  }
  write.insert(entry(realm, "login.succeeded", user.id, auditClient, detailsOf(opened.session.id, client.method)));
  auto done = co_await deps_.store.write(
      std::move(write),
      [session, holder, ended = std::move(ended), stored = doc::encode(opened.session), signedOutAt, factorGiven](
          const store::PreImages& before, store::Changes& changes) -> Result<> {
        TRY(const std::optional<UserRecord> now, fromStore<UserRecord>(before[holder]));
        if (now && now->signedOutAt != signedOutAt) {
          return fail(ErrorCode::unauthenticated, "all sessions of this user were ended: sign in again");
        }
        if (now && now->mfaEnabled && !factorGiven) {
          return fail(ErrorCode::retry, "the second factor was activated since the user was read");
        }
        changes.put(session, stored);
        for (const store::Target other : ended) changes.remove(other);
        return {};
      });
  // A client cannot choose the hash of a random token, so a violation is not the client's error.
  if (!done && store::indexViolation(done.error())) {
    co_return fail(ErrorCode::internal, "something went wrong on the server");
  }
  CO_RETURN_IF_ERROR(std::move(done));
  co_return opened;
}

Task<std::optional<SessionRecord>> Sessions::byFamily(Realm realm, std::string family, store::Deadline deadline) {
  store::Query query =
      queryOf(collectionOf(realm.project, kSessions), doc::Filter::equals("tokenHash", hashOf(family)), 1, deadline);
  CO_TRY(const store::QueryResult found, co_await deps_.store.find(std::move(query)));
  if (found.documents.empty()) co_return std::nullopt;
  CO_TRY(SessionRecord session, fromStore<SessionRecord>(found.documents.front().view()));
  co_return session;
}

Task<Sessions::Refreshed> Sessions::refresh(Realm realm, std::string refreshToken, Rotation rotation, ClientInfo client,
                                            store::Deadline deadline) {
  const std::optional<RefreshToken> given = tokens_.parse(refreshToken);
  if (!given) co_return fail(refusedRefresh());
  co_return co_await store::retryWrite(kMaxRefreshRaces, refusedRefresh(),
                                       [&] { return refreshOnce(realm, *given, rotation, client, deadline); });
}

Task<Sessions::Refreshed> Sessions::refreshOnce(Realm realm, RefreshToken given, Rotation rotation, ClientInfo client,
                                                store::Deadline deadline) {
  CO_TRY(std::optional<SessionRecord> session, co_await byFamily(realm, given.family, deadline));
  const Timestamp now = deps_.clock.now();
  if (!session || session->expiresAt <= now) co_return fail(refusedRefresh());
  const int64_t held = session->generation.value_or(0);
  if (given.generation < held) {
    const bool justReplaced =
        given.generation + 1 == held && session->rotatedAt && now.ms - session->rotatedAt->ms < kRotationGraceMs;
    // Scripts may know a token that was moved into a cookie, but not its successor.
    if (justReplaced && session->inCookie.value_or(false) && !inCookie(client)) co_return fail(refusedRefresh());
    if (justReplaced) co_return Refreshed{*std::move(session), tokens_.textOf({given.family, held})};
    CO_RETURN_IF_ERROR(co_await endForReuse(std::move(realm), *std::move(session), std::move(client), deadline));
    co_return fail(refusedRefresh());
  }
  if (given.generation > held) co_return fail(refusedRefresh());
  if (rotation == Rotation::keep && now.ms - session->lastUsedAt.ms < kTouchEveryMs) {
    co_return Refreshed{*std::move(session), ""};
  }

  Refreshed refreshed{*std::move(session), ""};
  refreshed.session.lastUsedAt = now;
  refreshed.session.expiresAt = {now.ms + kSessionMs};
  if (inCookie(client)) refreshed.session.inCookie = true;
  if (rotation == Rotation::rotate) {
    refreshed.session.generation = held + 1;
    refreshed.session.rotatedAt = now;
    refreshed.refreshToken = tokens_.textOf({given.family, held + 1});
  }
  store::Write write(optionsOf(refreshed.session.userId, deadline));
  const store::Target target = write.change(targetOf(realm.project, kSessions, refreshed.session.id.str()));
  CO_RETURN_IF_ERROR(co_await deps_.store.write(
      std::move(write),
      [target, held, session = refreshed.session](const store::PreImages& before, store::Changes& changes) -> Result<> {
        if (!before[target]) return fail(refusedRefresh());
        TRY(const SessionRecord still, fromStore<SessionRecord>(before[target]->view()));
        if (still.generation.value_or(0) != held) return fail(ErrorCode::retry, "another request rotated the token");
        SessionRecord after = session;
        after.keptAt = still.keptAt;  // a password change may have set it since the read
        changes.put(target, doc::encode(after));
        return {};
      }));
  co_return refreshed;
}

std::vector<store::Insert> Sessions::entry(const Realm& realm, std::string action, const UserId& user,
                                           const AuditClient& auditClient, doc::Document details) const {
  if (!auditClient) return {};
  return deps_.auditor.entry(realm.project, std::move(action),
                             {realm.control ? "platform" : "user", user.str(), std::nullopt}, "users/" + user.str(),
                             auditClient->ip, auditClient->requestId, std::move(details));
}

// A refresh token was reused. The thief and the owner cannot be distinguished, so the session ends (RFC 9700, 4.14).
Task<> Sessions::endForReuse(Realm realm, SessionRecord session, ClientInfo client, store::Deadline deadline) {
  auto entries = entry(realm, "session.reuse", session.userId, std::move(client), detailsOf(session.id));
  co_return co_await remove(std::move(realm), session.userId, {session.id.str()}, std::move(entries), deadline);
}

store::Mark Sessions::watchUser(store::ProjectNo project, const UserId& user) const {
  const doc::Document holder = store::idDocument(user.str());
  return deps_.store.mark(project, kUsers, "id", *holder.view().find("id"));
}

Task<std::optional<SessionRecord>> Sessions::get(Realm realm, SessionId id) {
  if (!isId(SessionTag::prefix, id.str())) co_return std::nullopt;
  CO_TRY(const std::optional<doc::Document> stored,
         co_await deps_.store.get(collectionOf(realm.project, kSessions), id.str()));
  co_return fromStore<SessionRecord>(stored);
}

// Includes expired ones.
Task<std::vector<SessionRecord>> Sessions::allOf(Realm realm, UserId user, store::Deadline deadline) {
  store::Query query =
      queryOf(collectionOf(realm.project, kSessions), doc::Filter::equals("userId", user.str()), kPage, deadline);
  CO_TRY(const store::QueryResult found, co_await deps_.store.find(std::move(query)));
  co_return fromStore<SessionRecord>(found.documents);
}

Task<std::vector<SessionRecord>> Sessions::list(Realm realm, UserId user, store::Deadline deadline) {
  CO_TRY(std::vector<SessionRecord> sessions, co_await allOf(std::move(realm), std::move(user), deadline));
  const Timestamp now = deps_.clock.now();
  std::erase_if(sessions, [now](const SessionRecord& session) { return session.expiresAt <= now; });
  co_return sessions;
}

Task<> Sessions::close(Realm realm, std::string refreshToken, store::Deadline deadline, AuditClient auditClient) {
  const std::optional<RefreshToken> given = tokens_.parse(refreshToken);
  if (!given) co_return Result<>();
  CO_TRY(const std::optional<SessionRecord> session, co_await byFamily(realm, given->family, deadline));
  if (!session) co_return Result<>();
  auto entries = entry(realm, "session.ended", session->userId, auditClient, detailsOf(session->id));
  co_return co_await remove(std::move(realm), session->userId, {session->id.str()}, std::move(entries), deadline);
}

Task<> Sessions::remove(Realm realm, UserId user, std::vector<std::string> sessions, std::vector<store::Insert> entries,
                        store::Deadline deadline) {
  store::Write write(optionsOf(user, deadline));
  std::vector<store::Target> targets;
  for (const std::string& id : sessions) {
    targets.push_back(write.change(targetOf(realm.project, kSessions, id)));
    write.options.notices.push_back(sessionEnd(realm.project, id));
  }
  write.insert(std::move(entries));
  CO_RETURN_IF_ERROR(co_await deps_.store.write(std::move(write), store::removing(std::move(targets))));
  co_return Result<>();
}

Task<> Sessions::endAll(Realm realm, UserId user, std::optional<SessionId> except, store::Deadline deadline,
                        AuditClient auditClient) {
  CO_TRY(const std::vector<SessionRecord> sessions, co_await allOf(realm, user, deadline));
  std::vector<std::string> ending;
  for (const SessionRecord& session : sessions) {
    if (session.id != except) ending.push_back(session.id.str());
  }
  if (ending.empty()) co_return Result<>();
  doc::BsonWriter details;
  details.appendInteger("sessions", static_cast<int64_t>(ending.size()));
  auto entries = entry(realm, "session.revokedAll", user, auditClient, details.finish());
  co_return co_await remove(std::move(realm), user, std::move(ending), std::move(entries), deadline);
}

Task<SessionRecord> Sessions::revoke(Realm realm, UserId user, SessionId id, store::Deadline deadline,
                                     AuditClient auditClient) {
  if (!isId(SessionTag::prefix, id.str())) co_return fail(ErrorCode::notFound, "no such session");
  store::Write write(optionsOf(user, deadline));
  const store::Target session = write.change(targetOf(realm.project, kSessions, id.str()));
  write.options.notices.push_back(sessionEnd(realm.project, id.str()));
  write.insert(entry(realm, "session.revoked", user, auditClient, detailsOf(id)));
  co_return co_await store::writeReturning(
      deps_.store, std::move(write),
      [session, user](const store::PreImages& before, store::Changes& changes) -> Result<SessionRecord> {
        TRY(std::optional<SessionRecord> ended, fromStore<SessionRecord>(before[session]));
        if (!ended || ended->userId != user) return fail(ErrorCode::notFound, "no such session");
        changes.remove(session);
        return *std::move(ended);
      });
}

}  // namespace mb::identity
