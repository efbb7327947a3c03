#include "identity/challenges.h"

#include <algorithm>

#include "identity/records.h"

namespace mb::identity {

namespace {

// Expired challenges removed per put: more than one, so that their number shrinks.
constexpr uint64_t kSweptPerPut = 8;

Result<doc::Filter> expiredBy(Timestamp now) {
  doc::BsonWriter out;
  out.beginDocument("expiresAt");
  out.appendDate("$lte", now);
  out.end();
  return doc::Filter::parse(out.finish());
}

}  // namespace

Task<std::vector<doc::Document>> Challenges::leftovers(Realm realm, UserId user, std::string except,
                                                       store::Deadline deadline) {
  const store::CollectionRef collection = collectionOf(realm.project, kChallenges);
  CO_TRY(doc::Filter expired, expiredBy(deps_.clock.now()));
  CO_TRY(const store::QueryResult old,
         co_await deps_.store.find(queryOf(collection, std::move(expired), kSweptPerPut, deadline)));
  std::vector<doc::Document> going;
  const auto add = [&](const doc::Document& document) {
    const std::string_view id = document.view().stringOr("id");
    const bool known =
        std::ranges::any_of(going, [id](const auto& other) { return other.view().stringOr("id") == id; });
    if (id != except && !known) going.push_back(document);
  };
  for (const doc::Document& document : old.documents) add(document);
  if (user.empty()) co_return going;
  store::Query query = queryOf(collection, doc::Filter::equals("userId", user.str()), kPage, deadline);
  CO_TRY(store::QueryResult own, co_await deps_.store.find(std::move(query)));
  if (own.documents.size() < kChallengesPerUser) co_return going;
  std::ranges::sort(own.documents, [](const doc::Document& a, const doc::Document& b) {
    return a.view().find("expiresAt")->asDate() < b.view().find("expiresAt")->asDate();
  });
  own.documents.resize(own.documents.size() - kChallengesPerUser + 1);
  for (const doc::Document& document : own.documents) add(document);
  co_return going;
}

Task<> Challenges::put(Realm realm, ChallengeRecord challenge, Existing existing, store::Deadline deadline) {
  CO_TRY(std::vector<doc::Document> going, co_await leftovers(realm, challenge.userId, challenge.id, deadline));
  const store::ActorKind kind = challenge.userId.empty() ? store::ActorKind::server : store::ActorKind::user;
  store::Write write({.deadline = deadline, .actor = {kind, challenge.userId.str()}, .bumpEpochs = {}});
  const store::Target target = write.change(targetOf(realm.project, kChallenges, challenge.id));
  std::vector<std::pair<store::Target, doc::Document>> leaving;
  for (doc::Document& document : going) {
    std::string id(document.view().stringOr("id"));
    leaving.emplace_back(write.change(targetOf(realm.project, kChallenges, std::move(id))), std::move(document));
  }
  CO_RETURN_IF_ERROR(
      co_await deps_.store.write(std::move(write),
                                 [target, stored = doc::encode(challenge), existing, leaving = std::move(leaving)](
                                     const store::PreImages& before, store::Changes& changes) -> Result<> {
                                   if (before[target] && existing == Existing::refuse)
                                     return fail(ErrorCode::conflict, "this was used already");
                                   changes.put(target, stored);
                                   for (const auto& [other, asRead] : leaving) {
                                     // A challenge that changed since it was read is in use again.
                                     if (before[other] == asRead) changes.remove(other);
                                   }
                                   return {};
                                 }));
  co_return Result<>();
}

}  // namespace mb::identity
