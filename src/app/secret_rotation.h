// Rotates the deployment's secret: everything that is sealed under it is resealed, while no server runs.
//
//   prepare   stores next to each sealed value the same value sealed under the new secret
//   decide    one commit, from which on the new secret is in force
//   promote   replaces the old values by the new ones
//
// A crash before decide() leaves the old secret in force, after it the new one; the next start completes the promotion
// (recoverSecretRotation). Neither secret is ever stored under the other.
#pragma once

#include <filesystem>
#include <optional>

#include "base/cores.h"
#include "base/crypto.h"
#include "base/progress.h"
#include "store/sealed_fields.h"
#include "store/store.h"

namespace mb::app {

// In the data directory: the next secret, before it becomes the directory's own.
inline constexpr std::string_view kNextSecretFile = "secret.new";
// In the data directory: a secret created for a deployment that configures its secret elsewhere.
inline constexpr std::string_view kMadeSecretFile = "new-secret";

store::SystemCollection secretChangeCollection();

// The sealed fields of all modules.
std::vector<store::SealedField> sealedFields();

// What the sealed values of a document are sealed under, and bound to.
struct Sealing {
  const MasterSecret& master;
  std::string_view project;  // its id, "" in the control project
  doc::DocumentView document;
};

// A document, and how many of its sealed values did not open and are unchanged.
struct ResealedDocument {
  doc::Document document;
  uint64_t unreadable = 0;
};

// The document of `to`, of a system collection, with its values sealed as `to` says; they are sealed as `from` says.
ResealedDocument resealedAs(store::CollectionNo collection, const Sealing& from, const Sealing& to);

struct Resealed {
  uint64_t values = 0;
  uint64_t unreadable = 0;  // sealed under another secret; left unchanged

  Resealed& operator+=(const Resealed& other) {
    values += other.values;
    unreadable += other.unreadable;
    return *this;
  }
};

// Blocks; never on a core. References outlive it.
class SecretRotation {
 public:
  SecretRotation(store::DocumentStore& store, Cores& cores, std::vector<store::SealedField> fields, Progress& progress)
      : store_(store), cores_(cores), fields_(std::move(fields)), progress_(progress) {}

  // Fails with unavailable when it was stopped. The values that it wrote have no effect without decide().
  Result<Resealed> prepare(const MasterSecret& from, const MasterSecret& to);
  Result<> decide(const MasterSecret& to, Timestamp now, std::vector<store::Insert> extraInserts);
  Result<> promote();

  // Whether a rotation was decided and is not promoted yet; if so, whether `master` is the new secret.
  enum class Open { none, fits, fitsNot };
  Result<Open> open(const MasterSecret* master);

 private:
  struct SealedCollection {
    store::CollectionRef collection;
    std::string project;
  };
  // The changed document (nullopt: unchanged), and the count of its resealed values.
  struct Edited {
    std::optional<doc::Document> document = {};
    Resealed counts = {};
  };
  // A write may call it several times for one document, so it must have no side effects.
  using Edit = std::function<Edited(const SealedCollection& place, doc::DocumentView document)>;
  Result<std::vector<SealedCollection>> sealedCollections();
  // Writes the result of `edit` for each document that may hold sealed values. Returns the sum of the counts.
  Result<Resealed> editAll(std::string_view step, bool stoppable, const Edit& edit);
  Result<Resealed> editPage(const SealedCollection& place, const std::vector<doc::Document>& page, const Edit& edit);

  store::DocumentStore& store_;
  Cores& cores_;
  const std::vector<store::SealedField> fields_;
  Progress& progress_;
};

// Makes the secret in kNextSecretFile the directory's own.
Result<> promoteNextSecret(const std::filesystem::path& directory);

// Completes a rotation that was interrupted after it was decided. Fails with a message to print where the available
// secret is the earlier one.
Result<> recoverSecretRotation(store::DocumentStore& store, Cores& cores, const std::optional<Secret>& given,
                               const std::filesystem::path& directory);
// The secret to serve with; a new one where nothing was ever sealed and none is given. Fails with a message to print,
// without any change, where it does not open this deployment's data.
Result<MasterSecret> rightSecret(store::DocumentStore& store, Cores& cores, const std::optional<Secret>& given,
                                 const std::filesystem::path& directory);

}  // namespace mb::app
