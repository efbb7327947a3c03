// One socket: its caller, its subscriptions, its delayed messages. Used on its core only. Private to this module.
//
//   open    not authenticated; must authenticate within ten seconds
//   active  its caller is looked up again whenever it may have changed
//   paused  the token is not valid any more: no events are sent until a new one arrives
//   ended   closed, or about to close
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "realtime/core_hub.h"

namespace mb::realtime {

// Where a socket comes from.
struct SocketOrigin {
  std::string address;                 // as limits count it
  std::optional<std::string> project;  // see Realtime::accept()
};

// A reply that refuses a message, or ends a subscription.
using Refusal = std::pair<Code, std::string>;

class Session final : public http::WebSocketHandler, public std::enable_shared_from_this<Session> {
 public:
  Session(CoreHub& hub, AddressLimiter::Permit permit, SocketOrigin origin);

  // ---- http::WebSocketHandler
  void opened(http::WebSocket& socket) override;
  Async<void> received(std::string message) override;
  void drained() override;
  void closed() override;

  // ---- for the hubs
  // Whether the caller is as it was when it was looked up.
  bool callerHolds(const identity::AuthState& now) const { return state_ != State::active || validity_.holds(now); }
  // Whether a set of the caller that decides what a subscription sees may have changed since it was read.
  bool setsChanged() const;
  // Looks the caller up again and applies the result.
  static Async<void> refresh(std::shared_ptr<Session> self);
  // The same for sessions that share a credential, with one lookup.
  static Async<void> refreshTogether(std::vector<std::shared_ptr<Session>> sharing);
  // The token; for an anonymous socket, a text that those of its project share and that cannot be a token.
  const std::string& credential() const { return credential_; }
  // An event that cannot be sent is recorded, for a gap later.
  void deliver(Subscription& subscription, const http::WebSocketMessagePtr& message, uint64_t position);
  void sendGap(Subscription& subscription, uint64_t position);
  // A change at `position` whose match with the subscription's filter costs too much: ends a subscription with a filter
  // of the client, and gives another a gap, as a document must not end what its readers did not cause. Ignores a
  // subscription that no longer exists.
  void refuseChange(uint64_t serial, uint64_t position);
  // The caller, or its sets, must be looked up again: this begins it. Live subscriptions then replay the changes after
  // `position` from the log.
  void requireRevalidation(uint64_t position);
  // Called each second. True where the caller must be looked up again.
  bool checkTimeouts();
  size_t& placeInHub() { return placeInHub_; }

 private:
  enum class State { open, active, paused, ended };
  // What a caller may see of a collection, under an authority.
  using ViewKey = std::pair<std::string, data::Authority>;
  static ViewKey viewKey(const Subscription& subscription) { return {subscription.collection, subscription.authority}; }
  // What a caller may see of the collections of its subscriptions; nullopt: nothing.
  using Views = std::map<ViewKey, std::optional<data::EventView>>;
  struct AnonymousPermits {
    AddressLimiter::Permit ofAddress;
    ProjectLimiter::Permit ofProject;
  };

