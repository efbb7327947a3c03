// The keys that sign access tokens. One signs; those before it verify the tokens that they signed until the last of
// these is over, and then go. Of a key that signs no more the public half alone is kept.
#pragma once

#include <atomic>
#include <mutex>
#include <string>
#include <vector>

#include "audit/audit.h"
#include "base/periodic_task.h"
#include "base/task_group.h"
#include "document/shape.h"
#include "identity/tokens.h"
#include "store/sealed_fields.h"
#include "store/store.h"

namespace mb::identity {

// How long a key verifies after its last signature: the life of a token, and a minute for the clocks of other
// instances, which may sign with it for another second.
inline constexpr int64_t kRetiredKeyMs = (kAccessTokenSeconds + 60) * 1000;
// Keys at one time, the one that signs included.
inline constexpr size_t kMaxSigningKeys = 10;

struct SigningKeyView {
  std::string id;  // the `kid` of its tokens
  Timestamp createdAt;
  bool signs = false;
  doc::Nullable<Timestamp> verifiesUntil;  // null while it signs
  static constexpr auto shape() {
    return doc::shape<SigningKeyView>(
        "SigningKey", doc::field("id", &SigningKeyView::id), doc::field("createdAt", &SigningKeyView::createdAt),
        doc::field("signs", &SigningKeyView::signs), doc::field("verifiesUntil", &SigningKeyView::verifiesUntil));
  }
};

// References outlive the keys.
struct SigningKeyDeps {
  store::DocumentStore& store;
  const Clock& clock;
  audit::Auditor& auditor;
  const MasterSecret& master;
};

enum class OldKeys { keep, drop };

class SigningKeys {
 public:
  // `tokens` is kept in step with what is stored.
  SigningKeys(const SigningKeyDeps& deps, Tokens& tokens) : deps_(deps), tokens_(tokens) {}

  // Makes and stores the first key where there is none: of servers that do so at the same time all end with the same.
  // Fails with internal when the keys are sealed under another secret.
  Task<> load();
  // A new key signs from the commit on; OldKeys::drop ends the others at once. Audited. Fails with conflict when there
  // are kMaxSigningKeys that verify.
  Task<std::vector<SigningKeyView>> rotate(OldKeys old, audit::AuditActor by, store::Deadline deadline);
  // Those that verify, newest first.
  Task<std::vector<SigningKeyView>> list();

  // Learns within a second what other instances changed, and removes keys that are over.
  void start(const Executor& executor, TaskGroup& tasks);
  void stop() { refreshes_.stop(); }

 private:
  Async<void> refresh();
  Task<> makeFirst();
  // One attempt; fails with retry where another rotation came first.
  Task<> rotateOnce(OldKeys old, audit::AuditActor by, store::Deadline deadline);
  Task<> removeExpired();

  const SigningKeyDeps deps_;
  Tokens& tokens_;
  PeriodicTask refreshes_;
  std::mutex mutex_;  // what is loaded later stays
  std::atomic<uint64_t> loadedEpoch_{0};
  std::atomic<int64_t> nextExpiryMs_{0};
};

// What is said where `master` does not open the stored signing keys.
inline constexpr std::string_view kOtherSecret =
    "the signing key of this data directory was sealed under another SERVICE_SECRET";
enum class SecretFit { nothingSealed, right, wrong };
// Whether `master` is what this deployment's signing key is sealed under; null is none.
Task<SecretFit> fitOf(store::DocumentStore& store, const MasterSecret* master);

// What the module has sealed (store/sealed_fields.h).
std::vector<store::SealedField> sealedFields();

}  // namespace mb::identity
