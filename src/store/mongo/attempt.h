// One run of a group: resolves, reads, evaluates and stores its writes in one transaction.
#pragma once

#include <map>
#include <set>

#include "store/chain.h"
#include "store/mongo/group.h"
#include "store/mongo/transaction.h"

namespace mb::store::mongo {

class Attempt {
 public:
  // `more`: further writes of the project wait. `takesHeads`: it writes the heads of all projects that it may move
  // before anything else, so that it is the others that lose.
  Attempt(const GroupContext& context, Connection& connection, ProjectNo project, std::span<PendingWrite* const> writes,
          bool more, bool takesHeads);

  // What became of a write; an error, or the outcome.
  struct Slot {
    explicit Slot(PendingWrite* pending) : write(pending) {}
    PendingWrite* write;
    std::optional<Error> error;
    WriteOutcome outcome;
    std::vector<std::optional<doc::Document>> before;
    std::vector<DocumentVersion> versions;
    std::vector<Change> changes;
    int wave = 0;
    bool effective = false;  // it changes something
  };

  // Commits. An error leaves nothing committed, but where CommandError::unknownCommit is set.
  Outcome<> run(Deadline deadline);
  // Of a run whose commit has an unknown outcome: whether it was committed. Settles that, since it begins another
  // transaction of the same session, after which the server refuses the older one. nullopt if the commit left nothing
  // by which that can be seen: then it moved no head.
  Outcome<std::optional<bool>> settle();
  // After run().
  std::vector<Slot>& slots() { return slots_; }
  // Makes what was committed known on this instance: states, marks, notices. Call once after a successful run().
  void publish();
  // The same where it may have been committed, or may be yet: makes this instance read again what it may have changed.
  void publishUnknown();
  bool committed() const { return committed_; }
  // The projects whose change logs grew.
  const std::map<ProjectNo, uint64_t>& positions() const { return positions_; }
  // Of a run that failed since a unique index refused a document: the write that stored it, and the target. Null if it
  // is not known.
  struct Refused {
    PendingWrite* write = nullptr;
    size_t target = 0;
    std::string index;  // the name in the catalogue; "" for the ids
  };
  const Refused& refused() const { return refused_; }
  // Whether the state of the project was found to be old.
  bool stale() const { return stale_; }

 private:
  struct Key {
    ProjectNo project;
    CollectionNo collection;
    std::string id;
    auto operator<=>(const Key&) const = default;
  };
  // A document as the transaction read it and as the writes so far leave it.
  struct TargetState {
    std::optional<doc::Document> base;
    std::optional<doc::Document> now;
    DocumentVersion baseVersion = 0;
    DocumentVersion version = 0;
    bool read = false;
    bool changed = false;
    bool held = false;  // an effective write needs it unchanged
    PendingWrite* writer = nullptr;
    size_t target = 0;
  };
  struct Count {
    int64_t documents = 0;
    int64_t bytes = 0;
  };

  static Key keyOf(const WriteTarget& target) {
    return {target.collection.project, target.collection.number, target.id};
  }

  // ---- attempt.cc
  Outcome<> resolve();
  Outcome<> takeHeads();
  Outcome<std::optional<Error>> resolveTarget(const WriteTarget& target);
  Outcome<> readTargets();
  Outcome<> readDocuments(ProjectNo project, CollectionNo collection, std::vector<std::string> ids);
  Outcome<> readLimits();
  Outcome<> checkConditions();
  // ---- attempt_evaluate.cc
  void planWaves();
  void evaluate(int wave);
  void callBack(Slot& slot);
  void apply(Slot& slot);
  Result<> applyChanges(Slot& slot);
  Result<> checkChange(const WriteTarget& target, const Slot& slot, size_t at);
  Result<> checkCounterLimits(const Slot& slot, const std::map<CounterKey, int64_t>& sums);
  std::vector<const IndexSpec*> indexesOf(const WriteTarget& target) const;
  Outcome<std::optional<Error>> configurationLimit();

  // ---- attempt_store.cc
  Outcome<> store(Deadline deadline);
  Outcome<> chainInserts();
  Outcome<> storeDocuments();
  Outcome<> storeDocumentsOf(ProjectNo project, CollectionNo collection);
  Outcome<> storeGuards();
  Outcome<> storeCounts();
  Outcome<> storeCounters();
  Outcome<> storeCatalogue();
  Outcome<> storeNotices();
  Outcome<> storeHeads();
  Outcome<> storeLog();
  void notifyListeners();
  void addDerived(const Key& key, const TargetState& held);
  void noteRefusal(const CommandError& error, const std::vector<const Key*>& keys);

  const GroupContext& context_;
  Connection& connection_;
  Transaction transaction_;
  ProjectNo project_;
  const bool more_;
  const bool takesHeads_;
  const uint64_t number_;  // of this group, in the heads that it moves
  std::vector<Slot> slots_;
  std::map<ProjectNo, ProjectStatePtr> states_;
  std::set<ProjectNo> reloaded_;
  std::map<Key, TargetState> documents_;
  std::map<CounterKey, int64_t> counters_;  // as read, of limits
  std::map<CounterKey, int64_t> reserved_;  // increases of the writes so far
  std::map<CounterKey, int64_t> sums_;      // changes of all writes
  std::map<std::pair<ProjectNo, CollectionNo>, Count> counts_;
  std::map<std::tuple<ProjectNo, CollectionNo, std::string>, Count> groupCounts_;
  std::vector<ChangeEntry> log_;
  uint64_t logBytes_ = 0;                 // of the entries
  std::vector<uint32_t> stripes_;         // of all marks
  std::vector<uint32_t> systemStripes_;   // of those in system collections
  std::vector<Key> chained_;              // inserts into chained collections, in order
  std::map<ProjectNo, uint64_t> epochs_;  // bumps; after the commit the new values
  std::map<ProjectNo, uint64_t> positions_;
  std::optional<ProjectNo> moved_;      // a project whose head holds number_
  std::optional<std::string> holder_;   // of the lease, as stored
  std::shared_ptr<ProjectState> next_;  // of a change of the catalogue
  Refused refused_;
  bool stale_ = false;
  bool needsHead_ = false;
  bool committed_ = false;
  Timestamp at_;
};

// The key of a counter, and of the count of a collection, in the database.
std::string counterId(const CounterKey& key);
// The statement that adds to a counter.
doc::Document counterStatement(const CounterKey& key, int64_t by);
// The statement that stores the head of a chain, whose id is countId() with "".
doc::Document chainStatement(const std::string& id, const ChainHead& head);
// What chainStatement() stored. Fails with internal.
Result<ChainHead> decodeChain(doc::DocumentView row);
std::string countId(ProjectNo project, CollectionNo collection, std::string_view group);
// Whether the documents of a collection are counted in each commit; else the database counts them for each call.
bool isCounted(const ProjectStates& states, CollectionNo collection);

}  // namespace mb::store::mongo
