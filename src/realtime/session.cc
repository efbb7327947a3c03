// The life of a socket, and its outgoing messages.
#include "realtime/session.h"

#include <algorithm>

namespace mb::realtime {

namespace {

// Seconds.
constexpr int64_t kAuthLimit = 10;
// Less than the http server's limit for a socket without progress, so that the close has a reason.
constexpr int64_t kBlockedLimit = 20;
// Limit of the replies and notices that wait for a blocked socket; past it, it is closed.
constexpr size_t kMaxUnsent = 300;

constexpr std::string_view kTooCostly =
    "the filter takes more work than one change may: use smaller regular expressions or smaller values";

}  // namespace

Session::Session(CoreHub& hub, AddressLimiter::Permit permit, SocketOrigin origin)
    : hub_(hub), origin_(std::move(origin)), unknownPermit_(std::move(permit)) {}

void Session::opened(http::WebSocket& socket) {
  socket_ = &socket;
  openedAt_ = hub_.tick();
  hub_.add(*this);
}

void Session::closed() {
  if (socket_ == nullptr) return;
  leave();
  hub_.remove(*this);
  socket_ = nullptr;
}

// Releases everything but the entry in the core's list of sockets.
void Session::leave() {
  state_ = State::ended;
  dropAll();
  unknownPermit_.reset();
  permit_.reset();
  anonymousPermits_.reset();
  project_.reset();
  credential_ = {};
  caller_ = {};
  unsent_.clear();
}

void Session::end(Code code, std::string_view message) {
  if (state_ == State::ended) return;
  sendError(code, message);
  leave();
  socket_->close(http::closeCode::kPolicyViolation, message);
}

bool Session::checkTimeouts() {
  if (state_ == State::open && hub_.tick() - openedAt_ > kAuthLimit) {
    leave();
    socket_->close(http::closeCode::kPolicyViolation, "authenticate within 10 seconds");
    return false;
  }
  if (blocked_ && state_ != State::ended && hub_.tick() - blockedAt_ > kBlockedLimit) {
    leave();
    socket_->closeNow(http::closeCode::kTryAgainLater, "too slow");
    return false;
  }
  return state_ == State::active && !holds(project_->authState());
}

bool Session::setsChanged() const {
  return state_ == State::active && std::ranges::any_of(sets_, [](const auto& one) { return one.changed(); });
}

Subscription* Session::find(std::string_view id) const {
  const auto found =
      std::ranges::find_if(subscriptions_, [id](const auto& subscription) { return subscription->name->id == id; });
  return found == subscriptions_.end() ? nullptr : found->get();
}

void Session::drop(Subscription& subscription) {
  project_->removeSubscription(subscription);
  hub_.names().release(subscription.name);
  std::erase_if(subscriptions_, [&](const auto& one) { return one.get() == &subscription; });
}

void Session::dropAll() {
  while (!subscriptions_.empty()) drop(*subscriptions_.back());
}

void Session::pause(Code code, std::string_view message) {
  state_ = State::paused;
  paused_ = code;
  for (const auto& subscription : subscriptions_) {
    project_->removeSubscription(*subscription);
    subscription->from = kNotLive;
    ++subscription->replay;
    subscription->replayAfter.reset();
    subscription->missed = 0;
  }
  ++lookups_;
  caller_ = {};
  credential_ = {};
  sendError(code, message);
}

void Session::requireRevalidation(uint64_t position) {
  needsRevalidation_ = true;
  for (const auto& subscription : subscriptions_) {
    if (subscription->from == kNotLive) continue;
    subscription->replayAfter = std::max(subscription->from, position);
    subscription->from = kNotLive;
  }
  startRevalidation();
}

void Session::deliver(Subscription& subscription, const http::WebSocketMessagePtr& message, uint64_t position) {
  if (!blocked_ && !needsRevalidation_ && subscription.missed == 0) {
    if (socket_->send(message)) return;
    block();
  }
  subscription.missed = position;
}

void Session::sendGap(Subscription& subscription, uint64_t position) {
  subscription.missed = std::max(subscription.missed, position);
  catchUp();
}

void Session::refuseChange(uint64_t serial, uint64_t position) {
  const auto found = std::ranges::find(subscriptions_, serial, [](const auto& one) { return one->serial; });
  if (found == subscriptions_.end()) return;
  if ((*found)->filter.matchesAll()) return sendGap(**found, position);
  const std::string id = (*found)->name->id;
  drop(**found);
  sendError(Code::queryTooCostly, kTooCostly, id);
}

void Session::say(std::string text) {
  http::WebSocketMessagePtr message = http::makeTextMessage(std::move(text));
  if (!blocked_) {
    if (socket_->send(message)) return;
    block();
  }
  unsent_.push_back(std::move(message));
  if (unsent_.size() <= kMaxUnsent) return;
  leave();
  socket_->closeNow(http::closeCode::kTryAgainLater, "too slow");
}

void Session::sendError(Code code, std::string_view message, std::string_view id) {
  say(errorMessage(code, message, id));
}

void Session::block() {
  blocked_ = true;
  blockedAt_ = hub_.tick();
}

void Session::drained() {
  if (state_ == State::ended) return;
  blocked_ = false;
  catchUp();
}

// Sends what was delayed, in order of importance: replies first, then the reset and the gap of each subscription.
void Session::catchUp() {
  size_t said = 0;
  while (!blocked_ && said < unsent_.size()) {
    if (socket_->send(unsent_[said])) {
      ++said;
    } else {
      block();
    }
  }
  unsent_.erase(unsent_.begin(), unsent_.begin() + static_cast<std::ptrdiff_t>(said));
  for (const auto& subscription : subscriptions_) {
    if (blocked_ || needsRevalidation_ || !catchUp(*subscription)) return;
  }
}

// False where the socket is full.
bool Session::catchUp(Subscription& subscription) {
  const auto send = [this](std::string text) {
    const bool sent = socket_->send(http::makeTextMessage(std::move(text)));
    if (!sent) block();
    return sent;
  };
  if (subscription.resetDue) {
    if (!send(resetMessage(subscription.name->id))) return false;
    subscription.resetDue = false;
  }
  if (subscription.missed == 0) return true;
  const std::string position = hub_.positions().write(project_->number(), subscription.missed);
  if (!send(gapMessage(subscription.name->id, position))) return false;
  subscription.missed = 0;
  return true;
}

}  // namespace mb::realtime
