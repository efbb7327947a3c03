#include "identity/users.h"

#include "identity/email.h"
#include "identity/records.h"
#include "identity/user_names.h"
#include "store/retry.h"

namespace mb::identity {

namespace {

constexpr size_t kMaxUserName = 200;
constexpr size_t kMaxSetupCode = 200;
constexpr size_t kMaxPasswordBytes = 1024;  // 256 code points of four bytes
constexpr int kMaxPlans = 3;
// The response to a wrong password comes at a multiple of this after the request, so that microseconds of other work do
// not show.
constexpr std::chrono::milliseconds kRefusalGrid{25};

std::chrono::steady_clock::time_point nextResponseTime(std::chrono::steady_clock::time_point begun) {
  const auto taken = std::chrono::steady_clock::now() - begun;
  return begun + (taken / kRefusalGrid + 1) * kRefusalGrid;
}

Error registrationConflict() {
  return Error(ErrorCode::conflict, "another registration committed first: try again");
}

Result<UserRecord> newRecord(const IdentityDeps& deps, const Realm& realm, std::string_view address,
                             const std::optional<std::string>& name, std::string_view password) {
  UserRecord user;
  TRY(Email email, parseEmail(address));
  TRY(doc::Nullable<std::string> given, userName(name));
  setName(user, std::move(given));
  RETURN_IF_ERROR(checkPasswordRules(password, email.text));
  user.id = deps.ids.next<UserTag>();
  user.email = std::move(email.text);
  user.emailKey = std::move(email.key);
  user.createdAt = user.updatedAt = deps.clock.now();
  if (realm.control) {
    user.platformRole = kDefaultUserRole;
    user.plan = kFreePlan;
  }
  return user;
}

}  // namespace

Error emailTaken() {
  return Error(ErrorCode::emailTaken, "this email address is registered already");
}

Result<doc::Nullable<std::string>> userName(const std::optional<std::string>& given) {
  if (!given || trimmed(*given).empty()) return doc::Nullable<std::string>{};
  TRY(std::string name, checkDisplayName(*given, "/name", kMaxUserName));
  return doc::Nullable<std::string>{std::move(name)};
}

UserView viewOf(const UserRecord& user) {
  return {.id = user.id,
          .email = user.email,
          .name = user.name,
          .emailVerified = user.emailVerified,
          .metadata = user.metadata,
          .status = user.status,
          .mfaEnabled = user.mfaEnabled,
          .platformRole = user.platformRole,
          .plan = user.plan,
          .createdAt = user.createdAt,
          .updatedAt = user.updatedAt};
}

std::string roleOf(const UserRecord& user) {
  const auto role = user.metadata.view().find("role");
  if (!role) return std::string(kDefaultUserRole);
  return role->type() == doc::BsonType::string ? std::string(role->asString()) : "";
}

Task<UserRecord> Users::registerUser(Realm realm, Registration input, TakenEmail taken, store::Deadline deadline) {
  if (input.invite && !realm.control) co_return fail(invalid("/invite", "is for users of the platform"));
  if (input.setupCode && !realm.control) co_return fail(invalid("/setupCode", "is for users of the platform"));
  if (input.setupCode && !input.setupCode->empty()) {
    CO_TRY(input.setupCode, checkDisplayName(*input.setupCode, "/setupCode", kMaxSetupCode));
  }
  Addition addition;
  addition.taken = taken;
  co_return co_await registerWith(std::move(realm), std::move(input), std::move(addition), deadline);
}

Task<UserRecord> Users::registerInvited(Registration input, store::Deadline deadline) {
  Addition addition;
  addition.invitedOnly = true;
  co_return co_await registerWith(Realm::platform(), std::move(input), std::move(addition), deadline);
}

Task<UserRecord> Users::registerWith(Realm realm, Registration input, Addition addition, store::Deadline deadline) {
  CO_TRY(UserRecord user, newRecord(deps_, realm, input.email, input.name, input.password));
  addition.password = std::move(input.password);
  addition.verify = true;
  addition.claims = {std::move(input.invite).value_or(""), std::move(input.setupCode).value_or(""), input.local};
  addition.actor = {realm.userKind(), user.id.str()};
  co_return co_await add(std::move(realm), std::move(user), std::move(addition), deadline);
}

Task<UserRecord> Users::create(Realm realm, NewUser input, policy::Caller by, store::Deadline deadline) {
  CO_TRY(UserRecord user, newRecord(deps_, realm, input.email, input.name, input.password));
  user.emailVerified = input.emailVerified.value_or(false);
  Addition addition{.password = std::move(input.password), .claims = {}, .actor = actorOf(by)};
  addition.entries = deps_.auditor.entry(realm.project, "user.created", auditActorOf(by), "users/" + user.id.str(),
                                         by.ip, by.requestId);
  co_return co_await add(std::move(realm), std::move(user), std::move(addition), deadline);
}

Task<UserRecord> Users::add(Realm realm, UserRecord user, Addition addition, store::Deadline deadline) {
  // An address that may not register is refused before it is looked up, whether or not it has an account. commitOnce()
  // plans again.
  if (realm.control && hook_ != nullptr && !addition.invitedOnly) {
    CO_RETURN_IF_ERROR(co_await hook_->plan(user, addition.claims));
  }
  CO_TRY(std::optional<UserRecord> known, co_await byEmail(realm, user.email));
  // Where a taken address is reported anyway, hashing would be wasted; where it is hidden, both cases do the same work:
  // a hash, and one commit with a mail in it.
  const bool hide = addition.taken == TakenEmail::hide;
  if (known && !hide) co_return fail(emailTaken());
  CO_TRY(user.passwordHash, co_await passwords_.hash(realm, std::move(addition.password)));
  if (known) {
    CO_RETURN_IF_ERROR(co_await notifyOwner(realm, *std::move(known), deadline));
    co_return user;
  }
  MailPart mail;
  if (addition.verify) {
    CO_TRY(mail, co_await mail_.link(realm, LinkPurpose::verifyEmail, user));
  }
  auto stored = co_await commit(realm, user, std::move(addition), mail, deadline);
  if (stored) mail_.wake(mail);
  if (!stored && hide && stored.error().code() == ErrorCode::emailTaken) co_return user;
  co_return stored;
}

Task<> Users::notifyOwner(Realm realm, UserRecord owner, store::Deadline deadline) {
  if (!mail_.mayMail(realm, owner.emailKey)) co_return Result<>();
  CO_TRY(MailPart mail, co_await mail_.addressTried(std::move(realm), std::move(owner)));
  co_return co_await mail_.commit(std::move(mail), deadline);
}

Task<RegistrationPlan> Users::planProven(Realm realm, UserRecord user, std::string invite) {
  if (!realm.control || hook_ == nullptr) co_return RegistrationPlan{};
  co_return co_await hook_->planProven(std::move(user), std::move(invite));
}

Task<std::optional<std::string>> Users::invitedAddress(std::string token) {
  if (hook_ == nullptr) co_return std::nullopt;
  co_return co_await hook_->invitedAddress(std::move(token));
}

Task<UserRecord> Users::commit(Realm realm, UserRecord user, Addition addition, MailPart mail,
                               store::Deadline deadline) {
  co_return co_await store::retryWrite(kMaxPlans, registrationConflict(),
                                       [&] { return commitOnce(realm, user, addition, mail, deadline); });
}

Task<UserRecord> Users::commitOnce(Realm realm, UserRecord user, Addition addition, MailPart mail,
                                   store::Deadline deadline) {
  RegistrationPlan plan;
  if (realm.control && hook_ != nullptr) {
    auto planned = co_await hook_->plan(user, addition.claims);
    const bool refused = planned ? !planned->byInvite : planned.error().code() == ErrorCode::forbidden;
    if (addition.invitedOnly && refused) co_return fail(badToken());
    CO_TRY(plan, std::move(planned));
  }
  std::vector<store::Insert> following;
  if (!realm.control && follower_ != nullptr) {
    CO_TRY(following, co_await follower_->userCreated(realm.project, user));
  }
  store::Write write({.deadline = deadline, .actor = std::move(addition.actor), .bumpEpochs = {}});
  const store::Target target = write.create(collectionOf(realm.project, kUsers), user.id.str());
  UserChange planned = plan.addTo(write);
  PreparedDocuments mailed = mail.addTo(write);
  write.insert(std::move(addition.entries));
  write.insert(following);
  auto stored = co_await store::writeReturning(
      deps_.store, std::move(write),
      [target, user = std::move(user), planned = std::move(planned), mailed = std::move(mailed)](
          const store::PreImages& before, store::Changes& changes) -> Result<UserRecord> {
        UserRecord record = user;
        RETURN_IF_ERROR(planned(record, before, changes));
        changes.put(target, doc::encode(record));
        if (!record.emailVerified) mailed.put(changes);
        return record;
      });
  if (stored) {
    if (plan.onCommit) plan.onCommit();
    if (!following.empty()) follower_->committed(store::idsOf(following));
    co_return stored;
  }
  const Violation* violation = store::indexViolation(stored.error());
  if (!violation) co_return stored;
  co_return fail(violation->target == target.position() ? emailTaken() : registrationConflict());
}

Task<UserRecord> Users::checkPassword(Realm realm, Credentials input, policy::Caller by, std::string method) {
  const auto begun = std::chrono::steady_clock::now();
  FailedLogin failed{std::move(method), "", shortened(input.email), {}};
  auto user = co_await verifyPassword(realm, std::move(input));
  if (user) co_return user;
  failed.reason = refusalOf(user.error().code());
  if (!failed.reason.empty()) co_await noteFailedLogin(deps_, std::move(realm), std::move(failed), std::move(by));
  // A known address took one more read of a record.
  if (user.error().code() == ErrorCode::invalidCredentials) co_await sleepUntil(nextResponseTime(begun));
  co_return user;
}

Async<void> Users::noteFailed(Realm realm, FailedLogin login, policy::Caller by) {
  return noteFailedLogin(deps_, std::move(realm), std::move(login), std::move(by));
}

Task<UserRecord> Users::verifyPassword(Realm realm, Credentials input) {
  const std::string key = emailKey(input.email);
  const std::string account = accountOf(realm, key);
  CO_RETURN_IF_ERROR(guard_.begin(account));
  auto user = co_await byEmail(realm, input.email);
  if (!user) {
    guard_.refundAttempt(account);
    co_return fail(std::move(user).error());
  }
  std::string encoded = *user && input.password.size() <= kMaxPasswordBytes ? (*user)->passwordHash : "";
  input.password.resize(std::min(input.password.size(), kMaxPasswordBytes));
  const auto right = co_await passwords_.verify(realm, std::move(encoded), std::move(input.password));
  if (!right) {
    guard_.refundAttempt(account);
    co_return fail(right.error().clone());
  }
  if (!*right) co_return fail(ErrorCode::invalidCredentials, "the email or the password is wrong");
  guard_.refundAttempt(account);
  if ((*user)->status == kStatusBlocked) co_return fail(ErrorCode::userBlocked, "this user is blocked");
  if (!(*user)->active()) co_return fail(ErrorCode::userInactive, "this user is not active");
  co_return *std::move(*user);
}

void Users::forgiveLogins(const Realm& realm, std::string_view emailKey) {
  guard_.clear(accountOf(realm, emailKey));
}

Task<std::optional<UserRecord>> Users::byKey(Realm realm, std::string emailKey) {
  store::Query query =
      queryOf(collectionOf(realm.project, kUsers), doc::Filter::equals("emailKey", emailKey), 1, readDeadline());
  CO_TRY(const store::QueryResult found, co_await deps_.store.find(std::move(query)));
  if (found.documents.empty()) co_return std::nullopt;
  CO_TRY(UserRecord user, fromStore<UserRecord>(found.documents.front().view()));
  co_return user;
}

Task<std::optional<UserRecord>> Users::byEmail(Realm realm, std::string email) {
  for (std::string& key : storedEmailKeys(email)) {
    CO_TRY(std::optional<UserRecord> user, co_await byKey(realm, std::move(key)));
    if (user) co_return user;
  }
  co_return std::nullopt;
}

Task<std::optional<UserRecord>> Users::get(Realm realm, UserId id) {
  if (!isId(UserTag::prefix, id.str())) co_return std::nullopt;
  CO_TRY(const std::optional<doc::Document> stored,
         co_await deps_.store.get(collectionOf(realm.project, kUsers), id.str()));
  co_return fromStore<UserRecord>(stored);
}

Task<std::vector<std::optional<UserRecord>>> Users::getMany(Realm realm, std::vector<UserId> ids) {
  std::vector<std::string> texts;
  for (const UserId& id : ids) texts.push_back(id.str());
  CO_TRY(const std::vector<std::optional<doc::Document>> stored,
         co_await deps_.store.getMany(collectionOf(realm.project, kUsers), std::move(texts)));
  std::vector<std::optional<UserRecord>> users;
  for (const auto& document : stored) {
    CO_TRY(std::optional<UserRecord> user, fromStore<UserRecord>(document));
    users.push_back(std::move(user));
  }
  co_return users;
}

Task<std::vector<UserRecord>> Users::list(Realm realm, uint64_t skip, uint64_t limit, store::Deadline deadline) {
  store::Query query = queryOf(collectionOf(realm.project, kUsers), doc::Filter(), limit, deadline);
  query.skip = skip;
  CO_TRY(const store::QueryResult found, co_await deps_.store.find(std::move(query)));
  co_return fromStore<UserRecord>(found.documents);
}

}  // namespace mb::identity
