#include "realtime/project_hub.h"

#include <algorithm>
#include <boost/asio/deferred.hpp>
#include <cassert>

#include "base/flag_reset.h"
#include "base/log.h"
#include "realtime/caller_refresh.h"
#include "realtime/core_hub.h"
#include "realtime/session.h"

namespace mb::realtime {

namespace {

// Bytes of messages after which the hub yields, so that sockets can send them and a burst does not exceed a socket's
// limit.
constexpr size_t kYieldBytes = 32 << 10;
// Work limit of matching one change with all filters (base/work_budget.h). It runs without a yield, as groups must not
// change during it.
constexpr int64_t kChangeWork = 4 * kCoreWork;
// Rounds of caller lookups before a batch, where callers change faster than they can be looked up.
constexpr int kRefreshRounds = 2;

using Kind = store::ChangeEntry::Kind;

}  // namespace

struct ProjectHub::BatchRelease {
  CoreHub& hub;
  ProjectReaderPtr reader;
  ~BatchRelease() { hub.shared().feeds->done(reader, hub.core()); }
};

ProjectHub::~ProjectHub() {
  for (const Delivery& delivery : waiting_) hub_.shared().feeds->done(delivery.reader, hub_.core());
}

void ProjectHub::updateSnapshot(const snapshot::SnapshotPtr& snapshot) {
  if (!snapshot_ || snapshot->epoch() > snapshot_->epoch()) snapshot_ = snapshot;
}

identity::AuthState ProjectHub::authState() const {
  return hub_.deps().authenticator.authState(number_);
}

uint64_t ProjectHub::addSubscription(Subscription& subscription) {
  uint64_t last = 0;
  if (listedCount_++ == 0) {
    last = hub_.shared().feeds->follow(number_, hub_.core());
    frontier_ = std::max(frontier_, last);
  } else {
    last = hub_.deps().feed.lastPosition(number_);
  }
  auto& subscribers = subscribers_[subscription.number];
  if (!subscribers) subscribers = std::make_unique<CollectionSubscribers>();
  subscription.listed = true;
  subscription.placeInMembers = subscribers->members.size();
  subscribers->members.push_back(&subscription);
  return last;
}

void ProjectHub::removeSubscription(Subscription& subscription) {
  if (!std::exchange(subscription.listed, false)) return;
  CollectionSubscribers* subscribers = subscribersOf(subscription.number);
  if (!subscribers) return;
  subscribers->groups.remove(subscription);
  Subscription* last = subscribers->members.back();
  subscribers->members[subscription.placeInMembers] = last;
  last->placeInMembers = subscription.placeInMembers;
  subscribers->members.pop_back();
  if (subscribers->members.empty()) subscribers_.erase(subscription.number);
  if (--listedCount_ == 0) hub_.shared().feeds->unfollow(number_, hub_.core());
}

void ProjectHub::place(Subscription& subscription, const data::EventView* view) {
  CollectionSubscribers* subscribers = subscribersOf(subscription.number);
  if (!subscribers) return;  // the subscription was removed
  subscribers->groups.remove(subscription);
  if (!view) return;
  subscribers->collection = view->collection;
  subscribers->groups.add(subscription, view->filter);
}

ProjectHub::CollectionSubscribers* ProjectHub::subscribersOf(store::CollectionNo number) {
  const auto found = subscribers_.find(number);
  return found == subscribers_.end() ? nullptr : found->second.get();
}

Result<std::optional<std::string>> ProjectHub::visibleTail(const Subscription& subscription,
                                                           const store::ChangeEntry& entry) {
  if (entry.collection != subscription.number || subscription.group == nullptr) return std::nullopt;
  if ((subscription.events & eventOf(entry.kind)) == 0) return std::nullopt;
  const auto& document = entry.kind == Kind::remove ? entry.before : entry.after;
  const doc::Filter& filter = subscription.group->filter;
  const auto matches = document ? matchesInBudget(filter, *document) : filter.matchesAll();
  if (!matches) return tooCostly();
  if (!*matches) return std::nullopt;
  const CollectionSubscribers* subscribers = subscribersOf(subscription.number);
  return subscribers ? std::optional(tailOf(*subscribers, entry)) : std::nullopt;
}

void ProjectHub::receive(ProjectReaderPtr from, LogBatchPtr batch) {
  waiting_.push_back({std::move(from), std::move(batch)});
  if (working_) return;
  working_ = true;
  // spawn() fails only during shutdown: the destructor returns the waiting batches.
  if (!hub_.shared().background.spawn(hub_.executor(), work(shared_from_this()))) working_ = false;
}

Async<void> ProjectHub::work(std::shared_ptr<ProjectHub> self) {
  const FlagReset working{self->working_};
  while (!self->waiting_.empty()) {
    Delivery delivery = std::move(self->waiting_.front());
    self->waiting_.pop_front();
    const BatchRelease handled{self->hub_, std::move(delivery.reader)};
    const LogBatchPtr batch = std::move(delivery.batch);
    // Set before the first co_await: a subscription added from now on begins after this batch.
    self->frontier_ = std::max(self->frontier_, batch->last);
    bool sent = false;
    try {
      co_await revalidateCallers(self, batch);
      co_await sendBatch(self, batch);
      sent = true;
    } catch (const std::exception& exception) {
      logError("change batch not sent; its subscribers get a gap",
               {{"project", self->number_}, {"exception", exception.what()}});
    }
    if (!sent) self->sendLoss(batch->last);
  }
}

// The sessions with outdated callers that have subscriptions to a collection of this batch.
std::vector<std::shared_ptr<Session>> ProjectHub::stale(const LogBatch& batch) {
  std::vector<std::shared_ptr<Session>> found;
  const identity::AuthState now = authState();
  store::CollectionNo seen = 0;
  for (const store::ChangeEntry& entry : batch.entries) {
    if (entry.collection == seen) continue;
    seen = entry.collection;
    const auto subscribers = subscribers_.find(entry.collection);
    if (subscribers == subscribers_.end()) continue;
    for (const Subscription* member : subscribers->second->members) {
      if (!member->session->holds(now)) found.push_back(member->session->shared_from_this());
    }
  }
  std::ranges::sort(found);
  const auto repeated = std::ranges::unique(found);
  found.erase(repeated.begin(), repeated.end());
  return found;
}

// Sessions whose caller could not be re-validated do not get this batch. They replay it from the change log after
// validation.
void ProjectHub::requireRevalidation(const LogBatch& batch, const std::vector<std::shared_ptr<Session>>& sessions) {
  for (const auto& session : sessions) session->requireRevalidation(batch.after);
}

Async<void> ProjectHub::revalidateCallers(std::shared_ptr<ProjectHub> self, LogBatchPtr batch) {
  for (int round = 0; round < kRefreshRounds; ++round) {
    const std::vector<std::shared_ptr<Session>> sessions = self->stale(*batch);
    if (sessions.empty()) co_return;
    co_await refreshCallers(&self->hub_, sessions);
  }
  self->requireRevalidation(*batch, self->stale(*batch));
}

Async<void> ProjectHub::sendBatch(std::shared_ptr<ProjectHub> self, LogBatchPtr batch) {
  if (batch->lostUpTo != 0) self->sendLoss(batch->lostUpTo);
  Cost sinceYield;
  for (const store::ChangeEntry& entry : batch->entries) {
    const Cost cost = self->sendChange(entry);
    sinceYield.bytes += cost.bytes;
    sinceYield.work += cost.work;
    if (sinceYield.bytes < kYieldBytes && sinceYield.work < kCoreWork / 2) continue;
    sinceYield = {};
    co_await asio::post(asio::deferred);
  }
}

void ProjectHub::sendLoss(uint64_t lostUpTo) {
  for (const auto& [number, subscribers] : subscribers_) {
    for (Subscription* member : subscribers->members) {
      if (member->from >= lostUpTo) continue;
      member->from = lostUpTo;
      member->session->sendGap(*member, lostUpTo);
    }
  }
}

ProjectHub::Cost ProjectHub::sendChange(const store::ChangeEntry& entry) {
  CollectionSubscribers* found = subscribersOf(entry.collection);
  if (!found) return {};
  const WorkBudget work(kChangeWork);
  CollectionSubscribers& subscribers = *found;
  const Events event = eventOf(entry.kind);
  const uint64_t eventSerial = hub_.nextSerial();
  std::string tail;  // written for the first subscription that gets it
  const auto sendToGroup = [&](const FilterGroup& group) {
    for (Subscription* member : group.members) {
      if (entry.position <= member->from || (member->events & event) == 0) continue;
      Name& name = *member->name;
      if (name.eventSerial != eventSerial) {
        if (tail.empty()) tail = tailOf(subscribers, entry);
        name.message = http::makeTextMessage(name.head + tail);
        name.eventSerial = eventSerial;
        writtenNames_.push_back(&name);
      }
      member->session->deliver(*member, name.message, entry.position);
    }
  };
  const auto& document = entry.kind == Kind::remove ? entry.before : entry.after;
  std::vector<std::pair<std::shared_ptr<Session>, uint64_t>> refused;
  if (document) {
    for (const FilterGroup* group : subscribers.groups.matching(*document, sendToGroup)) {
      for (const Subscription* member : group->members) {
        if (entry.position <= member->from || (member->events & event) == 0) continue;
        refused.emplace_back(member->session->shared_from_this(), member->serial);
      }
    }
  } else {
    subscribers.groups.unrestricted(sendToGroup);
  }
  for (Name* name : writtenNames_) name->message.reset();
  writtenNames_.clear();
  // Last, as this may delete the CollectionSubscribers.
  for (const auto& [session, serial] : refused) session->refuseSubscription(serial);
  return {tail.size(), work.spent()};
}

std::string ProjectHub::tailOf(const CollectionSubscribers& subscribers, const store::ChangeEntry& entry) {
  assert(subscribers.collection);  // set when the first member was added to a group, and never cleared
  const data::Collection& collection = *subscribers.collection;
  return eventTail(entry, collection.name(), collection.deniedReadFields(policy::Audience::signedIn),
                   hub_.positions().write(number_, entry.position));
}

}  // namespace mb::realtime
