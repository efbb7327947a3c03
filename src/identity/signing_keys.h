// The keys that sign access tokens. One signs; each earlier key verifies its tokens until the last of them has expired,
// and is then removed. Of a key that no longer signs only the public half is stored.
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

// How long a key verifies after its rotation: the life of a token, and a minute for clock skew of other instances,
// which may sign with it for another second.
inline constexpr int64_t kRetiredKeyMs = (kAccessTokenSeconds + 60) * 1000;
// Maximum number of keys, the one that signs included.
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
  // Keeps `tokens` in sync with the stored keys.
  SigningKeys(const SigningKeyDeps& deps, Tokens& tokens) : deps_(deps), tokens_(tokens) {}

  // Loads the keys, and creates and stores the first one if there is no key: servers that do so concurrently all get
  // the same one. Fails with internal when the keys are sealed under another secret.
  Task<> load();
  // Creates a key, which signs from the commit on; OldKeys::drop removes the others at once. Audited. Fails with
  // conflict when kMaxSigningKeys keys verify.
  Task<std::vector<SigningKeyView>> rotate(OldKeys old, audit::AuditActor by, store::Deadline deadline);
  // The keys that verify, newest first.
  Task<std::vector<SigningKeyView>> list();

  // Loads changes of other instances within a second, and removes expired keys.
  void start(const Executor& executor, TaskGroup& tasks);
  void stop() { refreshes_.stop(); }

 private:
  Async<void> refresh();
  Task<> makeFirst();
  // One attempt; fails with retry where a concurrent rotation committed first.
  Task<> rotateOnce(OldKeys old, audit::AuditActor by, store::Deadline deadline);
  Task<> removeExpired();

  const SigningKeyDeps deps_;
  Tokens& tokens_;
  PeriodicTask refreshes_;
  std::mutex mutex_;  // orders loads: the one with the later epoch wins
  std::atomic<uint64_t> loadedEpoch_{0};
  std::atomic<int64_t> nextExpiryMs_{0};
};

// The error where `master` does not open the stored signing keys.
inline constexpr std::string_view kOtherSecret =
    "the signing key of this data directory was sealed under another SERVICE_SECRET";
enum class SecretFit { nothingSealed, right, wrong };
// Whether this deployment's signing key is sealed under `master`; null means no secret.
Task<SecretFit> fitOf(store::DocumentStore& store, const MasterSecret* master);

// The sealed fields of the module (store/sealed_fields.h).
std::vector<store::SealedField> sealedFields();

}  // namespace mb::identity
