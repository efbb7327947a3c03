// The client's messages, and the lookup of a socket's caller.
#include <algorithm>
#include <boost/asio/deferred.hpp>

#include "base/log.h"
#include "data/reserved.h"
#include "realtime/session.h"

namespace mb::realtime {

namespace {

using Type = ClientMessage::Type;

// Sessions that apply a lookup before the loop yields the core.
constexpr size_t kRefreshesPerYield = 16;
// Of reading a collection's view for a subscription, if the caller is looked up again during the read.
constexpr int kViewAttempts = 3;
constexpr std::string_view kExpired = "the token has expired; authenticate with a fresh one";
constexpr std::string_view kRefused = "the token is no longer valid; authenticate with another one";

bool isProjectClosed(ErrorCode code) {
  return code == ErrorCode::projectSuspended || code == ErrorCode::notFound;
}

// A lookup that throws does not make the token invalid: it is unavailable now.
Task<identity::Identified> identify(identity::Authenticator& authenticator, std::string token) {
  try {
    co_return co_await authenticator.project(std::move(token));
  } catch (const std::exception& exception) {
    logError("socket token lookup failed", {{"exception", exception.what()}});
  }
  co_return fail(ErrorCode::unavailable, "the token could not be checked now: try again");
}

}  // namespace

Async<void> Session::received(std::string message) {
  return receive(shared_from_this(), std::move(message));
}

Async<void> Session::receive(std::shared_ptr<Session> self, std::string text) {
  if (self->state_ == State::ended) co_return;
  ClientMessage message = readMessage(text);
  const bool comesTooSoon = self->state_ == State::open && message.type != Type::auth && message.type != Type::none;
  if (comesTooSoon) {
    self->sendError(Code::unauthenticated, "authenticate first: {\"type\":\"auth\",\"token\":…}", message.id);
  } else if (!message.problem.empty()) {
    self->sendError(Code::invalidMessage, message.problem, message.id);
  } else if (message.type == Type::auth) {
    co_await authenticate(std::move(self), std::move(message.token));
  } else if (message.type == Type::subscribe) {
    co_await subscribe(std::move(self), std::move(message));
  } else {
    self->unsubscribe(message);
  }
}

Async<void> Session::authenticate(std::shared_ptr<Session> self, std::string token) {
  std::string lookedUp = token;
  Result<identity::Identified> who = co_await identify(self->hub_.deps().authenticator, std::move(lookedUp));
  if (self->state_ == State::ended) co_return;
  if (!who) {
    self->refuseToken(who.error());
    co_return;
  }
  if (self->state_ == State::open) {
    if (!self->enter(*who)) co_return;
  } else if (who->caller.project != self->project_->number()) {
    self->sendError(Code::authFailed, "this socket belongs to another project");
    co_return;
  }
  const Result<Views> views = co_await viewsFor(self, *who);
  if (self->state_ == State::ended) co_return;
  if (!views) {
    self->refuseToken(views.error());
    co_return;
  }
  ++self->tokens_;
  self->token_ = std::move(token);
  self->state_ = State::active;
  self->say(authOkMessage());
  self->adopt(*std::move(who), *views);
}

Task<Session::Views> Session::viewsFor(std::shared_ptr<Session> self, const identity::Identified& who) {
  Views views;
  const auto withoutView = [&]() -> const Subscription* {
    const auto missing = std::ranges::find_if(
        self->subscriptions_, [&](const auto& subscription) { return !views.contains(subscription->collection); });
    return missing == self->subscriptions_.end() ? nullptr : missing->get();
  };
  // The client may subscribe while a view is read.
  while (const Subscription* subscription = withoutView()) {
    std::string collection = subscription->collection;
    CO_TRY(std::optional<data::EventView> view, co_await viewOf(self, who.caller, who.project, collection));
    views.emplace(std::move(collection), std::move(view));
  }
  co_return views;
}

Task<std::optional<data::EventView>> Session::viewOf(std::shared_ptr<Session> self, const policy::Caller& caller,
                                                     snapshot::SnapshotPtr project, std::string collection) {
  auto view = co_await data::eventViewFor(self->hub_.deps().grants, caller, std::move(project), std::move(collection));
  if (view) co_return *std::move(view);
  const ErrorCode code = view.error().code();
  if (code == ErrorCode::forbidden || code == ErrorCode::notFound) co_return std::nullopt;
  logError("what a socket's caller may see could not be read", {{"message", view.error().message()}});
  co_return fail(ErrorCode::unavailable, "the caller's rights could not be checked now: try again");
}

void Session::refuseToken(const Error& error) {
  if (state_ == State::open && error.code() == ErrorCode::projectSuspended) {
    end(Code::forbidden, "this project is suspended");
  } else if (error.code() == ErrorCode::unauthenticated || isProjectClosed(error.code())) {
    sendError(Code::authFailed, "this token is not valid");
  } else {
    sendError(Code::authFailed, "the token could not be checked now: try again");
  }
}

// Takes one of the project's connection permits, for the life of the socket.
bool Session::enter(const identity::Identified& who) {
  const store::ProjectNo project = who.caller.project;
  permit_ = hub_.shared().connections->take(project);
  if (!permit_) {
    end(Code::connectionLimit, "plan limit: this project has reached its limit of realtime connections");
    return false;
  }
  unknownPermit_.reset();
  project_ = hub_.project(project);
  return true;
}

// From here on this caller's permissions apply.
void Session::adopt(identity::Identified who, const Views& views) {
  if (state_ != State::active) return;
  ++lookups_;
  usesSets_ = false;
  caller_ = std::move(who.caller);
  validity_ = who.validity;
  needsRevalidation_ = false;
  project_->updateSnapshot(who.project);
  const data::CollectionTable& table = hub_.deps().grants.table(*project_->snapshot());
  std::vector<Subscription*> gone;
  for (const auto& subscription : subscriptions_) {
    const data::CollectionPtr* found = table.find(subscription->collection);
    if (found == nullptr || (*found)->info.number != subscription->number) {
      gone.push_back(subscription.get());
      continue;
    }
    // After a pause it continues with later writes.
    if (!subscription->listed) subscription->from = project_->addSubscription(*subscription);
    const auto view = views.find(subscription->collection);
    const bool sees =
        view != views.end() && view->second && view->second->collection->info.number == subscription->number;
    subscription->sets = sees ? view->second->sets : policy::SetValues();
    usesSets_ = usesSets_ || !subscription->sets.empty();
    project_->place(*subscription, sees ? &*view->second : nullptr);
  }
  std::vector<std::string> ids;
  for (Subscription* subscription : gone) {
    ids.push_back(subscription->name->id);
    drop(*subscription);
  }
  for (const std::string& id : ids) {
    if (state_ == State::active) sendError(Code::notFound, "the collection was dropped or renamed", id);
  }
  if (state_ == State::active) catchUp();
}

Async<void> Session::refresh(std::shared_ptr<Session> self) {
  return refreshTogether({std::move(self)});
}

Async<void> Session::refreshTogether(std::vector<std::shared_ptr<Session>> sharing) {
  std::erase_if(sharing, [](const auto& session) { return !session->needsLookup(); });
  if (sharing.empty()) co_return;
  std::string token = sharing.front()->token_;
  std::vector<uint32_t> tokens;  // current counts: a session may authenticate with another token during the lookup
  std::erase_if(sharing, [&token](const auto& session) { return session->token_ != token; });
  for (const auto& session : sharing) tokens.push_back(session->tokens_);
  const Result<identity::Identified> who =
      co_await identify(sharing.front()->hub_.deps().authenticator, std::move(token));
  for (size_t i = 0; i < sharing.size(); ++i) {
    if (i > 0 && i % kRefreshesPerYield == 0) co_await asio::post(asio::deferred);
    const std::shared_ptr<Session>& session = sharing[i];
    Result<Views> views;
    if (who && session->state_ == State::active) views = co_await viewsFor(session, *who);
    if (session->state_ == State::active && session->tokens_ == tokens[i]) session->applyLookup(who, views);
  }
}

bool Session::needsLookup() {
  if (state_ != State::active) return false;
  if (hub_.deps().authenticator.authState(project_->number()).nowMs < validity_.expiresMs) return true;
  pause(Code::tokenExpired, kExpired);
  return false;
}

void Session::applyLookup(const Result<identity::Identified>& who, const Result<Views>& views) {
  if (who && views) {
    adopt(*who, *views);
  } else if (who) {
    needsRevalidation_ = true;
  } else if (isProjectClosed(who.error().code())) {
    end(Code::forbidden, "this project is suspended or deleted");
  } else if (who.error().code() != ErrorCode::unauthenticated) {
    needsRevalidation_ = true;
  } else if (needsLookup()) {
    pause(Code::authFailed, kRefused);
  }
}

std::optional<std::pair<Code, std::string_view>> Session::refusalOf(const ClientMessage& message) const {
  using Refusal = std::pair<Code, std::string_view>;
  if (find(message.id) != nullptr) return Refusal{Code::duplicateId, "this socket has a subscription with this id"};
  if (data::isReservedCollection(message.collection)) return Refusal{Code::notFound, "no such collection"};
  if (state_ == State::paused) return Refusal{paused_, paused_ == Code::tokenExpired ? kExpired : kRefused};
  if (subscriptions_.size() >= kMaxSubscriptions) {
    return Refusal{Code::forbidden, "a socket holds at most 100 subscriptions"};
  }
  return std::nullopt;
}

Async<void> Session::subscribe(std::shared_ptr<Session> self, ClientMessage message) {
  auto refusal = self->refusalOf(message);
  if (!refusal && !self->holds(self->project_->authState())) {
    co_await refresh(self);
    if (self->state_ == State::ended) co_return;
    refusal = self->refusalOf(message);
    if (!refusal && self->needsRevalidation_) refusal = {Code::forbidden, "this could not be checked now: try again"};
  }
  // Changes that another instance committed before the subscription are not sent to it.
  uint64_t frontier = 0;
  if (!refusal) {
    const auto known = co_await self->hub_.deps().feed.frontier(self->project_->number());
    if (self->state_ == State::ended) co_return;
    refusal = self->refusalOf(message);
    if (known) {
      frontier = *known;
    } else if (!refusal) {
      refusal = {Code::forbidden, "the position of the change log could not be read: try again"};
    }
  }
  if (refusal) {
    self->sendError(refusal->first, refusal->second, message.id);
    co_return;
  }
  std::optional<uint64_t> after;
  if (message.after) {
    after = self->hub_.positions().read(self->project_->number(), *message.after);
    if (!after) {
      self->sendError(Code::invalidMessage, "after is not a position of this project", message.id);
      co_return;
    }
  }
  for (int attempt = 0; attempt < kViewAttempts; ++attempt) {
    const policy::Caller caller = self->caller_;
    const uint32_t lookups = self->lookups_;
    const auto view = co_await viewOf(self, caller, self->project_->snapshot(), message.collection);
    if (self->state_ == State::ended) co_return;
    refusal = self->refusalOf(message);
    if (!refusal && view && !*view) refusal = {Code::forbidden, "this collection may not be followed"};
    if (refusal) break;
    // The caller may have been looked up again during the read.
    if (!view || lookups != self->lookups_) continue;
    self->begin(message, **view, frontier, after);
    co_return;
  }
  if (!refusal) refusal = {Code::forbidden, "this could not be checked now: try again"};
  self->sendError(refusal->first, refusal->second, message.id);
}

void Session::begin(const ClientMessage& message, const data::EventView& view, uint64_t frontier,
                    std::optional<uint64_t> after) {
  auto owned = std::make_unique<Subscription>();
  Subscription& subscription = *owned;
  subscription.session = this;
  subscription.name = hub_.names().acquire(message.id);
  subscription.serial = hub_.nextSerial();
  subscription.collection = message.collection;
  subscription.number = view.collection->info.number;
  subscription.events = message.events;
  subscriptions_.push_back(std::move(owned));
  const uint64_t last = std::max(frontier, project_->addSubscription(subscription));
  project_->place(subscription, &view);
  subscription.sets = view.sets;
  usesSets_ = usesSets_ || !view.sets.empty();
  subscription.from = after && *after != last ? kNotLive : last;
  say(subscribedMessage(message.id));
  if (subscription.from != kNotLive || state_ == State::ended) return;
  if (!startReplay(subscription, *after)) subscription.from = last;
}

void Session::unsubscribe(const ClientMessage& message) {
  Subscription* subscription = find(message.id);
  if (subscription == nullptr) {
    sendError(Code::unknownSubscription, "this socket has no subscription with this id", message.id);
    return;
  }
  drop(*subscription);
  say(unsubscribedMessage(message.id));
}

}  // namespace mb::realtime
