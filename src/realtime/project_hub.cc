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

bool keepsDocument(Kind kind) {
  return kind == Kind::update || kind == Kind::replace;
}

void makeUnique(std::vector<std::shared_ptr<Session>>& sessions) {
  std::ranges::sort(sessions);
  const auto repeated = std::ranges::unique(sessions);
  sessions.erase(repeated.begin(), repeated.end());
}

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

bool ProjectHub::place(Subscription& subscription, const data::EventView* view) {
  CollectionSubscribers* subscribers = subscribersOf(subscription.number);
  if (!subscribers) return false;  // the subscription was removed
  if (!view) {
    const bool saw = subscription.group != nullptr;
    subscribers->groups.remove(subscription);
    return saw;
  }
  // A view may be of an older snapshot than that of the others.
  const data::CollectionPtr* newest = hub_.deps().grants.table(*snapshot_).find(subscription.collection);
  const bool isSame = newest && (*newest)->info.number == subscription.number;
  subscribers->collection = isSame ? *newest : view->collection;
  const bool ofClient = !subscription.filter.matchesAll();
  const bool seesAll = view->filter.matchesAll() && !view->inSet;
  return subscribers->groups.move(
      subscription, {doc::Filter::both(view->filter, subscription.filter), view->inSet, ofClient, seesAll});
}

ProjectHub::CollectionSubscribers* ProjectHub::subscribersOf(store::CollectionNo number) {
  const auto found = subscribers_.find(number);
  return found == subscribers_.end() ? nullptr : found->second.get();
}

