// One project's subscriptions on one core: receives the batches of the change log, matches each change once for all
// subscriptions with the same filter, and sends the messages. Private to this module.
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
  // The newest snapshot with which a socket was authenticated; null before the first.
  const snapshot::SnapshotPtr& snapshot() const { return snapshot_; }
  void updateSnapshot(const snapshot::SnapshotPtr& snapshot);
  // The current state, for comparison with the validity of the sockets' callers.
  identity::AuthState authState() const;

  // From here on the subscription is matched with changes after the returned position.
  uint64_t addSubscription(Subscription& subscription);
  void removeSubscription(Subscription& subscription);
  // Adds a listed subscription to the group of its caller's view and its own filter; to none, so that it gets nothing,
  // where the caller may not read the collection (null). Returns whether it sees other documents than before.
  bool place(Subscription& subscription, const data::EventView* view);
  // The tail of the message that a replaying subscription gets for a change; nullopt: it gets none. Fails with
  // queryTooCostly.
  Result<std::optional<std::string>> visibleTail(const Subscription& subscription, const store::ChangeEntry& entry);
  // All changes up to here have been sent to the live subscriptions, and all after it will be.
  uint64_t frontier() const { return frontier_; }

  void receive(ProjectReaderPtr from, LogBatchPtr batch);

 private:
  struct CollectionSubscribers {
    std::vector<Subscription*> members;
    FilterGroups groups;
    data::CollectionPtr collection;  // of the newest snapshot
  };
  struct Delivery {
    ProjectReaderPtr reader;
    LogBatchPtr batch;
  };
  struct Cost {
    size_t bytes = 0;  // of the tails of messages
    int64_t work = 0;  // spent on matching
  };
  // Sessions that must look up before they get a batch.
  struct Stale {
    std::vector<std::shared_ptr<Session>> callers;  // their callers
    std::vector<std::shared_ptr<Session>> sets;     // sets of their callers
  };
  struct Concerned {
    std::vector<Subscription*> shown;    // they see the document after the change, or before it for a delete
    std::vector<Subscription*> left;     // with `leave`: they saw it before the change, and do not see it after it
    std::vector<Subscription*> unknown;  // matching their filter takes too much work
    int64_t work = 0;                    // spent on matching
  };
  // Returns a batch to Feeds in its destructor.
  struct BatchRelease;

  static Async<void> work(std::shared_ptr<ProjectHub> self);
  static Async<void> revalidateCallers(std::shared_ptr<ProjectHub> self, LogBatchPtr batch);
  static Async<void> sendBatch(std::shared_ptr<ProjectHub> self, LogBatchPtr batch);
  Stale stale(const LogBatch& batch);
  void sendLoss(uint64_t lostUpTo);
  Cost sendChange(const store::ChangeEntry& entry);
  // Those that a change concerns; valid until the next call, while no subscription is added or removed.
  const Concerned& concernedBy(CollectionSubscribers& subscribers, const store::ChangeEntry& entry);
  // Sends the message of this serial, which tail() is called to complete where it is not written yet.
  template <class Tail>
  void deliver(Subscription& member, uint64_t serial, uint64_t position, Tail tail);
  void forgetMessages();
  // Null where the collection has no subscription.
  CollectionSubscribers* subscribersOf(store::CollectionNo number);
  std::string tailOf(const CollectionSubscribers& subscribers, const store::ChangeEntry& entry,
                     const Rendering& rendering);
  std::string leaveTailOf(const CollectionSubscribers& subscribers, const store::ChangeEntry& entry);

  CoreHub& hub_;
  const store::ProjectNo number_;
  snapshot::SnapshotPtr snapshot_;
  std::unordered_map<store::CollectionNo, std::unique_ptr<CollectionSubscribers>> subscribers_;
  size_t listedCount_ = 0;
  uint64_t frontier_ = 0;
  std::deque<Delivery> waiting_;  // kBatchesInHand at most
  bool working_ = false;
  Concerned concerned_;
  std::vector<Name*> writtenNames_;  // names that hold the message of the current event
};

}  // namespace mb::realtime
