// One write from its targets to its commit: the steps of engine.md 1, those that need no waiting as plain functions. It
// lives in the frame of the coroutine that waits between them, and gives back locks and latches when it goes.
#pragma once

#include <boost/container/small_vector.hpp>

#include "store/embedded/commit.h"
#include "store/embedded/index_entries.h"
#include "store/embedded/key_locks.h"

namespace mb::store::embedded {

inline constexpr size_t kMaxDocument = 1 << 20;
inline constexpr size_t kMaxSystemDocument = 2 << 20;
inline constexpr size_t kMaxId = 1024;

// What a write needs of the engine.
struct WriteContext {
  Database& database;
  const Catalogue& catalogue;
  KeyLocks& documentLocks;
  KeyLocks& uniqueLocks;
  Counters& counters;
};

class WriteJob {
 public:
  // Most writes have one target, or two: what is kept for each lies in the job itself.
  template <class T>
  using SmallVector = boost::container::small_vector<T, 2>;

  explicit WriteJob(const WriteContext& context)
      : context_(context), documents_(context.documentLocks), unique_(context.uniqueLocks) {}

  // ---- in this order
  // Finds the collections. Fails with staleCatalogue or notFound.
  Result<> resolve(std::vector<WriteTarget> targets);
  // Holds the collections' latches as far as they are free; true when all are held.
  bool tryLatches();
  // The latch to be waited for, and held, next; null when all are.
  Latch* nextLatch();
  void hold(LatchHold latch) { latches_.push_back(std::move(latch)); }
  // Under the latches: the catalogue is still what the caller knows.
  Result<> checkVersions();
  void addDocumentLocks();
  HeldStripes& documentLocks() { return documents_; }
  // False when the disk would be needed and `tier` does not allow it. What is read is kept in the cache of documents
  // where `keep`: a walk over all of them would push out what is asked for.
  Result<bool> readBefore(Tier tier, bool keep = true);
  std::span<const std::optional<doc::Document>> before() const { return {before_.data(), before_.size()}; }
  // Turns the changes, one for each target, into the commit, but for unique entries; with entries of the change log
  // where `logged`.
  Result<> apply(std::vector<Change> changes, const Actor& actor, bool logged = true);
  // In place of apply(): the entries of the documents, as they are, in one index.
  Result<> fill(IndexNo index);
  // Whether all targets are records of the service itself.
  bool isSystem() const;
  bool writesDocuments() const { return puts_; }
  bool changesNothing() const { return commit.empty() && claims_.empty(); }
  bool needsUniqueCheck() const { return !claims_.empty() || !releases_.empty(); }
  void addUniqueLocks();
  HeldStripes& uniqueLocks() { return unique_; }
  // Adds the unique entries to the commit. Fails with the Violation where an index refuses. False: the disk would be
  // needed.
  Result<bool> claimUnique(Tier tier);
  // Immediately before the commit is handed over.
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
  // A unique entry that this write wants to own.
  struct Claim {
    std::string key;
    std::string value;
    const Index* index;
    size_t target;
    // The document had the key before. Of an index still being filled another document may own the entry, or nobody
    // yet: then it stays as it is, and the fill decides.
    bool onlyIfOwned = false;
  };
  // A unique entry of an index still being filled: removed only if it is this document's, since the fill may not have
  // come to it, and another document may own it by now.
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
  // Fails with internal where two targets that may be changed are one document.
  Result<> refuseTwice() const;
  Result<> applyOne(size_t at, const Change& change, const Actor& actor, bool logged);
  Result<> applyIndex(size_t at, const Index& index, const doc::Document* before, const doc::Document* after);
  void removeEntry(size_t at, const Index& index, std::string_view key);
  void putEntry(size_t at, const Index& index, const EntrySet& entries, size_t which, const doc::Document& document,
                bool hadKey);
  void noteMarks(const Target& target, const Index& index, const EntrySet& entries);
  void addCount(CollectionState& collection, int64_t documents, int64_t bytes);
  void addTally(const CollectionHandle& handle, const doc::Document& document, int sign);
  // What the document was and is counts for, and the marks of its values.
  void addDerived(const CollectionHandle& handle, const doc::Document* before, const doc::Document* after);
  void addSum(CounterKey key, int64_t by);
  // The document that was put last takes its place in the chain.
  void addLink(const CollectionHandle& handle);
  Result<bool> ownerOf(Tier tier, const Index& index, std::string_view key, std::string& owner);

  WriteContext context_;
  SmallVector<Target> targets_;
  SmallVector<CollectionState*> collections_;  // distinct, in the order in which their latches are taken
  SmallVector<std::optional<doc::Document>> before_;
  std::vector<Change> changes_;
  std::vector<Claim> claims_;
  std::vector<Release> releases_;
  std::vector<std::string> freed_;                    // unique entries that this write removes
  std::vector<std::pair<CounterKey, int64_t>> sums_;  // by how much it moves each counter
  std::vector<IndexMarks> marks_;
  bool puts_ = false;
  // Given back in the opposite order.
  SmallVector<LatchHold> latches_;
  HeldStripes documents_;
  HeldStripes unique_;
};

}  // namespace mb::store::embedded
