#include "identity/identities.h"

#include <algorithm>

#include "identity/email.h"
#include "identity/provider_client.h"
#include "identity/records.h"
#include "identity/second_factor.h"
#include "store/retry.h"

namespace mb::identity {

namespace {

constexpr int kMaxRounds = 3;
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

// Removes the earlier credentials of an account whose address is verified for the first time: another person may have
// created the account.
void removeCredentials(UserRecord& user, Timestamp now) {
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
  const IdentityRecord identity{idOf(provider, person), {}, provider,         person.issuer,
                                person.subject,         {}, deps_.clock.now()};
  co_return co_await store::retryWrite(
      kMaxRounds, Error(ErrorCode::conflict, "the account was changed by another sign-in: try again"),
      [&] { return userOfOnce(realm, identity, person, by, deadline, local); });
}

Task<std::optional<UserRecord>> Identities::userOfOnce(Realm realm, IdentityRecord identity, ExternalIdentity person,
                                                       policy::Caller by, store::Deadline deadline, bool local) {
  CO_TRY(const std::optional<doc::Document> stored,
         co_await deps_.store.get(collectionOf(realm.project, kIdentities), identity.id));
  CO_TRY(const std::optional<IdentityRecord> known, fromStore<IdentityRecord>(stored));
  if (known) {
    CO_TRY(std::optional<UserRecord> user, co_await users_.get(realm, known->userId));
    if (user) co_return user;
    co_return fail(ErrorCode::conflict, "the user of this identity was deleted");
  }
  const auto address = parseEmail(person.email);
  if (!person.emailVerified || !address) co_return std::nullopt;
  identity.email = address->text;
  CO_TRY(std::optional<UserRecord> user, co_await users_.byEmail(realm, address->text));
  if (!user) {
    auto added = co_await users_.addProven(realm, address->text, nameOf(person.name), deadline, local);
    if (!added && added.error().code() == ErrorCode::emailTaken) co_return fail(ErrorCode::retry, "registered since");
    CO_TRY(user, std::move(added));
  }
  CO_TRY(UserRecord linked,
         co_await link(std::move(realm), std::move(identity), *std::move(user), std::move(by), deadline));
  co_return std::optional(std::move(linked));
}

Task<UserRecord> Identities::link(Realm realm, IdentityRecord identity, UserRecord user, policy::Caller by,
                                  store::Deadline deadline) {
  identity.userId = user.id;
  CO_TRY(const std::vector<IdentityRecord> others, co_await list(realm, user.id, deadline));
  if (others.size() >= kIdentitiesPerUser) co_return fail(ErrorCode::conflict, "this user has too many identities");
  RegistrationPlan plan;
  const bool verifies = !user.emailVerified;
  if (verifies) {
    CO_TRY(plan, co_await users_.planProven(realm, user));
  }
  by.kind = realm.control ? policy::CallerKind::platform : policy::CallerKind::endUser;
  by.id = user.id.str();
  by.email = user.email;
  auto entries = deps_.auditor.entry(realm.project, "identity.link", auditActorOf(by), "users/" + user.id.str(), by.ip,
                                     by.requestId, detailsOf(identity));
  store::Write write({.deadline = deadline, .actor = actorOf(by), .bumpEpochs = {}});
  const store::Target target = write.change(targetOf(realm.project, kIdentities, identity.id));
  const store::Target owner = write.change(targetOf(realm.project, kUsers, user.id.str()));
  // The credentials from before the address was verified.
  std::vector<store::Target> earlier;
  if (verifies) {
    write.options.bumpEpochs.push_back(realm.project);
    earlier.push_back(write.change(targetOf(realm.project, kSecondFactors, user.id.str())));
    earlier.push_back(write.change(targetOf(realm.project, kChallenges, enrollmentId(user.id))));
    for (const IdentityRecord& other : others) {
      earlier.push_back(write.change(targetOf(realm.project, kIdentities, other.id)));
    }
  }
  UserChange planned = plan.addTo(write);
  write.insert(std::move(entries));
  const auto callback = [target, owner, earlier = std::move(earlier), planned = std::move(planned), verifies,
                         emailKey = user.emailKey, identity = std::move(identity)](
                            const store::PreImages& before, store::Changes& changes) -> Result<UserRecord> {
    if (before[target] || !before[owner]) return fail(ErrorCode::retry, "another sign-in linked the identity");
    TRY(UserRecord now, fromStore<UserRecord>(before[owner]->view()));
    if (now.emailKey != emailKey || now.emailVerified == verifies) {
      return fail(ErrorCode::retry, "the address changed since it was read");
    }
    if (verifies) removeCredentials(now, identity.createdAt);
    now.updatedAt = identity.createdAt;
    RETURN_IF_ERROR(planned(now, before, changes));
    changes.put(target, doc::encode(identity));
    changes.put(owner, doc::encode(now));
    for (const store::Target other : earlier) changes.remove(other);
    return now;
  };
  auto linked = co_await store::writeReturning(deps_.store, std::move(write), callback);
  if (!linked && store::indexViolation(linked.error())) {
    co_return fail(ErrorCode::retry, "the pending invitations of the address changed since they were read");
  }
  if (!linked) co_return fail(std::move(linked).error());
  if (verifies) CO_RETURN_IF_ERROR(co_await sessions_.endAll(realm, linked->id, std::nullopt, deadline));
  co_return linked;
}

Task<std::vector<IdentityRecord>> Identities::list(Realm realm, UserId user, store::Deadline deadline) {
  store::Query query =
      queryOf(collectionOf(realm.project, kIdentities), doc::Filter::equals("userId", user.str()), kPage, deadline);
  CO_TRY(const store::QueryResult found, co_await deps_.store.find(std::move(query)));
  CO_TRY(std::vector<IdentityRecord> identities, fromStore<IdentityRecord>(found.documents));
  std::ranges::sort(identities, {}, &IdentityRecord::createdAt);
  co_return identities;
}

Task<> Identities::unlink(Realm realm, std::string id, policy::Caller by, store::Deadline deadline) {
  CO_TRY(const std::vector<IdentityRecord> own, co_await list(realm, UserId(by.id), deadline));
  const auto unlinked = std::ranges::find(own, id, &IdentityRecord::id);
  if (unlinked == own.end()) co_return fail(noIdentity());
  store::Write write({.deadline = deadline, .actor = actorOf(by), .bumpEpochs = {}});
  write.insert(deps_.auditor.entry(realm.project, "identity.unlink", auditActorOf(by), "users/" + by.id, by.ip,
                                   by.requestId, detailsOf(*unlinked)));
  const store::Target target = write.change(targetOf(realm.project, kIdentities, id));
  const store::Target owner = write.hold(targetOf(realm.project, kUsers, by.id));
  std::vector<store::Target> others;
  for (const IdentityRecord& other : own) {
    if (other.id != id) others.push_back(write.hold(targetOf(realm.project, kIdentities, other.id)));
  }
  const auto callback = [target, owner, others = std::move(others)](const store::PreImages& before,
                                                                    store::Changes& changes) -> Result<> {
    if (!before[target] || !before[owner]) return fail(noIdentity());
    TRY(const UserRecord user, fromStore<UserRecord>(before[owner]->view()));
    const bool another = std::ranges::any_of(others, [&](store::Target other) { return before[other].has_value(); });
    if (user.passwordHash.empty() && !another) {
      return fail(ErrorCode::conflict, "this is the only way into the account: set a password first");
    }
    changes.remove(target);
    return {};
  };
  CO_RETURN_IF_ERROR(co_await deps_.store.write(std::move(write), callback));
  co_return Result<>();
}

}  // namespace mb::identity
