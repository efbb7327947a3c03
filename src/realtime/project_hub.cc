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

// Bytes of messages after which the sockets get a turn to send them, so that a burst is not what a socket is behind by.
constexpr size_t kTurnBytes = 32 << 10;
// What the matching of one change with all filters may cost (base/work_budget.h). All of it is one stretch on the core,
// as groups must not change meanwhile.
constexpr int64_t kChangeWork = 4 * kCoreWork;
// How often callers are looked up again before a batch, when things change faster than they can be looked up.
constexpr int kRefreshRounds = 2;

using Kind = store::ChangeEntry::Kind;

}  // namespace

struct ProjectHub::Handled {
  CoreHub& hub;
  ProjectReaderPtr reader;
  ~Handled() { hub.shared().feeds->done(reader, hub.core()); }
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
  if (enlisted_++ == 0) {
    last = hub_.shared().feeds->follow(number_, hub_.core());
    frontier_ = std::max(frontier_, last);
  } else {
    last = hub_.deps().feed.lastPosition(number_);
  }
  auto& audience = subscribers_[subscription.number];
  if (!audience) audience = std::make_unique<CollectionSubscribers>();
  subscription.listed = true;
  subscription.placeInAudience = audience->members.size();
  audience->members.push_back(&subscription);
  return last;
}

void ProjectHub::removeSubscription(Subscription& subscription) {
  if (!std::exchange(subscription.listed, false)) return;
  CollectionSubscribers* audience = subscribersOf(subscription.number);
  if (!audience) return;
  audience->groups.remove(subscription);
  Subscription* last = audience->members.back();
  audience->members[subscription.placeInAudience] = last;
  last->placeInAudience = subscription.placeInAudience;
  audience->members.pop_back();
  if (audience->members.empty()) subscribers_.erase(subscription.number);
  if (--enlisted_ == 0) hub_.shared().feeds->unfollow(number_, hub_.core());
}

void ProjectHub::place(Subscription& subscription, const policy::Caller& caller) {
  CollectionSubscribers* audience = subscribersOf(subscription.number);
  if (!audience) return;  // dismissed in the meantime
  audience->groups.remove(subscription);
  auto view = data::eventViewFor(caller, snapshot_, hub_.deps().collections, subscription.collection);
  if (!view) return;
  audience->collection = std::move(view->collection);
  audience->groups.add(subscription, std::move(view->filter));
}

ProjectHub::CollectionSubscribers* ProjectHub::subscribersOf(store::CollectionNo number) {
  const auto found = subscribers_.find(number);
  return found == subscribers_.end() ? nullptr : found->second.get();
}

Result<std::optional<std::string>> ProjectHub::visibleTail(const Subscription& subscription,
                                                           const store::ChangeEntry& entry) {
  if (entry.collection != subscription.number || subscription.group == nullptr) return std::nullopt;
  if ((subscription.events & eventOf(entry.kind)) == 0) return std::nullopt;
  const auto& judged = entry.kind == Kind::remove ? entry.before : entry.after;
  const doc::Filter& filter = subscription.group->filter;
  const auto matches = judged ? matchesInBudget(filter, *judged) : filter.matchesAll();
  if (!matches) return tooCostly();
  if (!*matches) return std::nullopt;
  const CollectionSubscribers* audience = subscribersOf(subscription.number);
  return audience ? std::optional(tailOf(*audience, entry)) : std::nullopt;
}

void ProjectHub::receive(ProjectReaderPtr from, LogBatchPtr batch) {
  waiting_.push_back({std::move(from), std::move(batch)});
  if (working_) return;
  working_ = true;
  // Refused only while the server stops: what waits is given back by the destructor.
  if (!hub_.shared().background.spawn(hub_.executor(), work(shared_from_this()))) working_ = false;
}

Async<void> ProjectHub::work(std::shared_ptr<ProjectHub> self) {
  const FlagReset working{self->working_};
  while (!self->waiting_.empty()) {
    Delivery delivery = std::move(self->waiting_.front());
    self->waiting_.pop_front();
    const Handled handled{self->hub_, std::move(delivery.reader)};
    const LogBatchPtr batch = std::move(delivery.batch);
    // Before anything is awaited: who begins to follow from now on begins behind this batch.
    self->frontier_ = std::max(self->frontier_, batch->last);
    bool sent = false;
    try {
      co_await revalidateCallers(self, batch);
      co_await tell(self, batch);
      sent = true;
    } catch (const std::exception& exception) {
      logError("a batch of changes was not sent; its subscribers get a gap",
               {{"project", self->number_}, {"exception", exception.what()}});
    }
    if (!sent) self->tellLoss(batch->last);
  }
}