  static Async<void> receive(std::shared_ptr<Session> self, std::string text);
  static Async<void> authenticate(std::shared_ptr<Session> self, ClientMessage message);
  static Async<void> subscribe(std::shared_ptr<Session> self, ClientMessage message);
  static Async<void> replay(std::shared_ptr<Session> self, uint64_t serial, uint64_t replay, uint64_t after);
  static Async<void> revalidate(std::shared_ptr<Session> self);
  void unsubscribe(const ClientMessage& message);
  // The error of a subscribe message that is known before the collection is looked up.
  std::optional<Refusal> refusalOf(const ClientMessage& message) const;
  bool holds(const identity::AuthState& now) const { return callerHolds(now) && !setsChanged(); }
  void refuseToken(const Error& error);
  void refuseAnonymous(const Error& error);
  // False where the token has expired, which pauses the session, or where no lookup is needed.
  bool needsLookup();
  // `views`: null if they could not be read.
  void applyLookup(const Result<identity::Identified>& who, const Views* views);
  // Checks that the caller is of the socket's project, and takes the permits that the socket needs for it, within the
  // plan that the project has now. Otherwise replies, and returns false.
  bool enter(const identity::Identified& who);
  // `max`: the plan's limit of the project's sockets.
  bool takeAnonymousPermits(store::ProjectNo project, std::optional<size_t> max);
  // Adds the views that are missing of the subscriptions that the session has when it returns. Fails with unavailable.
  // `who` and `views` outlive the call.
  static Task<> viewsFor(std::shared_ptr<Session> self, const identity::Identified& who, Views& views);
  static Task<std::optional<data::EventView>> viewOf(std::shared_ptr<Session> self, const policy::Caller& caller,
                                                     snapshot::SnapshotPtr project, ViewKey viewed);
  void adopt(identity::Identified who, const Views& views);
  // Applies the caller's view (null: it sees nothing) to a subscription; why it ends, or nullopt. `readerChanged`: the
  // caller is not who it was.
  std::optional<Refusal> applyView(Subscription& subscription, const data::EventView* view, bool readerChanged);
  // Parses the client's filter for the view's version of the collection; why it may not be used, or nullopt.
  static std::optional<Refusal> adaptFilter(Subscription& subscription, const data::EventView& view);
  void noteSets(const policy::SetValues& sets);
  void begin(ClientMessage message, const data::EventView& view, uint64_t frontier, std::optional<uint64_t> after);
  std::optional<Refusal> exceedsLimits(const Subscription& added, const doc::FieldSet& fields) const;
  // From now on the subscription reads the changes after `after` from the log, until it has caught up; false during
  // shutdown.
  bool startReplay(Subscription& subscription, uint64_t after);
  void startRevalidation();
  // Sends the visible changes of a page to a replaying subscription; returns the last position that was handled.
  uint64_t replayPage(Subscription& subscription, const store::ChangeBatch& page, uint64_t after);
  void goLive(Subscription& subscription, uint64_t after);
  // Sends a caughtUpMessage() if it is due: the subscription is live.
  void sayCaughtUp(Subscription& subscription);
  Subscription* replaying(uint64_t serial, uint64_t replay) const;
  bool takesPage() const;

  Subscription* find(std::string_view id) const;
  void drop(Subscription& subscription);
  void dropAll();
  void pause(Code code, std::string_view message);
  // Sends the error and closes.
  void end(Code code, std::string_view message);
  void leave();

  // Sends a message that must arrive: it is queued where the socket is full.
  void say(std::string text);
  void sendError(Code code, std::string_view message, std::string_view id = "");
  void block();
  void catchUp();
  bool catchUp(Subscription& subscription);

  CoreHub& hub_;
  const SocketOrigin origin_;
  http::WebSocket* socket_ = nullptr;
  State state_ = State::open;
  bool blocked_ = false;            // the socket has refused a message and has not drained since
  bool needsRevalidation_ = false;  // the caller, or its sets, could not be looked up, or were not yet
  bool revalidating_ = false;       // revalidate() runs
  bool anonymous_ = false;          // without a token
  Code paused_ = Code::tokenExpired;
  int64_t openedAt_ = 0;  // ticks of the hub
  int64_t blockedAt_ = 0;
  size_t placeInHub_ = 0;
  std::optional<AddressLimiter::Permit> unknownPermit_;
  std::optional<ProjectLimiter::Permit> permit_;
  std::optional<AnonymousPermits> anonymousPermits_;
  std::string credential_;
  policy::Caller caller_;
  identity::CallerValidity validity_;
  uint32_t lookups_ = 0;  // how often the caller was set or cleared: a lookup that began before is ignored
  std::vector<policy::SetValues> sets_;  // different ones of the subscriptions
  std::shared_ptr<ProjectHub> project_;
  std::vector<std::unique_ptr<Subscription>> subscriptions_;
  std::vector<http::WebSocketMessagePtr> unsent_;  // at most kMaxUnsent
};

}  // namespace mb::realtime