Result<std::optional<std::string>> ProjectHub::visibleTail(const Subscription& subscription,
                                                           const store::ChangeEntry& entry) {
  if (entry.collection != subscription.number || subscription.group == nullptr) return std::nullopt;
  const CollectionSubscribers* subscribers = subscribersOf(subscription.number);
  if (!subscribers) return std::nullopt;
  const bool wanted = (subscription.events & eventOf(entry.kind)) != 0;
  const bool mayLeave =
      subscription.leave && keepsDocument(entry.kind) && (entry.before || subscription.group->seesAll);
  if (!wanted && !mayLeave) return std::nullopt;
  const auto& document = entry.kind == Kind::remove ? entry.before : entry.after;
  const auto shows = document ? showsTo(subscription, *document) : std::optional(subscription.group->seesAll);
  if (!shows) return tooCostly();
  if (*shows) {
    return wanted ? std::optional(tailOf(*subscribers, entry, *subscription.name->rendering)) : std::nullopt;
  }
  if (!mayLeave) return std::nullopt;
  // Without the document before, those who may read all of them get it in any case.
  const auto showed = entry.before ? showsTo(subscription, *entry.before) : std::optional(true);
  if (!showed) return tooCostly();
  return *showed ? std::optional(leaveTailOf(*subscribers, entry)) : std::nullopt;
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

// The sessions with subscriptions to a collection of this batch whose callers, or sets of them, may have changed.
ProjectHub::Stale ProjectHub::stale(const LogBatch& batch) {
  Stale found;
  const identity::AuthState now = authState();
  std::vector<store::CollectionNo> seen;
  for (const store::ChangeEntry& entry : batch.entries) {
    if (std::ranges::find(seen, entry.collection) != seen.end()) continue;
    seen.push_back(entry.collection);
    const auto subscribers = subscribers_.find(entry.collection);
    if (subscribers == subscribers_.end()) continue;
    for (const Subscription* member : subscribers->second->members) {
      Session& session = *member->session;
      if (!session.callerHolds(now)) {
        found.callers.push_back(session.shared_from_this());
      } else if (session.setsChanged()) {
        found.sets.push_back(session.shared_from_this());
      }
    }
  }
  makeUnique(found.callers);
  makeUnique(found.sets);
  return found;
}

// A change of callers, such as that of a policy, concerns many sockets: the batch waits for their lookup, which is
// cheaper than a replay for each. A change of sets concerns the sockets of a few callers, for which the others do not
// wait. Sessions that are not current now do not get this batch: they replay it from the change log after validation.
Async<void> ProjectHub::revalidateCallers(std::shared_ptr<ProjectHub> self, LogBatchPtr batch) {
  Stale found = self->stale(*batch);
  for (int round = 0; round < kRefreshRounds && !found.callers.empty(); ++round) {
    co_await refreshCallers(&self->hub_, std::move(found.callers));
    found = self->stale(*batch);
  }
  for (const auto& session : found.callers) session->requireRevalidation(batch->after);
  for (const auto& session : found.sets) session->requireRevalidation(batch->after);
}

Async<void> ProjectHub::sendBatch(std::shared_ptr<ProjectHub> self, LogBatchPtr batch) {
  if (batch->lostUpTo != 0) self->sendLoss(batch->lostUpTo);
  Cost sinceYield;
  for (const store::ChangeEntry& entry : batch->entries) {
    if (entry.isGap()) {
      self->sendLoss(entry.position);
      continue;
    }
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
  const Concerned& concerned = concernedBy(*found, entry);
  size_t bytes = 0;
  uint64_t serial = hub_.nextSerial();
  for (Subscription* member : concerned.shown) {
    deliver(*member, serial, entry.position, [&](Rendering& rendering) -> const std::string& {
      if (rendering.tail.empty()) {
        rendering.tail = tailOf(*found, entry, rendering);
        bytes += rendering.tail.size();
      }
      return rendering.tail;
    });
  }
  forgetMessages();
  serial = hub_.nextSerial();
  std::string tail;
  for (Subscription* member : concerned.left) {
    deliver(*member, serial, entry.position, [&](Rendering&) -> const std::string& {
      if (tail.empty()) {
        tail = leaveTailOf(*found, entry);
        bytes += tail.size();
      }
      return tail;
    });
  }
  forgetMessages();
  // Last, as this may delete the CollectionSubscribers.
  std::vector<std::pair<std::shared_ptr<Session>, uint64_t>> refused;
  for (const Subscription* member : concerned.unknown) {
    refused.emplace_back(member->session->shared_from_this(), member->serial);
  }
  for (const auto& [session, subscription] : refused) session->refuseChange(subscription, entry.position);
  return {bytes, concerned.work};
}

const ProjectHub::Concerned& ProjectHub::concernedBy(CollectionSubscribers& subscribers,
                                                     const store::ChangeEntry& entry) {
  const WorkBudget work(kChangeWork);
  const Events event = eventOf(entry.kind);
  const uint64_t serial = hub_.nextSerial();
  Concerned& found = concerned_;
  found.shown.clear();
  found.left.clear();
  found.unknown.clear();
  const auto show = [&](Subscription& member) {
    member.shownIn = serial;
    if (entry.position > member.from && (member.events & event) != 0) found.shown.push_back(&member);
  };
  const auto& document = entry.kind == Kind::remove ? entry.before : entry.after;
  if (document) {
    for (Subscription* member : subscribers.groups.matching(*document, show)) {
      member->shownIn = serial;
      const bool concerned = member->leave || (member->events & event) != 0;
      if (entry.position > member->from && concerned) found.unknown.push_back(member);
    }
  } else {
    subscribers.groups.unrestricted(show);
  }
  const auto leaves = [&](const Subscription& member) {
    return member.leave && member.shownIn != serial && entry.position > member.from;
  };
  const auto leave = [&](Subscription& member) {
    if (leaves(member)) found.left.push_back(&member);
  };
  const bool mayLeave = subscribers.groups.hasLeavers() && keepsDocument(entry.kind);
  if (mayLeave && !entry.before) subscribers.groups.unrestricted(leave);
  if (mayLeave && entry.before) {
    for (Subscription* member : subscribers.groups.matchingLeavers(*entry.before, leave)) {
      if (leaves(*member)) found.unknown.push_back(member);
    }
  }
  found.work = work.spent();
  return found;
}

template <class Tail>
void ProjectHub::deliver(Subscription& member, uint64_t serial, uint64_t position, Tail tail) {
  Name& name = *member.name;
  if (name.eventSerial != serial) {
    name.message = http::makeTextMessage(name.head + tail(*name.rendering));
    name.eventSerial = serial;
    writtenNames_.push_back(&name);
  }
  member.session->deliver(member, name.message, position);
}

void ProjectHub::forgetMessages() {
  for (Name* name : writtenNames_) {
    name->message.reset();
    name->rendering->tail = {};
  }
  writtenNames_.clear();
}

std::string ProjectHub::tailOf(const CollectionSubscribers& subscribers, const store::ChangeEntry& entry,
                               const Rendering& rendering) {
  assert(subscribers.collection);  // set when the first member was added to a group, and never cleared
  const data::Collection& collection = *subscribers.collection;
  return eventTail(entry, collection.name(), {collection.deniedReadFields(rendering.reader), rendering.fields},
                   hub_.positions().write(number_, entry.position));
}

std::string ProjectHub::leaveTailOf(const CollectionSubscribers& subscribers, const store::ChangeEntry& entry) {
  assert(subscribers.collection);
  return leaveTail(entry.id, subscribers.collection->name(), hub_.positions().write(number_, entry.position));
}

}  // namespace mb::realtime
