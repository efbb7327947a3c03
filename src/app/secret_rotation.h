// Changing the deployment's secret: everything that is sealed under it is sealed anew, while no server runs.
//
//   prepare   beside each sealed value stands the same one sealed under the new secret
//   decide    one commit, from which on the new secret counts
//   promote   the new values take the place of the old ones
//
// A crash before decide() leaves the old secret in force, after it the new one; what is left to promote then is done at
// the next start (recoverSecretRotation). Neither secret is ever stored under the other.
#pragma once

#include <filesystem>
#include <optional>

#include "base/cores.h"
#include "base/crypto.h"
#include "base/progress.h"
#include "store/sealed_fields.h"
#include "store/store.h"

namespace mb::app {

// In the data directory: the secret that is about to be its own.
inline constexpr std::string_view kNextSecretFile = "secret.new";
// ... and where a new one was made for a deployment that has its secret elsewhere.
inline constexpr std::string_view kMadeSecretFile = "new-secret";

store::SystemCollection secretChangeCollection();

// What of all modules is sealed.
std::vector<store::SealedField> sealedFields();

// `document` of a system collection, with what is sealed in it bound to the project `to` in place of `from`. Values
// that `master` does not open stay as they are.
doc::Document boundTo(doc::DocumentView document, store::CollectionNo collection, const MasterSecret& master,
                      std::string_view from, std::string_view to);

struct Resealed {
  uint64_t values = 0;
  uint64_t unreadable = 0;  // sealed under yet another secret; left as they are

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

  // Fails with unavailable when it was stopped. What it wrote is nothing to anybody without decide().
  Result<Resealed> prepare(const MasterSecret& from, const MasterSecret& to);
  Result<> decide(const MasterSecret& to, Timestamp now, std::vector<store::Insert> extraInserts);
  Result<> promote();

  // Whether a change was decided and is still to be promoted; then whether `master` is the new secret.
  enum class Open { none, fits, fitsNot };
  Result<Open> open(const MasterSecret* master);

 private:
  struct Place {
    store::CollectionRef collection;
    std::string project;
  };
  // What becomes of a document (nullopt: it stays as it is), and what of it was resealed.
  struct Edited {
    std::optional<doc::Document> document = {};
    Resealed counts = {};
  };
  // A write may run it several times on one document, so it has no side effects.
  using Edit = std::function<Edited(const Place& place, doc::DocumentView document)>;
  Result<std::vector<Place>> places();
  // Puts what `edit` makes of each document that may hold something sealed. Returns the sum of the counts.
  Result<Resealed> editAll(std::string_view step, bool stoppable, const Edit& edit);
  Result<Resealed> editPage(const Place& place, const std::vector<doc::Document>& page, const Edit& edit);

  store::DocumentStore& store_;
  Cores& cores_;
  const std::vector<store::SealedField> fields_;
  Progress& progress_;
};

// Makes the secret in kNextSecretFile the directory's own.
Result<> promoteNextSecret(const std::filesystem::path& directory);

// Brings a change that was interrupted after it was decided to its end. Fails with the line to show where the secret at
// hand is the one before it.
Result<> recoverSecretRotation(store::DocumentStore& store, Cores& cores, const std::optional<Secret>& given,
                               const std::filesystem::path& directory);
// The secret to serve with, a new one where nothing was ever sealed and none is given. Fails with the line to show,
// having changed nothing, where it is not the one that this deployment's data is sealed under.
Result<MasterSecret> rightSecret(store::DocumentStore& store, Cores& cores, const std::optional<Secret>& given,
                                 const std::filesystem::path& directory);

}  // namespace mb::app
