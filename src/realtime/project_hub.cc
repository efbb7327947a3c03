#include "realtime/project_hub.h"

#include <algorithm>
#include <boost/asio/deferred.hpp>

#include "realtime/core_hub.h"
#include "realtime/session.h"

namespace mb::realtime {

namespace {

// Bytes of messages after which the sockets get a turn to send them, so that a burst is not what a socket is behind by.
constexpr size_t kTurnBytes = 32 << 10;
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

void ProjectHub::see(const snapshot::SnapshotPtr& snapshot) {
  if (!snapshot_ || snapshot->epoch() > snapshot_->epoch()) snapshot_ = snapshot;
}

identity::Moment ProjectHub::moment() const {
  return hub_.deps().authenticator.moment(number_);
}

uint64_t ProjectHub::enlist(Subscription& subscription) {
  uint64_t last = 0;
  if (enlisted_++ == 0) {
    last = hub_.shared().feeds->follow(number_, hub_.core());
    frontier_ = std::max(frontier_, last);
  } else {
    last = hub_.deps().feed.lastPosition(number_);
  }
  auto& audience = audiences_[subscription.number];
  if (!audience) audience = std::make_unique<Audience>();
  subscription.listed = true;
  subscription.placeInAudience = audience->members.size();
  audience->members.push_back(&subscription);
  return last;
}

void ProjectHub::dismiss(Subscription& subscription) {
  if (!std::exchange(subscription.listed, false)) return;
  const auto found = audiences_.find(subscription.number);
  Audience& audience = *found->second;
  audience.groups.remove(subscription);
  Subscription* last = audience.members.back();
  audience.members[subscription.placeInAudience] = last;
  last->placeInAudience = subscription.placeInAudience;
  audience.members.pop_back();
  if (audience.members.empty()) audiences_.erase(found);
  if (--enlisted_ == 0) hub_.shared().feeds->unfollow(number_, hub_.core());
}

void ProjectHub::place(Subscription& subscription, const policy::Caller& caller) {
  Audience& audience = *audiences_.find(subscription.number)->second;
  audience.groups.remove(subscription);
  auto view = data::eventViewFor(caller, snapshot_, hub_.deps().collections, subscription.collection);
  if (!view) return;
  audience.collection = std::move(view->collection);
  audience.groups.add(subscription, std::move(view->filter));
}

std::optional<std::string> ProjectHub::visibleTail(const Subscription& subscription, const store::ChangeEntry& entry) {
  if (entry.collection != subscription.number || subscription.group == nullptr) return std::nullopt;
  if ((subscription.events & eventOf(entry.kind)) == 0) return std::nullopt;
  const auto& judged = entry.kind == Kind::remove ? entry.before : entry.after;
  const doc::Filter& filter = subscription.group->filter;
  if (judged ? !filter.matches(*judged) : !filter.matchesAll()) return std::nullopt;
  return tailOf(*audiences_.find(subscription.number)->second, entry);
}

void ProjectHub::receive(ProjectReaderPtr from, LogBatchPtr batch) {
  waiting_.push_back({std::move(from), std::move(batch)});
  if (working_) return;
  working_ = true;
  if (!hub_.shared().background.spawn(hub_.executor(), work(shared_from_this()))) working_ = false;
}

Async<void> ProjectHub::work(std::shared_ptr<ProjectHub> self) {
  while (!self->waiting_.empty()) {
    Delivery delivery = std::move(self->waiting_.front());
    self->waiting_.pop_front();
    const Handled handled{self->hub_, std::move(delivery.reader)};
    const LogBatchPtr batch = std::move(delivery.batch);
    // Before anything is awaited: who begins to follow from now on begins behind this batch.
    self->frontier_ = std::max(self->frontier_, batch->last);
    co_await freshen(self, batch);
    co_await tell(self, batch);
  }
  self->working_ = false;
}

// The sockets whose callers may not be what they were, among those that this batch could concern.
std::vector<std::shared_ptr<Session>> ProjectHub::stale(const LogBatch& batch) {
  std::vector<std::shared_ptr<Session>> found;
  const identity::Moment now = moment();
  store::CollectionNo seen = 0;
  for (const store::ChangeEntry& entry : batch.entries) {
    if (entry.collection == seen) continue;
    seen = entry.collection;
    const auto audience = audiences_.find(entry.collection);
    if (audience == audiences_.end()) continue;
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
void ProjectHub::doubt(const LogBatch& batch, const std::vector<std::shared_ptr<Session>>& sessions) {
  for (const auto& session : sessions) session->doubt(batch.entries.front().position - 1);
}

Async<void> ProjectHub::freshen(std::shared_ptr<ProjectHub> self, LogBatchPtr batch) {
  for (int round = 0; round < kRefreshRounds; ++round) {
    const std::vector<std::shared_ptr<Session>> sessions = self->stale(*batch);
    if (sessions.empty()) co_return;
    for (const auto& session : sessions) co_await Session::refresh(session);
  }
  self->doubt(*batch, self->stale(*batch));
}

Async<void> ProjectHub::tell(std::shared_ptr<ProjectHub> self, LogBatchPtr batch) {
  if (batch->lostUpTo != 0) self->tellLoss(batch->lostUpTo);
  size_t bytes = 0;
  for (const store::ChangeEntry& entry : batch->entries) {
    bytes += self->tellEntry(entry);
    if (bytes < kTurnBytes) continue;
    bytes = 0;
    co_await asio::post(asio::deferred);
  }
}

void ProjectHub::tellLoss(uint64_t lostUpTo) {
  for (const auto& [number, audience] : audiences_) {
    for (Subscription* member : audience->members) {
      if (member->from >= lostUpTo) continue;
      member->from = lostUpTo;
      member->session->tellGap(*member, lostUpTo);
    }
  }
}

// The bytes that each of those who see the change gets, at most.
size_t ProjectHub::tellEntry(const store::ChangeEntry& entry) {
  const auto found = audiences_.find(entry.collection);
  if (found == audiences_.end()) return 0;
  Audience& audience = *found->second;
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
  if (judged) {
    audience.groups.matching(*judged, tellGroup);
  } else {
    audience.groups.unrestricted(tellGroup);
  }
  for (Name* name : told_) name->message.reset();
  told_.clear();
  return tail.size();
}

std::string ProjectHub::tailOf(const Audience& audience, const store::ChangeEntry& entry) {
  const data::Collection& collection = *audience.collection;
  return eventTail(entry, collection.name(), collection.deniedReadFields(),
                   hub_.positions().write(number_, entry.position));
}

}  // namespace mb::realtime
