#include "identity/identities.h"

#include <algorithm>

#include "identity/audited.h"
#include "identity/email.h"
#include "identity/provider_client.h"
#include "identity/records.h"
#include "identity/second_factor.h"

namespace mb::identity {

namespace {

using Before = std::span<const std::optional<doc::Document>>;
using Changes = std::vector<store::Change>;

constexpr int kMostRounds = 3;
constexpr size_t kDigestText = 40;
constexpr size_t kMaxProviderName = 200;

std::string idOf(std::string_view provider, const ExternalIdentity& person) {
  std::string text;
  for (const std::string_view part : {provider, std::string_view(person.issuer), std::string_view(person.subject)}) {
    text.append(std::to_string(part.size())).append(1, ':').append(part);
  }
  return "idn_" + toHex(sha256(text)).substr(0, kDigestText);
}

Error noIdentity() {
  return Error(ErrorCode::notFound, "no such identity");
}

doc::Document detailsOf(const IdentityRecord& identity) {
  doc::BsonWriter out;
  out.appendString("provider", identity.provider);
  out.appendString("identity", identity.id);
  return out.finish();
}

std::optional<std::string> nameOf(const std::string& given) {
  auto name = checkDisplayName(given, "/name", kMaxProviderName);
  return name ? std::optional(*std::move(name)) : std::nullopt;
}

// The person proves the address, which nobody did before: whoever made the account may have been another.
void cleanse(UserRecord& user, Timestamp now) {
  user.emailVerified = true;
  user.passwordHash.clear();
  user.mfaEnabled = false;
  user.signedOutAt = now;
}

}  // namespace

IdentityView viewOf(const IdentityRecord& identity) {
  return {identity.id, identity.provider, identity.email, identity.createdAt};
}

Task<std::optional<UserRecord>> Identities::userOf(Realm realm, std::string provider, ExternalIdentity person,
                                                   policy::Caller by, store::Deadline deadline, bool local) {
  IdentityRecord identity{idOf(provider, person), {}, provider, person.issuer, person.subject, {}, deps_.clock.now()};
  for (int round = 0; round < kMostRounds; ++round) {
    CO_TRY(const std::optional<doc::Document> stored,
           co_await deps_.store.get(collectionOf(realm.project, kIdentities), identity.id));
    CO_TRY(const std::optional<IdentityRecord> known, fromStore<IdentityRecord>(stored));
    if (known) {
      CO_TRY(std::optional<UserRecord> user, co_await users_.get(realm, known->userId));
      if (user) co_return user;
      co_return fail(ErrorCode::conflict, "the user of this identity is gone");
    }
    const auto address = parseEmail(person.email);
    if (!person.emailVerified || !address) co_return std::nullopt;
    identity.email = address->text;
    CO_TRY(std::optional<UserRecord> user, co_await users_.byEmail(realm, address->text));
    if (!user) {
      auto made = co_await users_.addProven(realm, address->text, nameOf(person.name), deadline, local);
      if (!made && made.error().code() == ErrorCode::emailTaken) continue;
      CO_TRY(user, std::move(made));
    }
    auto linked = co_await link(realm, identity, *std::move(user), by, deadline);
    if (linked) co_return std::optional(*std::move(linked));
    if (linked.error().code() != ErrorCode::staleCatalogue) co_return fail(std::move(linked).error());
  }
  co_return fail(ErrorCode::conflict, "another sign-in came first, try again");
}

Task<UserRecord> Identities::link(Realm realm, IdentityRecord identity, UserRecord user, policy::Caller by,
                                  store::Deadline deadline) {
  identity.userId = user.id;
  CO_TRY(const std::vector<IdentityRecord> others, co_await list(realm, user.id, deadline));
  if (others.size() >= kIdentitiesPerUser) co_return fail(ErrorCode::conflict, "this user has too many identities");
  RegistrationPlan plan;
  const bool proves = !user.emailVerified;
  if (proves) {
    CO_TRY(plan, co_await users_.planProven(realm, user));
    plan.bumpEpochs.push_back(realm.project);
  }
  by.kind = realm.control ? policy::CallerKind::platform : policy::CallerKind::endUser;
  by.id = user.id.str();
  by.email = user.email;
  auto entries = deps_.auditor.entry(realm.project, "identity.link", auditActorOf(by), "users/" + user.id.str(), by.ip,
                                     by.requestId, detailsOf(identity));
  std::vector<store::WriteTarget> targets{targetOf(realm.project, kIdentities, identity.id),
                                          targetOf(realm.project, kUsers, user.id.str()),
                                          targetOf(realm.project, kSecondFactors, user.id.str()),
                                          targetOf(realm.project, kChallenges, enrollmentId(user.id))};
  for (const IdentityRecord& other : others) targets.push_back(targetOf(realm.project, kIdentities, other.id));
  const size_t own = targets.size();
  const size_t planned = plan.targets.size();
  std::move(plan.targets.begin(), plan.targets.end(), std::back_inserter(targets));
  addTargets(targets, entries);
  store::WriteOptions options{.deadline = deadline, .actor = actorOf(by), .bumpEpochs = std::move(plan.bumpEpochs)};
  store::Judge judge = [&](Before before) -> Result<Changes> {
    if (before[0] || !before[1]) return fail(ErrorCode::staleCatalogue, "linked meanwhile");
    TRY(UserRecord now, fromStore<UserRecord>(before[1]->view()));
    if (now.emailKey != user.emailKey || now.emailVerified == proves) {
      return fail(ErrorCode::staleCatalogue, "the address changed meanwhile");
    }
    user = std::move(now);
    if (proves) cleanse(user, identity.createdAt);
    user.updatedAt = identity.createdAt;
    Changes beside;
    if (plan.judge) {
      TRY(beside, plan.judge(user, before.subspan(own, planned)));
    }
    Changes changes;
    changes.push_back(store::Change::put(doc::encode(identity)));
    changes.push_back(store::Change::put(doc::encode(user)));
    for (const auto& older : before.subspan(2, own - 2)) {
      changes.push_back(proves && older ? store::Change::remove() : store::Change::keep());
    }
    std::move(beside.begin(), beside.end(), std::back_inserter(changes));
    addPuts(changes, entries);
    return changes;
  };
  CO_CHECK(co_await deps_.store.write(std::move(targets), std::move(judge), std::move(options)));
  if (proves) CO_CHECK(co_await sessions_.endAll(realm, user.id, std::nullopt, deadline));
  co_return user;
}

Task<std::vector<IdentityRecord>> Identities::list(Realm realm, UserId user, store::Deadline deadline) {
  store::Query query =
      queryOf(collectionOf(realm.project, kIdentities), equalsText("userId", user.str()), kPage, deadline);
  CO_TRY(const store::QueryResult found, co_await deps_.store.find(std::move(query)));
  CO_TRY(std::vector<IdentityRecord> identities, fromStore<IdentityRecord>(found.documents));
  std::ranges::sort(identities, {}, &IdentityRecord::createdAt);
  co_return identities;
}

Task<> Identities::unlink(Realm realm, std::string id, policy::Caller by, store::Deadline deadline) {
  CO_TRY(const std::vector<IdentityRecord> own, co_await list(realm, UserId(by.id), deadline));
  const auto gone = std::ranges::find(own, id, &IdentityRecord::id);
  if (gone == own.end()) co_return fail(noIdentity());
  auto entries = deps_.auditor.entry(realm.project, "identity.unlink", auditActorOf(by), "users/" + by.id, by.ip,
                                     by.requestId, detailsOf(*gone));
  std::vector<store::WriteTarget> targets{targetOf(realm.project, kIdentities, id),
                                          targetOf(realm.project, kUsers, by.id)};
  for (const IdentityRecord& other : own) {
    if (other.id != id) targets.push_back(targetOf(realm.project, kIdentities, other.id));
  }
  addTargets(targets, entries);
  store::Judge judge = [others = own.size() - 1,
                        entries = std::move(entries)](Before before) mutable -> Result<Changes> {
    if (!before[0] || !before[1]) return fail(noIdentity());
    TRY(const UserRecord user, fromStore<UserRecord>(before[1]->view()));
    const auto rest = before.subspan(2, others);
    const bool another = std::ranges::any_of(rest, [](const auto& identity) { return identity.has_value(); });
    if (user.passwordHash.empty() && !another) {
      return fail(ErrorCode::conflict, "this is the only way into the account: set a password first");
    }
    Changes changes;
    changes.push_back(store::Change::remove());
    addKeeps(changes, 1 + others);
    addPuts(changes, entries);
    return changes;
  };
  store::WriteOptions options{.deadline = deadline, .actor = actorOf(by), .bumpEpochs = {}};
  CO_CHECK(co_await deps_.store.write(std::move(targets), std::move(judge), std::move(options)));
  co_return Result<>();
}

}  // namespace mb::identity
