#include "identity/challenges.h"

#include <algorithm>

#include "identity/records.h"

namespace mb::identity {

namespace {

// More than one a put, so that leftovers shrink.
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
  store::Query query = queryOf(collection, equalsText("userId", user.str()), kPage, deadline);
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
  std::vector<store::WriteTarget> targets{targetOf(realm.project, kChallenges, challenge.id)};
  for (const doc::Document& document : going) {
    targets.push_back(targetOf(realm.project, kChallenges, std::string(document.view().stringOr("id"))));
  }
  const store::Actor actor{challenge.userId.empty() ? "server" : "user", challenge.userId.str()};
  store::Judge judge =
      [stored = doc::encode(challenge), existing, going = std::move(going)](
          std::span<const std::optional<doc::Document>> before) mutable -> Result<std::vector<store::Change>> {
    if (before[0] && existing == Existing::refuse) return fail(ErrorCode::conflict, "this was used already");
    std::vector<store::Change> changes;
    changes.push_back(store::Change::put(std::move(stored)));
    for (size_t i = 0; i < going.size(); ++i) {
      // One that changed since is in use again.
      changes.push_back(before[i + 1] == going[i] ? store::Change::remove() : store::Change::keep());
    }
    return changes;
  };
  store::WriteOptions options{.deadline = deadline, .actor = actor, .bumpEpochs = {}};
  CO_CHECK(co_await deps_.store.write(std::move(targets), std::move(judge), std::move(options)));
  co_return Result<>();
}

}  // namespace mb::identity
