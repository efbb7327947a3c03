// A WriteJob is one write from its targets to its commit: the steps that need not suspend (docs/engine.md, "Writing").
// It lives in the frame of the coroutine that suspends between them; its destructor releases locks and latches.
#pragma once

#include <boost/container/small_vector.hpp>

#include "store/document_limits.h"
#include "store/embedded/commit.h"
#include "store/embedded/index_entries.h"
#include "store/key_locks.h"

namespace mb::store::embedded {

// The parts of the engine that a write uses.
struct WriteContext {
  Database& database;
  const Catalogue& catalogue;
  KeyLocks& documentLocks;
  KeyLocks& uniqueLocks;
  Counters& counters;
};

class WriteJob {
 public:
  // Most writes have one or two targets, whose data needs no allocation.
  template <class T>
  using SmallVector = boost::container::small_vector<T, 2>;

  explicit WriteJob(const WriteContext& context)
      : context_(context), documents_(context.documentLocks), unique_(context.uniqueLocks) {}

  // ---- called in this order
  // Finds the collections. Fails with staleCatalogue or notFound, with validation for an id without a valid size, and
  // with internal if a document to be written is named twice.
  Result<> resolve(std::vector<WriteTarget> targets);
  // Takes the collections' latches until one is not free; true if all are held.
  bool tryLatches();
  // The next latch to wait for and hold; null if all are held.
  Latch* nextLatch();
  void hold(LatchHold latch) { latches_.push_back(std::move(latch)); }
  // REQUIRES: the latches are held. Fails with staleCatalogue if the catalogue differs from the caller's versions.
  Result<> checkVersions();
  void addDocumentLocks();
  HeldStripes& documentLocks() { return documents_; }
  // False if the disk is needed and `tier` does not allow it. `keep`: adds the documents to the document cache; false
  // for a walk over all documents, which would evict others.
  Result<bool> readBefore(Tier tier, bool keep = true);
  std::span<const std::optional<doc::Document>> before() const { return {before_.data(), before_.size()}; }
  std::span<const DocumentVersion> versionsBefore() const { return {versionsBefore_.data(), versionsBefore_.size()}; }
  // Adds the changes, one per target, to the commit, except for unique entries; if `logged`, with entries of the change
  // log.
  Result<> apply(std::vector<Change> changes, const Actor& actor, bool logged = true);
  // Adds changes that Write::log() was given; they outlive the commit. Fails with notFound for a project that does not
  // exist.
  Result<> log(ProjectNo project, std::span<const ChangeEntry> changes);
  // Instead of apply(): adds the entries of the unchanged documents in one index.
  Result<> fill(IndexNo index);
  // Whether all targets are in system collections.
  bool isSystem() const;
  bool writesDocuments() const { return puts_; }
  bool changesNothing() const { return commit.empty() && claims_.empty(); }
  bool needsUniqueCheck() const { return !claims_.empty() || !releases_.empty(); }
  void addUniqueLocks();
  HeldStripes& uniqueLocks() { return unique_; }
  // Adds the unique entries to the commit. Fails with the Violation if an index refuses the write. False if the disk is
  // needed.
  Result<bool> claimUnique(Tier tier);
  // WriteOutcome::versions. Call after apply().
  std::vector<DocumentVersion> takeVersions() { return std::move(versions_); }
  // Call immediately before the commit is submitted.
  void finish(const WriteOptions& options);

  Commit commit;

 private:
  struct Target {
    CollectionHandle handle;
    CollectionRef ref;
    std::string id;
    std::string key;
    bool idIsNew = false;
    Access access = Access::write;
  };
  // A unique entry that this write must own.
  struct Claim {
    std::string key;
    std::string value;
    const Index* index;
    size_t target;
    // The document had the key before. In an index that is being filled the entry may have another owner, or none yet:
    // then it is left to the fill.
    bool onlyIfOwned = false;
  };
  // A unique entry of an index that is being filled: removed only if it is this document's, since the fill may not have
  // reached this document, and another one may own the entry.
  struct Release {
    std::string key;
    const Index* index;
    size_t target;
  };
  struct IndexMarks {
    const Index* index;
    ProjectNo project;
    uint32_t multikey;
    uint32_t truncated;
  };
  // Fails with internal if two targets with Access::write are the same document.
  Result<> checkDistinctTargets() const;
  Result<> applyOne(size_t at, const Change& change, const Actor& actor, bool logged);
  void addLogItem(ChangeEntry::Kind kind, CollectionNo collection, std::string_view id, const Actor& actor,
                  const doc::Document* before, const doc::Document* after);
  Result<> applyIndex(size_t at, const Index& index, const doc::Document* before, const doc::Document* after);
  void removeEntry(size_t at, const Index& index, std::string_view key);
  void putEntry(size_t at, const Index& index, const EntrySet& entries, size_t which, const doc::Document& document,
                bool hadKey);
  void recordTraits(const Target& target, const Index& index, const EntrySet& entries);
  void addCount(CollectionState& collection, int64_t documents, int64_t bytes);
  void addGroupCount(const CollectionHandle& handle, const doc::Document& document, int sign);
  // Adds the counter changes of a document, and the marks of its values.
  void addDerived(const CollectionHandle& handle, const doc::Document* before, const doc::Document* after);
  void addSum(CounterKey key, int64_t by);
  // Chains the document that was put last.
  void addLink(const CollectionHandle& handle);
  Result<bool> ownerOf(Tier tier, const Index& index, std::string_view key, std::string& owner);

  WriteContext context_;
  SmallVector<Target> targets_;
  SmallVector<CollectionState*> collections_;  // distinct, in the order of their latches
  SmallVector<std::optional<doc::Document>> before_;
  SmallVector<DocumentVersion> versionsBefore_;
  std::vector<DocumentVersion> versions_;
  std::vector<Change> changes_;
  std::vector<Claim> claims_;
  std::vector<Release> releases_;
  std::vector<std::string> freed_;                    // unique entries that this write removes
  std::vector<std::pair<CounterKey, int64_t>> sums_;  // the change of each counter
  std::vector<IndexMarks> marks_;
  bool puts_ = false;
  // Destroyed in reverse order: unique locks first, latches last.
  SmallVector<LatchHold> latches_;
  HeldStripes documents_;
  HeldStripes unique_;
};

}  // namespace mb::store::embedded
