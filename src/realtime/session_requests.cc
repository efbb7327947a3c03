// The client's messages, and the lookup of a socket's caller.
#include <algorithm>
#include <boost/asio/deferred.hpp>

#include "base/log.h"
#include "data/reserved.h"
#include "realtime/anonymous.h"
#include "realtime/session.h"

namespace mb::realtime {

namespace {

using Type = ClientMessage::Type;

// Sessions that apply a lookup before the loop yields the core.
constexpr size_t kRefreshesPerYield = 16;
// Of reading a collection's view for a subscription, if the caller is looked up again during the read.
constexpr int kViewAttempts = 3;
// Limits of a socket's subscriptions together: bytes of filters and fields, and regular expressions, each of which
// takes up to 3 MiB.
constexpr size_t kMaxSelectionBytes = 128 << 10;
constexpr size_t kMaxPatterns = 4;
constexpr std::string_view kExpired = "the token has expired; authenticate with a fresh one";
constexpr std::string_view kRefused = "the token is no longer valid; authenticate with another one";

data::Authority authorityOf(const ClientMessage& message) {
  return message.admin ? data::Authority::admin : data::Authority::policies;
}

size_t countPatterns(const doc::FilterNode& node) {
  size_t count = node.patterns.size();
  for (const auto& child : node.children) count += countPatterns(*child);
  return count;
}

bool isProjectClosed(ErrorCode code) {
  return code == ErrorCode::projectSuspended || code == ErrorCode::notFound;
}

// A lookup that throws does not make the token invalid: it is unavailable now.
Task<identity::Identified> identify(Task<identity::Identified> lookup) {
  try {
    co_return co_await std::move(lookup);
  } catch (const std::exception& exception) {
    logError("socket token lookup failed", {{"exception", exception.what()}});
  }
  co_return fail(ErrorCode::unavailable, "the token could not be checked now: try again");
}

// What identifies the anonymous sockets of a project. It has a character that no token has.
std::string anonymousCredential(store::ProjectNo project) {
  return "anonymous " + std::to_string(project);
}

// Whether rules give both the same values. The times of a token change with each fresh one.
bool isSameReader(const policy::Caller& one, const policy::Caller& other) {
  static const doc::FieldSet times({"exp", "iat"});
  if (one.kind != other.kind || one.id != other.id || one.role != other.role) return false;
  return one.claims == other.claims || times.strip(one.claims) == times.strip(other.claims);
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
    co_await authenticate(std::move(self), std::move(message));
  } else if (message.type == Type::subscribe) {
    co_await subscribe(std::move(self), std::move(message));
  } else {
    self->unsubscribe(message);
  }
}

Async<void> Session::authenticate(std::shared_ptr<Session> self, ClientMessage message) {
  const RealtimeDeps& deps = self->hub_.deps();
  Result<identity::Identified> who;
  if (message.anonymous) {
    who = co_await identify(identifyAnonymous(deps, self->origin_.project));
  } else {
    who = co_await identify(deps.authenticator.project(message.token));
  }
  if (self->state_ == State::ended) co_return;
  if (!who) {
    message.anonymous ? self->refuseAnonymous(who.error()) : self->refuseToken(who.error());
    co_return;
  }
  if (!self->enter(*who)) co_return;
  Views views;
  const Result<> read = co_await viewsFor(self, *who, views);
  if (self->state_ == State::ended) co_return;
  if (!read) {
    if (!self->anonymous_) self->anonymousPermits_.reset();
    self->refuseToken(read.error());
    co_return;
  }
  self->anonymous_ = message.anonymous;
  if (!message.anonymous) self->anonymousPermits_.reset();
  self->credential_ = message.anonymous ? anonymousCredential(who->caller.project) : std::move(message.token);
  self->state_ = State::active;
  if (message.batch) self->socket_->joinMessages();
  self->say(authOkMessage());
  self->adopt(*std::move(who), views);
}

Task<> Session::viewsFor(std::shared_ptr<Session> self, const identity::Identified& who, Views& views) {
  const auto withoutView = [&]() -> const Subscription* {
    const auto missing = std::ranges::find_if(
        self->subscriptions_, [&](const auto& subscription) { return !views.contains(viewKey(*subscription)); });
    return missing == self->subscriptions_.end() ? nullptr : missing->get();
  };
  // The client may subscribe while a view is read.
  while (const Subscription* subscription = withoutView()) {
    ViewKey key = viewKey(*subscription);
    CO_TRY(std::optional<data::EventView> view, co_await viewOf(self, who.caller, who.project, key));
    views.emplace(std::move(key), std::move(view));
  }
  co_return Result<>();
}

Task<std::optional<data::EventView>> Session::viewOf(std::shared_ptr<Session> self, const policy::Caller& caller,
                                                     snapshot::SnapshotPtr project, ViewKey viewed) {
  auto view = co_await data::eventViewFor(self->hub_.deps().grants, caller, std::move(project), std::move(viewed.first),
                                          viewed.second);
  if (view) co_return *std::move(view);
  const ErrorCode code = view.error().code();
  const bool denied = code == ErrorCode::forbidden || code == ErrorCode::notFound || code == ErrorCode::unauthenticated;
  if (denied) co_return std::nullopt;
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

void Session::refuseAnonymous(const Error& error) {
  const bool unknown = error.code() == ErrorCode::unauthenticated;
  sendError(Code::authFailed, unknown ? "this project shows nothing without a token"
                                      : "the project could not be looked up now: try again");
}

// From here on this caller's permissions apply.
void Session::adopt(identity::Identified who, const Views& views) {
  if (state_ != State::active) return;
  ++lookups_;
  const bool readerChanged = !isSameReader(caller_, who.caller);
  caller_ = std::move(who.caller);
  validity_ = who.validity;
  needsRevalidation_ = false;
  sets_.clear();
  project_->updateSnapshot(who.project);
  const data::CollectionTable& table = hub_.deps().grants.table(*project_->snapshot());
  std::vector<std::pair<Subscription*, Refusal>> ended;
  for (const auto& subscription : subscriptions_) {
    const data::CollectionPtr* found = table.find(subscription->collection);
    if (found == nullptr || (*found)->info.number != subscription->number || (*found)->isMissing) {
      ended.emplace_back(subscription.get(), Refusal{Code::notFound, "the collection was dropped or renamed"});
      continue;
    }
    const auto view = views.find(viewKey(*subscription));
    const bool current =
        view != views.end() && view->second && view->second->collection->info.number == subscription->number;
    if (current) noteSets(view->second->sets);
    const bool sees = current && !view->second->refused;
    auto refusal = applyView(*subscription, sees ? &*view->second : nullptr, readerChanged);
    if (refusal) ended.emplace_back(subscription.get(), *std::move(refusal));
  }
  std::vector<std::pair<std::string, Refusal>> replies;
  for (auto& [subscription, refusal] : ended) {
    replies.emplace_back(subscription->name->id, std::move(refusal));
    drop(*subscription);
  }
  for (const auto& [id, refusal] : replies) {
    if (state_ == State::active) sendError(refusal.first, refusal.second, id);
  }
  if (state_ == State::active) catchUp();
}

std::optional<Refusal> Session::applyView(Subscription& subscription, const data::EventView* view, bool readerChanged) {
  if (view) {
    if (auto refusal = adaptFilter(subscription, *view)) return refusal;
    if (subscription.name->rendering->reader != view->reader) {
      Name* before = subscription.name;
      subscription.name = hub_.names().acquire(before->id, view->reader, before->rendering->fields);
      hub_.names().release(before);
    }
  }
  // After a pause it continues with later writes.
  const bool paused = !subscription.listed;
  if (paused) subscription.from = project_->addSubscription(subscription);
  const bool seesOther = project_->place(subscription, view);
  subscription.resetDue = subscription.resetDue || (subscription.leave && (readerChanged || paused || seesOther));
  return std::nullopt;
}

std::optional<Refusal> Session::adaptFilter(Subscription& subscription, const data::EventView& view) {
  if (subscription.filterSource.view().empty()) return std::nullopt;
  if (subscription.parsedFor != view.collection) {
    auto filter = doc::Filter::parse(subscription.filterSource, &view.collection->coercion());
    if (!filter) return Refusal{Code::invalidMessage, "filter: " + filter.error().message()};
    subscription.filter = *std::move(filter);
    subscription.parsedFor = view.collection;
  }
  const auto allowed = policy::refuseDeniedFields(subscription.filter, view.denied());
  if (!allowed) return Refusal{Code::forbidden, allowed.error().message()};
  return std::nullopt;
}

void Session::noteSets(const policy::SetValues& sets) {
  if (!sets.empty() && std::ranges::find(sets_, sets) == sets_.end()) sets_.push_back(sets);
}

Async<void> Session::refresh(std::shared_ptr<Session> self) {
  return refreshTogether({std::move(self)});
}

Async<void> Session::refreshTogether(std::vector<std::shared_ptr<Session>> sharing) {
  std::erase_if(sharing, [](const auto& session) { return !session->needsLookup(); });
  if (sharing.empty()) co_return;
  const std::shared_ptr<Session> first = sharing.front();
  const std::string credential = first->credential_;
  // A session may authenticate with another token, or be looked up by another call, during the lookup.
  std::vector<uint32_t> counts;
  std::erase_if(sharing, [&](const auto& session) { return session->credential_ != credential; });
  for (const auto& session : sharing) counts.push_back(session->lookups_);
  const RealtimeDeps& deps = first->hub_.deps();
  const store::ProjectNo project = first->project_->number();
  const identity::AuthState now = deps.authenticator.authState(project);
  Result<identity::Identified> who;
  if (std::ranges::all_of(sharing, [&](const auto& session) { return session->callerHolds(now); })) {
    // Only sets have changed.
    who = identity::Identified{first->caller_, first->project_->snapshot(), first->validity_};
  } else if (first->anonymous_) {
    who = co_await identify(identifyAnonymousAgain(deps, project));
  } else {
    who = co_await identify(deps.authenticator.project(credential));
  }
  Views views;  // the same for all
  for (size_t i = 0; i < sharing.size(); ++i) {
    if (i > 0 && i % kRefreshesPerYield == 0) co_await asio::post(asio::deferred);
    const std::shared_ptr<Session>& session = sharing[i];
    Result<> read;
    if (who && session->state_ == State::active) read = co_await viewsFor(session, *who, views);
    if (session->state_ != State::active || session->lookups_ != counts[i]) continue;
    session->applyLookup(who, read ? &views : nullptr);
  }
}

bool Session::needsLookup() {
  if (state_ != State::active) return false;
  if (hub_.deps().authenticator.authState(project_->number()).nowMs < validity_.expiresMs) return true;
  pause(Code::tokenExpired, kExpired);
  return false;
}

void Session::applyLookup(const Result<identity::Identified>& who, const Views* views) {
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

std::optional<Refusal> Session::refusalOf(const ClientMessage& message) const {
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
    if (!refusal && self->needsRevalidation_)
      refusal = Refusal{Code::forbidden, "this could not be checked now: try again"};
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
      refusal = Refusal{Code::forbidden, "the position of the change log could not be read: try again"};
    }
  }
  if (!refusal && self->hub_.deps().reachable) {
    const auto reached = co_await self->hub_.deps().reachable(self->project_->number());
    if (self->state_ == State::ended) co_return;
    refusal = self->refusalOf(message);
    if (!refusal && !reached) refusal = Refusal{Code::unavailable, reached.error().message()};
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
    const auto view =
        co_await viewOf(self, caller, self->project_->snapshot(), {message.collection, authorityOf(message)});
    if (self->state_ == State::ended) co_return;
    refusal = self->refusalOf(message);
    const bool denied = view && (!*view || (*view)->refused);
    if (!refusal && denied) refusal = Refusal{Code::forbidden, "this collection may not be followed"};
    if (refusal) break;
    // The caller may have been looked up again during the read.
    if (!view || lookups != self->lookups_) continue;
    self->begin(std::move(message), **view, frontier, after);
    co_return;
  }
  if (!refusal) refusal = Refusal{Code::forbidden, "this could not be checked now: try again"};
  self->sendError(refusal->first, refusal->second, message.id);
}

void Session::begin(ClientMessage message, const data::EventView& view, uint64_t frontier,
                    std::optional<uint64_t> after) {
  auto owned = std::make_unique<Subscription>();
  Subscription& subscription = *owned;
  subscription.filterSource = std::move(message.filter);
  auto refusal = adaptFilter(subscription, view);
  if (!refusal) refusal = exceedsLimits(subscription, message.fields);
  if (refusal) return sendError(refusal->first, refusal->second, message.id);
  subscription.session = this;
  subscription.name = hub_.names().acquire(message.id, view.reader, message.fields);
  subscription.serial = hub_.nextSerial();
  subscription.collection = message.collection;
  subscription.number = view.collection->info.number;
  subscription.events = message.events;
  subscription.leave = message.leave;
  subscription.caughtUpDue = message.caughtUp;
  subscription.authority = authorityOf(message);
  subscriptions_.push_back(std::move(owned));
  const uint64_t last = std::max(frontier, project_->addSubscription(subscription));
  project_->place(subscription, &view);
  noteSets(view.sets);
  subscription.from = after && *after != last ? kNotLive : last;
  say(subscribedMessage(message.id));
  // say() may have ended the session, and with it the subscription.
  if (state_ == State::ended) return;
  if (subscription.from != kNotLive) return sayCaughtUp(subscription);
  if (!startReplay(subscription, *after)) subscription.from = last;
}

std::optional<Refusal> Session::exceedsLimits(const Subscription& added, const doc::FieldSet& fields) const {
  size_t bytes = 0;
  size_t patterns = 0;
  const auto count = [&](const Subscription& subscription, const doc::FieldSet& shown) {
    bytes += subscription.filterSource.size();
    for (const std::string& path : shown.paths()) bytes += path.size();
    patterns += countPatterns(subscription.filter.root());
  };
  count(added, fields);
  for (const auto& other : subscriptions_) count(*other, other->name->rendering->fields);
  if (bytes > kMaxSelectionBytes) {
    return Refusal{Code::forbidden, "the filters and fields of a socket hold at most 128 KiB"};
  }
  if (patterns > kMaxPatterns) {
    return Refusal{Code::forbidden, "the filters of a socket hold at most 4 regular expressions"};
  }
  return std::nullopt;
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
