// One project's subscriptions on one core: takes the batches of the change log, judges each change once for all who
// share a filter, and hands the message out. Private to this module.
#pragma once

#include <deque>
#include <memory>
#include <unordered_map>
#include <vector>

#include "data/event_view.h"
#include "identity/authenticator.h"
#include "realtime/feeds.h"
#include "realtime/filter_groups.h"

namespace mb::realtime {

class CoreHub;
class Session;

class ProjectHub : public std::enable_shared_from_this<ProjectHub> {
 public:
  ProjectHub(CoreHub& hub, store::ProjectNo number) : hub_(hub), number_(number) {}
  ~ProjectHub();

  store::ProjectNo number() const { return number_; }
  // The newest snapshot that any of the sockets was identified with; null before the first.
  const snapshot::SnapshotPtr& snapshot() const { return snapshot_; }
  void updateSnapshot(const snapshot::SnapshotPtr& snapshot);
  // How things are now, to compare the sockets' callers with.
  identity::AuthState authState() const;

  // From here on the subscription is looked at, for changes after what is returned.
  uint64_t addSubscription(Subscription& subscription);
  void removeSubscription(Subscription& subscription);
  // Puts it, once it is enlisted, where its caller's read rule says as it stands now: nowhere, so that it sees nothing,
  // where that does not let it.
  void place(Subscription& subscription, const policy::Caller& caller);
  // What a subscription that replays sees of a change: the tail of its message; nullopt: nothing. Fails with
  // queryTooCostly.
  Result<std::optional<std::string>> visibleTail(const Subscription& subscription, const store::ChangeEntry& entry);
  // All changes up to here have been told to those that follow live, and all behind it will be.
  uint64_t frontier() const { return frontier_; }

  void receive(ProjectReaderPtr from, LogBatchPtr batch);

 private:
  struct CollectionSubscribers {
    std::vector<Subscription*> members;
    FilterGroups groups;
    data::CollectionPtr collection;  // as the newest snapshot has it
  };
  struct Delivery {
    ProjectReaderPtr reader;
    LogBatchPtr batch;
  };
  struct Cost {
    size_t bytes = 0;  // that each of those who see a change gets, at most
    int64_t work = 0;  // of the core
  };
  // Gives a batch back when it goes.
  struct Handled;

  static Async<void> work(std::shared_ptr<ProjectHub> self);
  static Async<void> revalidateCallers(std::shared_ptr<ProjectHub> self, LogBatchPtr batch);
  static Async<void> tell(std::shared_ptr<ProjectHub> self, LogBatchPtr batch);
  std::vector<std::shared_ptr<Session>> stale(const LogBatch& batch);
  void requireRevalidation(const LogBatch& batch, const std::vector<std::shared_ptr<Session>>& sessions);
  void tellLoss(uint64_t lostUpTo);
  Cost tellEntry(const store::ChangeEntry& entry);
  // Null where nobody follows the collection.
  CollectionSubscribers* subscribersOf(store::CollectionNo number);
  std::string tailOf(const CollectionSubscribers& audience, const store::ChangeEntry& entry);

  CoreHub& hub_;
  const store::ProjectNo number_;
  snapshot::SnapshotPtr snapshot_;
  std::unordered_map<store::CollectionNo, std::unique_ptr<CollectionSubscribers>> subscribers_;
  size_t enlisted_ = 0;
  uint64_t frontier_ = 0;
  std::deque<Delivery> waiting_;  // kBatchesInHand at most
  bool working_ = false;
  std::vector<Name*> told_;  // names that hold the message of the present event
};

}  // namespace mb::realtime
