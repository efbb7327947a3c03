#include "identity/signing_keys.h"

#include <algorithm>
#include <limits>

#include "base/log.h"
#include "identity/records.h"
#include "store/record_pages.h"
#include "store/retry.h"

namespace mb::identity {

namespace {

// The first key's document has this id, so that two servers cannot both create one; later ones have their kid as id.
constexpr std::string_view kFirstKeyId = "key-1";
constexpr std::string_view kSealContext = "signing-key";
constexpr int kMaxRotationRaces = 3;
constexpr auto kTick = std::chrono::milliseconds(250);
constexpr auto kAfterFailure = std::chrono::seconds(1);

struct SigningKeyRecord {
  std::string id;
  std::string kid;
  std::optional<std::string> sealedPem;  // base64; of the key that signs
  std::optional<std::string> x;          // base64url; of retired keys
  std::optional<std::string> y;
  Timestamp createdAt;
  std::optional<Timestamp> verifiesUntil;  // of retired keys
  static constexpr auto shape() {
    return doc::shape<SigningKeyRecord>(
        "SigningKeyRecord", doc::field("id", &SigningKeyRecord::id), doc::field("kid", &SigningKeyRecord::kid),
        doc::field("sealedPem", &SigningKeyRecord::sealedPem), doc::field("x", &SigningKeyRecord::x),
        doc::field("y", &SigningKeyRecord::y), doc::field("createdAt", &SigningKeyRecord::createdAt),
        doc::field("verifiesUntil", &SigningKeyRecord::verifiesUntil));
  }
  bool signs() const { return sealedPem.has_value(); }
};

Result<SigningKey> open(const MasterSecret& master, const SigningKeyRecord& record) {
  TRY(const std::string sealed, fromBase64(*record.sealedPem));
  auto pem = master.unseal(sealed, kSealContext);
  if (!pem) return fail(Error(ErrorCode::internal, std::string(kOtherSecret)).withCause(pem.error().cause()));
  return SigningKey::fromPem(pem->reveal());
}

SigningKeyRecord recordOf(const MasterSecret& master, const SigningKey& key, std::string id, Timestamp now) {
  SigningKeyRecord record;
  record.id = std::move(id);
  record.kid = key.keyId();
  record.sealedPem = toBase64(master.seal(key.toPem(), kSealContext));
  record.createdAt = now;
  return record;
}

// Removes the private half of the key from its record.
void retire(SigningKeyRecord& record, const SigningKey& key, Timestamp until) {
  const auto [x, y] = key.publicPoint();
  record.x = toBase64Url(x);
  record.y = toBase64Url(y);
  record.sealedPem.reset();
  record.verifiesUntil = until;
}

Result<RetiredKey> retiredKey(const SigningKeyRecord& record) {
  if (!record.x || !record.y || !record.verifiesUntil) {
    return fail(Error(ErrorCode::internal, "a stored signing key is not valid").withCause(record.id));
  }
  TRY(std::string x, fromBase64Url(*record.x));
  TRY(std::string y, fromBase64Url(*record.y));
  return RetiredKey{record.kid, std::move(x), std::move(y), *record.verifiesUntil};
}

// All stored keys: first the one that signs, then the others, newest first.
Task<std::vector<SigningKeyRecord>> stored(store::DocumentStore& store) {
  CO_TRY(const std::vector<doc::Document> documents,
         co_await store::allRecords(store, collectionOf(store::kControlProject, kSigningKeys)));
  CO_TRY(std::vector<SigningKeyRecord> records, fromStore<SigningKeyRecord>(documents));
  std::ranges::sort(records, [](const SigningKeyRecord& a, const SigningKeyRecord& b) {
    return std::pair(a.signs(), a.createdAt) > std::pair(b.signs(), b.createdAt);
  });
  co_return records;
}

std::vector<SigningKeyView> viewsOf(const std::vector<SigningKeyRecord>& records, Timestamp now) {
  std::vector<SigningKeyView> views;
  for (const SigningKeyRecord& record : records) {
    if (record.verifiesUntil && *record.verifiesUntil <= now) continue;
    views.push_back({record.kid, record.createdAt, record.signs(), {record.verifiesUntil}});
  }
  return views;
}

store::WriteTarget keyTarget(std::string id) {
  return targetOf(store::kControlProject, kSigningKeys, std::move(id));
}

Error anotherRotation() {
  return Error(ErrorCode::conflict, "the keys were rotated by another request: try again");
}

doc::Document detailsOf(const SigningKeyRecord& before, OldKeys old) {
  doc::BsonWriter out;
  out.appendString("before", before.kid);
  out.appendBool("dropped", old == OldKeys::drop);
  return out.finish();
}

}  // namespace

Task<SecretFit> fitOf(store::DocumentStore& store, const MasterSecret* master) {
  CO_TRY(const std::vector<SigningKeyRecord> records, co_await stored(store));
  if (records.empty() || !records.front().signs()) co_return SecretFit::nothingSealed;
  CO_TRY(const std::string sealed, fromBase64(*records.front().sealedPem));
  co_return master != nullptr && master->unseal(sealed, kSealContext) ? SecretFit::right : SecretFit::wrong;
}

Task<> SigningKeys::makeFirst() {
  const SigningKeyRecord record =
      recordOf(deps_.master, SigningKey::generate(), std::string(kFirstKeyId), deps_.clock.now());
  store::Write write({.deadline = readDeadline(), .actor = {store::ActorKind::server, ""}, .bumpEpochs = {}});
  const store::Target target = write.change(keyTarget(record.id));
  CO_RETURN_IF_ERROR(co_await deps_.store.write(
      std::move(write),
      [target, made = doc::encode(record)](const store::PreImages& before, store::Changes& changes) -> Result<> {
        if (!before[target]) changes.put(target, made);
        return {};
      }));
  co_return Result<>();
}

Task<> SigningKeys::load() {
  // Read before the keys, so that a change in between is loaded next time.
  const uint64_t epoch = deps_.store.epoch(store::kControlProject).value;
  CO_TRY(std::vector<SigningKeyRecord> records, co_await stored(deps_.store));
  if (records.empty()) {
    CO_RETURN_IF_ERROR(co_await makeFirst());
    CO_TRY(records, co_await stored(deps_.store));
  }
  if (!records.front().signs()) co_return fail(ErrorCode::internal, "the store has no signing key");
  CO_TRY(SigningKey signer, open(deps_.master, records.front()));
  const Timestamp now = deps_.clock.now();
  std::vector<RetiredKey> retired;
  int64_t nextExpiry = std::numeric_limits<int64_t>::max();
  for (const SigningKeyRecord& record : records) {
    if (record.signs()) continue;
    CO_TRY(RetiredKey key, retiredKey(record));
    nextExpiry = std::min(nextExpiry, key.until.ms);
    if (key.until > now) retired.push_back(std::move(key));
  }
  const std::lock_guard lock(mutex_);
  // A load that started later has finished first.
  if (epoch < loadedEpoch_) co_return Result<>();
  loadedEpoch_ = epoch;
  nextExpiryMs_ = nextExpiry;
  co_return tokens_.setKeys(std::move(signer), retired);
}

Task<std::vector<SigningKeyView>> SigningKeys::list() {
  CO_TRY(const std::vector<SigningKeyRecord> records, co_await stored(deps_.store));
  co_return viewsOf(records, deps_.clock.now());
}

Task<std::vector<SigningKeyView>> SigningKeys::rotate(OldKeys old, audit::AuditActor by, store::Deadline deadline) {
  CO_RETURN_IF_ERROR(
      co_await store::retryWrite(kMaxRotationRaces, anotherRotation(), [&] { return rotateOnce(old, by, deadline); }));
  CO_RETURN_IF_ERROR(co_await load());
  co_return co_await list();
}

Task<> SigningKeys::rotateOnce(OldKeys old, audit::AuditActor by, store::Deadline deadline) {
  // A process that cannot open the keys must not add one: it would be sealed under a secret that no other server has.
  CO_RETURN_IF_ERROR(co_await load());
  CO_TRY(const std::vector<SigningKeyRecord> records, co_await stored(deps_.store));
  const SigningKeyRecord& signer = records.front();
  if (!signer.signs()) co_return fail(ErrorCode::retry, "the keys are being rotated");
  const Timestamp now = deps_.clock.now();
  const std::vector<SigningKeyView> verifying = viewsOf(records, now);
  if (old == OldKeys::keep && verifying.size() >= kMaxSigningKeys) {
    co_return fail(ErrorCode::conflict,
                   fmt::format("{} keys verify tokens already, the first of them until {}: wait, or remove them now "
                               "with --drop-old",
                               verifying.size(), toRfc3339(*verifying.back().verifiesUntil.value)));
  }
  CO_TRY(const SigningKey before, open(deps_.master, signer));
  const SigningKey made = SigningKey::generate();
  const SigningKeyRecord next =
      recordOf(deps_.master, made, made.keyId(), std::max(now, Timestamp{signer.createdAt.ms + 1}));
  SigningKeyRecord retired = signer;
  retire(retired, before, {now.ms + kRetiredKeyMs});
  store::Write write(
      {.deadline = deadline, .actor = {store::actorKindOf(by.kind), by.id}, .bumpEpochs = {store::kControlProject}});
  const store::Target earlier = write.change(keyTarget(signer.id));
  const store::Target added = write.change(keyTarget(next.id));
  std::vector<store::Target> over;
  for (const SigningKeyRecord& record : records) {
    const bool ends = record.verifiesUntil && (*record.verifiesUntil <= now || old == OldKeys::drop);
    if (ends) over.push_back(write.change(keyTarget(record.id)));
  }
  write.insert(deps_.auditor.entry(store::kControlProject, "signingKey.rotate", by, "signing-keys/" + next.kid, "", "",
                                   detailsOf(signer, old)));
  CO_RETURN_IF_ERROR(co_await deps_.store.write(
      std::move(write),
      [earlier, added, over = std::move(over), old, retired = doc::encode(retired), next = doc::encode(next)](
          const store::PreImages& held, store::Changes& changes) -> Result<> {
        TRY(const std::optional<SigningKeyRecord> still, fromStore<SigningKeyRecord>(held[earlier]));
        if (!still || !still->signs()) return fail(ErrorCode::retry, "the keys were rotated concurrently");
        if (old == OldKeys::drop) {
          changes.remove(earlier);
        } else {
          changes.put(earlier, retired);
        }
        changes.put(added, next);
        for (const store::Target target : over) changes.remove(target);
        return {};
      }));
  co_return Result<>();
}

void SigningKeys::start(const Executor& executor, TaskGroup& tasks) {
  refreshes_.start(executor, tasks, {.interval = kTick}, [this] { return refresh(); });
}

Async<void> SigningKeys::refresh() {
  const bool over = deps_.clock.now().ms >= nextExpiryMs_;
  if (!over && deps_.store.epoch(store::kControlProject) == loadedEpoch_) co_return;
  Result<> refreshed;
  if (over) refreshed = co_await removeExpired();
  if (refreshed) refreshed = co_await load();
  if (refreshed) co_return;
  logWarn("reading the signing keys failed; retrying", {{"error", refreshed.error().message()}});
  co_await sleepFor(kAfterFailure);
}

Task<> SigningKeys::removeExpired() {
  CO_TRY(const std::vector<SigningKeyRecord> records, co_await stored(deps_.store));
  const Timestamp now = deps_.clock.now();
  store::Write write({.deadline = readDeadline(), .actor = {store::ActorKind::server, ""}, .bumpEpochs = {}});
  std::vector<store::Target> over;
  for (const SigningKeyRecord& record : records) {
    if (record.verifiesUntil && *record.verifiesUntil <= now) over.push_back(write.change(keyTarget(record.id)));
  }
  if (over.empty()) co_return Result<>();
  CO_RETURN_IF_ERROR(co_await deps_.store.write(std::move(write), store::removing(std::move(over))));
  co_return Result<>();
}

// ---- sealed fields

std::vector<store::SealedField> sealedFields() {
  using Form = store::SealedField::Form;
  return {
      {kSigningKeys, "sealedPem", Form::base64,
       [](std::string_view, doc::DocumentView) { return std::string(kSealContext); }},
      {kSecondFactors, "secret", Form::base64,
       [](std::string_view, doc::DocumentView factor) { return std::string(factor.stringOr("id")); }},
      {kChallenges, "secret", Form::base64,
       [](std::string_view, doc::DocumentView challenge) { return std::string(challenge.stringOr("userId")); }},
      {kOauthConfig, "secret", Form::base64,
       [](std::string_view project, doc::DocumentView provider) {
         return std::string(project) + "/" + std::string(provider.stringOr("id"));
       }},
  };
}

}  // namespace mb::identity