// The sockets whose callers may not be what they were, among those that this batch could concern.
std::vector<std::shared_ptr<Session>> ProjectHub::stale(const LogBatch& batch) {
  std::vector<std::shared_ptr<Session>> found;
  const identity::AuthState now = authState();
  store::CollectionNo seen = 0;
  for (const store::ChangeEntry& entry : batch.entries) {
    if (entry.collection == seen) continue;
    seen = entry.collection;
    const auto audience = subscribers_.find(entry.collection);
    if (audience == subscribers_.end()) continue;
    for (const Subscription* member : audience->second->members) {
      if (!member->session->holds(now)) found.push_back(member->session->shared_from_this());
    }
  }
  std::ranges::sort(found);
  const auto repeated = std::ranges::unique(found);
  found.erase(repeated.begin(), repeated.end());
  return found;
}

// Whoever cannot be looked up now has proven nothing: they get the batch from the log, once they can be.
void ProjectHub::requireRevalidation(const LogBatch& batch, const std::vector<std::shared_ptr<Session>>& sessions) {
  for (const auto& session : sessions) session->requireRevalidation(batch.entries.front().position - 1);
}

Async<void> ProjectHub::revalidateCallers(std::shared_ptr<ProjectHub> self, LogBatchPtr batch) {
  for (int round = 0; round < kRefreshRounds; ++round) {
    const std::vector<std::shared_ptr<Session>> sessions = self->stale(*batch);
    if (sessions.empty()) co_return;
    co_await refreshCallers(&self->hub_, sessions);
  }
  self->requireRevalidation(*batch, self->stale(*batch));
}

Async<void> ProjectHub::tell(std::shared_ptr<ProjectHub> self, LogBatchPtr batch) {
  if (batch->lostUpTo != 0) self->tellLoss(batch->lostUpTo);
  Cost turn;
  for (const store::ChangeEntry& entry : batch->entries) {
    const Cost cost = self->tellEntry(entry);
    turn.bytes += cost.bytes;
    turn.work += cost.work;
    if (turn.bytes < kTurnBytes && turn.work < kCoreWork / 2) continue;
    turn = {};
    co_await asio::post(asio::deferred);
  }
}

void ProjectHub::tellLoss(uint64_t lostUpTo) {
  for (const auto& [number, audience] : subscribers_) {
    for (Subscription* member : audience->members) {
      if (member->from >= lostUpTo) continue;
      member->from = lostUpTo;
      member->session->tellGap(*member, lostUpTo);
    }
  }
}

ProjectHub::Cost ProjectHub::tellEntry(const store::ChangeEntry& entry) {
  CollectionSubscribers* found = subscribersOf(entry.collection);
  if (!found) return {};
  const WorkBudget work(kChangeWork);
  CollectionSubscribers& audience = *found;
  const Events event = eventOf(entry.kind);
  const uint64_t turn = hub_.nextSerial();
  std::string tail;  // written for the first who sees it
  const auto tellGroup = [&](const FilterGroup& group) {
    for (Subscription* member : group.members) {
      if (entry.position <= member->from || (member->events & event) == 0) continue;
      Name& name = *member->name;
      if (name.turn != turn) {
        if (tail.empty()) tail = tailOf(audience, entry);
        name.message = http::makeTextMessage(name.head + tail);
        name.turn = turn;
        told_.push_back(&name);
      }
      member->session->deliver(*member, name.message, entry.position);
    }
  };
  const auto& judged = entry.kind == Kind::remove ? entry.before : entry.after;
  std::vector<std::pair<std::shared_ptr<Session>, uint64_t>> refused;
  if (judged) {
    for (const FilterGroup* group : audience.groups.matching(*judged, tellGroup)) {
      for (const Subscription* member : group->members) {
        if (entry.position <= member->from || (member->events & event) == 0) continue;
        refused.emplace_back(member->session->shared_from_this(), member->serial);
      }
    }
  } else {
    audience.groups.unrestricted(tellGroup);
  }
  for (Name* name : told_) name->message.reset();
  told_.clear();
  // Last, as the audience may go with them.
  for (const auto& [session, serial] : refused) session->refuseSubscription(serial);
  return {tail.size(), work.spent()};
}

std::string ProjectHub::tailOf(const CollectionSubscribers& audience, const store::ChangeEntry& entry) {
  assert(audience.collection);  // set by the first member placed in a group, and kept
  const data::Collection& collection = *audience.collection;
  return eventTail(entry, collection.name(), collection.deniedReadFields(),
                   hub_.positions().write(number_, entry.position));
}

}  // namespace mb::realtime
