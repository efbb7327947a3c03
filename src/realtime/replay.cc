// Replays the change log: changes that a subscription with `after` missed, then live ones, without gaps or duplicates.
#include <boost/asio/deferred.hpp>

#include "base/flag_reset.h"
#include "realtime/session.h"

namespace mb::realtime {

namespace {

constexpr size_t kPageEntries = 128;
// The replay pauses while the socket has more unsent bytes.
constexpr size_t kUnsentBeforePage = 64 << 10;
constexpr std::chrono::milliseconds kSlowPause{20};
constexpr std::chrono::milliseconds kReplayPause{250};

}  // namespace

// The subscription during this replay of it; null once it was removed, or paused, or is live.
Subscription* Session::replaying(uint64_t serial, uint64_t replay) const {
  if (state_ != State::active) return nullptr;
  for (const auto& subscription : subscriptions_) {
    if (subscription->serial != serial) continue;
    return subscription->replay == replay && subscription->from == kNotLive ? subscription.get() : nullptr;
  }
  return nullptr;
}

bool Session::startReplay(Subscription& subscription, uint64_t after) {
  subscription.from = kNotLive;
  return hub_.shared().background.spawn(hub_.executor(),
                                        replay(shared_from_this(), subscription.serial, ++subscription.replay, after));
}

void Session::startRevalidation() {
  if (std::exchange(revalidating_, true)) return;
  // spawn() fails only during shutdown.
  if (!hub_.shared().background.spawn(hub_.executor(), revalidate(shared_from_this()))) revalidating_ = false;
}

// Looks the caller up until that succeeds, then lets the subscriptions that wait for it replay.
Async<void> Session::revalidate(std::shared_ptr<Session> self) {
  const FlagReset running{self->revalidating_};
  while (self->state_ == State::active && self->needsRevalidation_) {
    co_await self->hub_.lookupSemaphore().take();
    {
      const CoreSemaphore::Permit permit(self->hub_.lookupSemaphore());
      co_await refresh(self);
    }
    if (self->needsRevalidation_) co_await sleepFor(kReplayPause);
  }
  if (self->state_ != State::active) co_return;
  for (const auto& subscription : self->subscriptions_) {
    if (const auto after = std::exchange(subscription->replayAfter, std::nullopt)) {
      self->startReplay(*subscription, *after);
    }
  }
}

bool Session::takesPage() const {
  return !blocked_ && socket_->unsentBytes() <= kUnsentBeforePage;
}

Async<void> Session::replay(std::shared_ptr<Session> self, uint64_t serial, uint64_t replay, uint64_t after) {
  while (Subscription* subscription = self->replaying(serial, replay)) {
    if (self->needsRevalidation_) {
      subscription->replayAfter = after;
      self->startRevalidation();
      co_return;
    }
    if (!self->takesPage()) {
      co_await sleepFor(kSlowPause);
      continue;
    }
    const store::ProjectNo project = self->project_->number();
    // Live batches after the frontier are still to come, so replay and live changes meet exactly here.
    if (after >= self->project_->frontier()) {
      self->goLive(*subscription, after);
      co_return;
    }
    Result<store::ChangeBatch> page;
    {
      co_await self->hub_.replaySemaphore().take();
      const CoreSemaphore::Permit permit(self->hub_.replaySemaphore());
      if (self->replaying(serial, replay) == nullptr) co_return;
      page = co_await self->hub_.deps().feed.changes(project, after, kPageEntries);
    }
    if (self->replaying(serial, replay) == nullptr) co_return;
    if (!page || page->through == after) {
      co_await sleepFor(kReplayPause);
      continue;
    }
    if (!self->holds(self->project_->authState())) {
      co_await self->hub_.lookupSemaphore().take();
      const CoreSemaphore::Permit permit(self->hub_.lookupSemaphore());
      co_await refresh(self);
    }
    subscription = self->replaying(serial, replay);
    if (subscription == nullptr) co_return;
    // Another lookup, which began before the page was read, may have been the one that was applied.
    const bool isCurrent = !self->needsRevalidation_ && self->holds(self->project_->authState());
    if (isCurrent) after = self->replayPage(*subscription, *page, after);
    co_await asio::post(asio::deferred);
  }
}

void Session::goLive(Subscription& subscription, uint64_t after) {
  const uint64_t last = hub_.deps().feed.lastPosition(project_->number());
  subscription.from = std::min(after, last);
  // The log has not reached this position: it was restored to an earlier state.
  if (after > last) sendGap(subscription, last);
  sayCaughtUp(subscription);
}

void Session::sayCaughtUp(Subscription& subscription) {
  if (!std::exchange(subscription.caughtUpDue, false)) return;
  say(caughtUpMessage(subscription.name->id, hub_.positions().write(project_->number(), subscription.from)));
}

uint64_t Session::replayPage(Subscription& subscription, const store::ChangeBatch& page, uint64_t after) {
  if (page.lostUpTo != 0) {
    after = page.lostUpTo;
    sendGap(subscription, after);
  }
  const WorkBudget work(2 * kCoreWork);
  for (const store::ChangeEntry& entry : page.entries) {
    // The next page continues here, after a yield.
    if (blocked_ || work.spent() > kCoreWork / 2) return after;
    if (entry.isGap()) {
      sendGap(subscription, entry.position);
      after = entry.position;
      continue;
    }
    const auto tail = project_->visibleTail(subscription, entry);
    if (!tail) {
      const bool ends = !subscription.filter.matchesAll();
      refuseChange(subscription.serial, entry.position);
      if (ends) return after;
    } else if (*tail) {
      if (!socket_->send(http::makeTextMessage(subscription.name->head + **tail))) {
        // A message that does not fit into an empty socket never will.
        const bool neverFits = socket_->unsentBytes() == 0;
        block();
        if (!neverFits) return after;
        subscription.missed = entry.position;
      }
    }
    after = entry.position;
  }
  return page.through;
}

}  // namespace mb::realtime
