// The state that commits change in addition to their documents and index entries: counts, chains, log positions,
// counters, marks, epochs, notices. One class for each kind; the commit thread takes them all through the same steps:
//
//   reset()       forgets the last group
//   add(commit)   accounts for a commit, in the order of the group, and assigns what is totally ordered
//   write(batch)  adds the rows of the group, after the commits' own operations
//   publish()     makes the group visible: it is durable
//
// A commit that is refused is never added, and a group that cannot be written ends the process, so no step undoes one.
// Used by the commit thread only, unless marked otherwise.
#pragma once

#include <map>
#include <span>
#include <vector>

#include "base/id.h"
#include "store/embedded/commit.h"
#include "store/embedded/group_batch.h"
#include "store/embedded/index_entries.h"
#include "store/marks.h"

namespace mb::store::embedded {

// The parts that are updated or notified once commits are durable.
struct CommitObservers {
  Counters& counters;
  Marks& marks;
  const Notices& notices;
  const FeedListeners& listeners;
};

// A list of the states that a group changes. `group` is the member of a state with the last group that changed it; it
// belongs to one list.
template <class State, uint64_t State::* group>
class ChangedStates {
 public:
  void reset() {
    ++number_;
    states_.clear();
  }
  // False if the group has changed it before.
  bool add(State& state) {
    if (std::exchange(state.*group, number_) == number_) return false;
    states_.push_back(&state);
    return true;
  }
  bool empty() const { return states_.empty(); }
  auto begin() const { return states_.begin(); }
  auto end() const { return states_.end(); }

 private:
  uint64_t number_ = 0;  // of the group
  std::vector<State*> states_;
};

// The steps that a kind does not need.
struct DerivedKind {
  void reset() {}
  void add(Commit&) {}
  void write(GroupBatch&) {}
  void publish() {}
};

// A kind that keeps the states that a group changes.
template <class State, uint64_t State::* group>
class KindOfStates : public DerivedKind {
 public:
  void reset() { changed_.reset(); }

 protected:
  ChangedStates<State, group> changed_;
};

// A kind that keeps the commits of a group that concern it.
template <class Part>
class KindOfCommits : public DerivedKind {
 public:
  void reset() { commits_.clear(); }

 protected:
  std::vector<Part*> commits_;
};

// Documents and bytes of collections, the time of their last write, and the size of a project's schemas.
class CountUpdates : public KindOfStates<CollectionState, &CollectionState::group> {
 public:
  explicit CountUpdates(const Clock& clock) : clock_(clock) {}
  void reset();
  void add(const Commit& commit);
  void write(GroupBatch& batch);
  void publish();

 private:
  const Clock& clock_;
  int64_t nowMs_ = 0;
  std::vector<CollectionState*> written_;  // those whose time changes
};

// The chains of collections (store/chain.h).
class ChainUpdates : public KindOfStates<CollectionState, &CollectionState::chainGroup> {
 public:
  // Adds position and hash to the documents of the commit's inserts, and their entries in the index by position.
  void add(Commit& commit);
  void write(GroupBatch& batch);

 private:
  EntrySet entries_;
  std::string value_;
};

// CollectionState::groupCounts.
class GroupCountUpdates : public DerivedKind {
 public:
  void reset() { counts_.clear(); }
  void add(const Commit& commit);
  void write(GroupBatch& batch);
  void publish();

 private:
  std::map<std::pair<CollectionState*, std::string>, CollectionStats> counts_;  // the new ones
};

// The change logs of projects.
class LogUpdates : public DerivedKind {
 public:
  LogUpdates(const Clock& clock, const FeedListeners& listeners) : clock_(clock), listeners_(listeners) {}
  void reset();
  void add(Commit& commit);
  void write(GroupBatch& batch);
  void publish();
  // After publish().
  void notifyListeners() const;

 private:
  void writeEntries(const Commit& commit, GroupBatch& batch);

  const Clock& clock_;
  const FeedListeners& listeners_;
  int64_t nowMs_ = 0;
  ChangedStates<ProjectState, &ProjectState::logGroup> changed_;
  std::vector<const Commit*> commits_;
  std::string key_;
  std::string value_;
};

// Counters with limits (counters.h), whose increases were admitted before the commit was queued.
class CounterUpdates : public DerivedKind {
 public:
  explicit CounterUpdates(Counters& counters) : counters_(counters) {}
  void reset();
  void add(Commit& commit);
  void write(GroupBatch& batch);
  void publish();

 private:
  Counters& counters_;
  ChangedStates<Counter, &Counter::group> changed_;  // valid until the commits are resumed
  std::vector<Commit*> commits_;
};

// Marks of values; in memory only.
class MarkUpdates : public KindOfCommits<const Commit> {
 public:
  explicit MarkUpdates(Marks& marks) : marks_(marks) {}
  void add(const Commit& commit);
  void publish();

 private:
  Marks& marks_;
};

// What the entries of indexes contain (IndexTraits).
class TraitUpdates : public KindOfCommits<Commit> {
 public:
  void add(Commit& commit);
  void write(GroupBatch& batch);
  void publish();
};

// Commit::onDurable.
class DurableCallbacks : public KindOfCommits<Commit> {
 public:
  void add(Commit& commit);
  void publish();
};

// Epochs of projects: a group bumps each once.
class EpochUpdates : public KindOfStates<ProjectState, &ProjectState::epochGroup> {
 public:
  void add(const Commit& commit);
  void write(GroupBatch& batch);
  void publish();
};

// Notices, in the order of the commits; in memory only.
class NoticeUpdates : public KindOfCommits<const Commit> {
 public:
  explicit NoticeUpdates(const Notices& notices) : notices_(notices) {}
  void add(const Commit& commit);
  void publish();

 private:
  const Notices& notices_;
};

// The floor of ids: above all that were assigned, so that no later one is below them.
class IdFloor : public DerivedKind {
 public:
  explicit IdFloor(int64_t floorMs) : floorMs_(floorMs) {}
  void follow(const IdGenerator& ids) { ids_ = &ids; }  // any thread
  void write(GroupBatch& batch);

 private:
  std::atomic<const IdGenerator*> ids_{nullptr};
  int64_t floorMs_;
};

// All kinds.
class DerivedState {
 public:
  DerivedState(const CommitObservers& observers, const Clock& clock, int64_t idFloorMs)
      : counts_(clock),
        log_(clock, observers.listeners),
        counters_(observers.counters),
        marks_(observers.marks),
        notices_(observers.notices),
        idFloor_(idFloorMs) {}

  void reset();
  void add(Commit& commit);
  void write(GroupBatch& batch);
  void publish();
  // After the writers were resumed.
  void notifyListeners() const { log_.notifyListeners(); }
  void followIds(const IdGenerator& ids) { idFloor_.follow(ids); }  // any thread

 private:
  // In the order in which they are published: catalogue changes (callbacks) before epochs; the log after all by which
  // its readers find out whether what they know of callers is current; notices last.
  template <class Step>
  void forEach(const Step& step);

  CountUpdates counts_;
  ChainUpdates chains_;
  GroupCountUpdates groupCounts_;
  LogUpdates log_;
  CounterUpdates counters_;
  MarkUpdates marks_;
  TraitUpdates traits_;
  DurableCallbacks callbacks_;
  EpochUpdates epochs_;
  NoticeUpdates notices_;
  IdFloor idFloor_;
};

}  // namespace mb::store::embedded
