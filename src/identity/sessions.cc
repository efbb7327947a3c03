#include "identity/sessions.h"

#include <algorithm>

#include "identity/records.h"

namespace mb::identity {

namespace {

constexpr size_t kTokenBytes = 32;
constexpr size_t kMaxTokenText = 128;
constexpr size_t kMaxUserAgent = 512;
constexpr int64_t kTouchEveryMs = 60'000;

std::string hashOf(std::string_view refreshToken) {
  return toHex(sha256(refreshToken));
}

// What a client says of itself, as printable ASCII: header values may hold any bytes.
std::string printable(std::string_view text) {
  std::string out(text.substr(0, kMaxUserAgent));
  for (char& c : out) {
    if (c < 0x20 || c > 0x7E) c = '?';
  }
  return out;
}

Error refused() {
  return Error(ErrorCode::unauthenticated, "this refresh token is not valid");
}

store::WriteOptions optionsOf(const UserId& user, store::Deadline deadline) {
  return {.deadline = deadline, .actor = {"user", user.str()}, .bumpEpochs = {}};
}

// Removes whatever of the targets is there.
Result<std::vector<store::Change>> removeAll(std::span<const std::optional<doc::Document>> before) {
  std::vector<store::Change> changes;
  for (const auto& document : before) {
    changes.push_back(document ? store::Change::remove() : store::Change::keep());
  }
  return changes;
}

}  // namespace

Task<Sessions::Opened> Sessions::open(Realm realm, UserId user, ClientInfo client, store::Deadline deadline) {
  const Timestamp now = deps_.clock.now();
  Opened opened;
  opened.refreshToken = randomToken(kTokenBytes);
  opened.session = {.id = deps_.ids.next<SessionTag>(),
                    .userId = user,
                    .tokenHash = hashOf(opened.refreshToken),
                    .createdAt = now,
                    .lastUsedAt = now,
                    .expiresAt = {now.ms + kSessionMs},
                    .userAgent = printable(client.userAgent),
                    .ip = std::move(client.ip)};

  const store::CollectionRef collection = collectionOf(realm.project, kSessions);
  store::Query query = queryOf(collection, equalsText("userId", user.str()), kPage, deadline);
  CO_TRY(const store::QueryResult found, co_await deps_.store.find(std::move(query)));
  CO_TRY(std::vector<SessionRecord> others, fromStore<SessionRecord>(found.documents));
  std::sort(others.begin(), others.end(),
            [](const SessionRecord& a, const SessionRecord& b) { return a.lastUsedAt > b.lastUsedAt; });

  std::vector<store::WriteTarget> targets{{collection, opened.session.id.str()}};
  bool endsLive = false;
  for (size_t i = 0; i < others.size(); ++i) {
    const bool expired = others[i].expiresAt <= now;
    if (!expired && i + 1 < kSessionsPerUser) continue;
    endsLive = endsLive || !expired;
    targets.push_back({collection, others[i].id.str()});
  }
  store::Judge judge = [stored = doc::encode(opened.session)](auto before) mutable {
    auto changes = removeAll(before);
    changes->front() = store::Change::put(std::move(stored));
    return changes;
  };
  store::WriteOptions options = optionsOf(user, deadline);
  if (endsLive) options.bumpEpochs = {realm.project};
  CO_TRY(const store::WriteOutcome outcome,
         co_await deps_.store.write(std::move(targets), std::move(judge), std::move(options)));
  if (!outcome.committed()) co_return fail(ErrorCode::internal, "something went wrong on the server");
  co_return opened;
}

Task<std::optional<SessionRecord>> Sessions::byToken(Realm realm, std::string refreshToken, store::Deadline deadline) {
  if (refreshToken.empty() || refreshToken.size() > kMaxTokenText) co_return std::nullopt;
  store::Query query =
      queryOf(collectionOf(realm.project, kSessions), equalsText("tokenHash", hashOf(refreshToken)), 1, deadline);
  CO_TRY(const store::QueryResult found, co_await deps_.store.find(std::move(query)));
  if (found.documents.empty()) co_return std::nullopt;
  CO_TRY(SessionRecord session, fromStore<SessionRecord>(found.documents.front().view()));
  co_return session;
}

Task<Sessions::Refreshed> Sessions::refresh(Realm realm, std::string refreshToken, Rotation rotation,
                                            store::Deadline deadline) {
  CO_TRY(std::optional<SessionRecord> session, co_await byToken(realm, refreshToken, deadline));
  const Timestamp now = deps_.clock.now();
  if (!session || session->expiresAt <= now) co_return fail(refused());
  if (rotation == Rotation::keep && now.ms - session->lastUsedAt.ms < kTouchEveryMs) {
    co_return Refreshed{*std::move(session), ""};
  }

  const std::string heldHash = session->tokenHash;
  Refreshed refreshed{*std::move(session), ""};
  refreshed.session.lastUsedAt = now;
  refreshed.session.expiresAt = {now.ms + kSessionMs};
  if (rotation == Rotation::rotate) {
    refreshed.refreshToken = randomToken(kTokenBytes);
    refreshed.session.tokenHash = hashOf(refreshed.refreshToken);
  }
  store::Judge judge =
      [heldHash, stored = doc::encode(refreshed.session)](
          std::span<const std::optional<doc::Document>> before) mutable -> Result<std::vector<store::Change>> {
    // Gone, or its token was replaced meanwhile.
    if (!before[0] || before[0]->view().stringOr("tokenHash") != heldHash) return fail(refused());
    std::vector<store::Change> changes;
    changes.push_back(store::Change::put(std::move(stored)));
    return changes;
  };
  std::vector<store::WriteTarget> targets{targetOf(realm.project, kSessions, refreshed.session.id.str())};
  store::WriteOptions options = optionsOf(refreshed.session.userId, deadline);
  CO_CHECK(co_await deps_.store.write(std::move(targets), std::move(judge), std::move(options)));
  co_return refreshed;
}

Task<std::optional<SessionRecord>> Sessions::get(Realm realm, SessionId id) {
  if (!isId(SessionTag::prefix, id.str())) co_return std::nullopt;
  CO_TRY(const std::optional<doc::Document> stored,
         co_await deps_.store.get(collectionOf(realm.project, kSessions), id.str()));
  co_return fromStore<SessionRecord>(stored);
}

Task<std::vector<SessionRecord>> Sessions::list(Realm realm, UserId user, store::Deadline deadline) {
  store::Query query =
      queryOf(collectionOf(realm.project, kSessions), equalsText("userId", user.str()), kPage, deadline);
  CO_TRY(const store::QueryResult found, co_await deps_.store.find(std::move(query)));
  CO_TRY(std::vector<SessionRecord> sessions, fromStore<SessionRecord>(found.documents));
  const Timestamp now = deps_.clock.now();
  std::erase_if(sessions, [now](const SessionRecord& session) { return session.expiresAt <= now; });
  co_return sessions;
}

Task<> Sessions::close(Realm realm, std::string refreshToken, store::Deadline deadline) {
  CO_TRY(const std::optional<SessionRecord> session, co_await byToken(realm, std::move(refreshToken), deadline));
  if (!session) co_return Result<>();
  std::vector<store::WriteTarget> targets{targetOf(realm.project, kSessions, session->id.str())};
  store::WriteOptions options = optionsOf(session->userId, deadline);
  options.bumpEpochs = {realm.project};
  CO_CHECK(co_await deps_.store.write(std::move(targets), removeAll, std::move(options)));
  co_return Result<>();
}

Task<> Sessions::revoke(Realm realm, UserId user, SessionId id, store::Deadline deadline) {
  if (!isId(SessionTag::prefix, id.str())) co_return fail(ErrorCode::notFound, "no such session");
  store::Judge judge =
      [user](std::span<const std::optional<doc::Document>> before) -> Result<std::vector<store::Change>> {
    if (!before[0] || before[0]->view().stringOr("userId") != user.str()) {
      return fail(ErrorCode::notFound, "no such session");
    }
    return removeAll(before);
  };
  std::vector<store::WriteTarget> targets{targetOf(realm.project, kSessions, id.str())};
  store::WriteOptions options = optionsOf(user, deadline);
  options.bumpEpochs = {realm.project};
  CO_CHECK(co_await deps_.store.write(std::move(targets), std::move(judge), std::move(options)));
  co_return Result<>();
}

}  // namespace mb::identity
