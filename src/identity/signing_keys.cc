#include "identity/signing_keys.h"

#include <algorithm>

#include "identity/records.h"

namespace mb::identity {

namespace {

// The first key's document has this id, so that two servers cannot both make one.
constexpr std::string_view kFirstKeyId = "key-1";
constexpr std::string_view kSealContext = "signing-key";

struct SigningKeyRecord {
  std::string id;
  std::string kid;
  std::string sealedPem;  // base64
  Timestamp createdAt;
  static constexpr auto shape() {
    return doc::shape<SigningKeyRecord>(
        "SigningKeyRecord", doc::field("id", &SigningKeyRecord::id), doc::field("kid", &SigningKeyRecord::kid),
        doc::field("sealedPem", &SigningKeyRecord::sealedPem), doc::field("createdAt", &SigningKeyRecord::createdAt));
  }
};

Result<SigningKey> open(const IdentityDeps& deps, const SigningKeyRecord& record) {
  TRY(const std::string sealed, fromBase64(record.sealedPem));
  auto pem = deps.master.unseal(sealed, kSealContext);
  if (!pem) {
    return fail(
        Error(ErrorCode::internal, "the signing key of this data directory was sealed under another SERVICE_SECRET")
            .withCause(pem.error().cause()));
  }
  return SigningKey::fromPem(pem->reveal());
}

Task<> makeFirst(const IdentityDeps& deps) {
  const SigningKey key = SigningKey::generate();
  const SigningKeyRecord record{.id = std::string(kFirstKeyId),
                                .kid = key.keyId(),
                                .sealedPem = toBase64(deps.master.seal(key.toPem(), kSealContext)),
                                .createdAt = deps.clock.now()};
  doc::Document stored = doc::encode(record);
  store::Judge judge = [stored = std::move(stored)](auto before) mutable -> Result<std::vector<store::Change>> {
    std::vector<store::Change> changes;
    changes.push_back(before[0] ? store::Change::keep() : store::Change::put(std::move(stored)));
    return changes;
  };
  std::vector<store::WriteTarget> targets{targetOf(store::kControlProject, kSigningKeys, record.id)};
  store::WriteOptions options{.deadline = readDeadline(), .actor = {"server", ""}, .bumpEpochs = {}};
  CO_CHECK(co_await deps.store.write(std::move(targets), std::move(judge), std::move(options)));
  co_return Result<>();
}

}  // namespace

Task<> loadSigningKeys(const IdentityDeps& deps, Tokens& tokens) {
  const store::CollectionRef collection = collectionOf(store::kControlProject, kSigningKeys);
  CO_TRY(std::vector<doc::Document> stored, co_await allOf(deps.store, collection));
  if (stored.empty()) {
    CO_CHECK(co_await makeFirst(deps));
    CO_TRY(stored, co_await allOf(deps.store, collection));
  }
  CO_TRY(std::vector<SigningKeyRecord> records, fromStore<SigningKeyRecord>(stored));
  std::sort(records.begin(), records.end(),
            [](const SigningKeyRecord& a, const SigningKeyRecord& b) { return a.createdAt < b.createdAt; });
  for (const SigningKeyRecord& record : records) {
    CO_TRY(SigningKey key, open(deps, record));
    tokens.addKey(std::move(key));
  }
  co_return Result<>();
}

}  // namespace mb::identity
