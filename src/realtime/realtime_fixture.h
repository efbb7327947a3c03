// Realtime for an in-memory project, with fake sockets and tokens. For the tests of this module.
#pragma once

#include <map>
#include <thread>

#include "base/blocking.h"
#include "data/data_fixture.h"
#include "http/websocket_message.h"
#include "plans/settable_plan_fixture.h"
#include "realtime/realtime.h"

namespace mb::realtime {

// Tokens for given callers, which tests can end.
class FakeAuthenticator final : public identity::Authenticator {
 public:
  FakeAuthenticator(store::DocumentStore& store, snapshot::Snapshots& snapshots, const Clock& clock)
      : store_(store), snapshots_(snapshots), clock_(clock) {}

  void add(const std::string& token, policy::Caller caller, int64_t expiresMs) {
    const std::lock_guard lock(mutex_);
    tokens_.insert_or_assign(token, Token{std::move(caller), expiresMs, ErrorCode::unauthenticated, true});
    ++drops_;
  }
  // From now on the token fails with this code.
  void fail(const std::string& token, ErrorCode code = ErrorCode::unauthenticated) {
    const std::lock_guard lock(mutex_);
    tokens_.at(token).good = false;
    tokens_.at(token).code = code;
    ++drops_;
  }
  // From now on lookups of the token throw.
  void breakLookup(const std::string& token) {
    const std::lock_guard lock(mutex_);
    tokens_.at(token).throws = true;
    ++drops_;
  }
  // From now on lookups of the token wait for letGo().
  void hold(const std::string& token) {
    const std::lock_guard lock(mutex_);
    held_.insert(token);
  }
  void letGo() {
    const std::lock_guard lock(mutex_);
    held_.clear();
  }
  // Requires another lookup of all callers.
  void drop() { ++drops_; }
  // Lookups of the token so far; concurrent lookups of all tokens: current and maximum.
  int lookups(const std::string& token) const {
    const std::lock_guard lock(mutex_);
    const auto found = lookups_.find(token);
    return found == lookups_.end() ? 0 : found->second;
  }
  int underWay() const { return underWay_; }
  int maxUnderWay() const { return maxUnderWay_; }
  void restore(const std::string& token) {
    const std::lock_guard lock(mutex_);
    tokens_.at(token).good = true;
    tokens_.at(token).throws = false;
  }

  Task<identity::Identified> project(std::string token) override {
    const int now = ++underWay_;
    maxUnderWay_ = std::max<int>(maxUnderWay_, now);
    count(token);
    while (isHeld(token)) co_await sleepFor(std::chrono::milliseconds(1));
    --underWay_;
    co_return co_await identified(std::move(token));
  }
  Task<identity::Identified> control(std::string) override {
    co_return mb::fail(ErrorCode::unauthenticated, "not here");
  }
  std::optional<identity::Identified> cachedProject(std::string_view) override { return std::nullopt; }
  identity::AuthState authState(store::ProjectNo project) const override {
    return {clock_.now().ms, store_.epoch(project), store_.epoch(store::kControlProject), drops_};
  }

 private:
  struct Token {
    policy::Caller caller;
    int64_t expiresMs;
    ErrorCode code;
    bool good;
    bool throws = false;
  };
  Task<identity::Identified> identified(std::string token) {
    const std::optional<Token> known = find(token);
    if (!known) co_return mb::fail(ErrorCode::unauthenticated, "no such token");
    if (known->throws) throw std::runtime_error("as the test asked");
    if (!known->good) co_return mb::fail(known->code, "as the test asked");
    if (known->expiresMs <= clock_.now().ms) co_return mb::fail(ErrorCode::unauthenticated, "expired");
    const identity::AuthState now = authState(known->caller.project);
    CO_TRY(snapshot::SnapshotPtr snapshot, co_await snapshots_.byNumber(known->caller.project));
    identity::CallerValidity validity{.session = {},
                                      .user = {},
                                      .projectEpoch = snapshot->epoch(),
                                      .controlEpoch = now.controlEpoch.value,
                                      .drops = now.drops,
                                      .expiresMs = known->expiresMs};
    co_return identity::Identified{known->caller, std::move(snapshot), validity};
  }
  void count(const std::string& token) {
    const std::lock_guard lock(mutex_);
    ++lookups_[token];
  }
  bool isHeld(const std::string& token) const {
    const std::lock_guard lock(mutex_);
    return held_.contains(token);
  }
  std::optional<Token> find(const std::string& token) const {
    const std::lock_guard lock(mutex_);
    const auto found = tokens_.find(token);
    return found == tokens_.end() ? std::nullopt : std::optional(found->second);
  }

  store::DocumentStore& store_;
  snapshot::Snapshots& snapshots_;
  const Clock& clock_;
  mutable std::mutex mutex_;
  std::map<std::string, Token> tokens_;
  std::set<std::string> held_;
  std::map<std::string, int> lookups_;
  std::atomic<int> underWay_{0};
  std::atomic<int> maxUnderWay_{0};
  std::atomic<uint64_t> drops_{0};
};

// The change log of a store, of which reads can be held up.
class HoldableFeed final : public store::ChangeFeed {
 public:
  explicit HoldableFeed(store::ChangeFeed& feed) : feed_(feed) {}

  // From now on reads wait for letGo().
  void hold() { held_ = true; }
  void letGo() { held_ = false; }
  int waiting() const { return waiting_; }

  Task<store::ChangeBatch> changes(store::ProjectNo project, uint64_t after, size_t limit) override {
    ++waiting_;
    while (held_) co_await sleepFor(std::chrono::milliseconds(1));
    --waiting_;
    co_return co_await feed_.changes(project, after, limit);
  }
  uint64_t lastPosition(store::ProjectNo project) const override { return feed_.lastPosition(project); }
  Task<uint64_t> frontier(store::ProjectNo project) override { return feed_.frontier(project); }
  std::shared_ptr<void> listen(store::ChangeListener listener) override { return feed_.listen(std::move(listener)); }

 private:
  store::ChangeFeed& feed_;
  std::atomic<bool> held_{false};
  std::atomic<int> waiting_{0};
};

// The messages that a socket got, and its capacity. Used on the core only.
class FakeSocket final : public http::WebSocket {
 public:
  bool send(http::WebSocketMessagePtr message) override {
    full = full || capacity == 0;
    if (full || closeCode != 0) return false;
    if (capacity) --*capacity;
    texts.emplace_back(message->payload());
    messages.push_back(std::move(message));
    return true;
  }
  void close(uint16_t code, std::string_view) override { closeCode = code; }
  void closeNow(uint16_t code, std::string_view) override { closeCode = code; }
  size_t unsentBytes() const override { return full ? http::kMaxUnsentBytes : 0; }
  void joinMessages() override { joins = true; }

  bool full = false;
  bool joins = false;
  std::optional<size_t> capacity;  // messages that it still accepts; nullopt: unlimited
  uint16_t closeCode = 0;
  std::vector<std::string> texts;
  std::vector<http::WebSocketMessagePtr> messages;
};

class RealtimeTest : public data::DataTest {
 protected:
  static constexpr int64_t kHour = 3'600'000;

  RealtimeTest() {
    initCrypto();
    open({});
    auth_.add("alice", alice_, kStart + kHour);
    auth_.add("bob", bob_, kStart + kHour);
  }
  ~RealtimeTest() override {
    for (auto& client : clients_) {
      onCore([&] { client->handler->closed(); });
    }
    EXPECT_TRUE(realtime_->stop(std::chrono::seconds(10)));
    cores_.stop();
    cores_.join();
  }
  void open(const RealtimeSettings& settings) {
    if (realtime_) EXPECT_TRUE(realtime_->stop(std::chrono::seconds(10)));
    if (realtime_) onCore([] {});
    realtime_ = std::make_unique<Realtime>(
        RealtimeDeps{feed_, auth_, data_->grants(), cores_, clock_, master_, snapshots_, plan_.slot}, settings);
    realtime_->start();
  }

  // ---- a client
  struct Client {
    std::shared_ptr<http::WebSocketHandler> handler;
    FakeSocket socket;
    size_t read = 0;
  };
  Client& connect() {
    clients_.push_back(std::make_unique<Client>());
    Client& client = *clients_.back();
    onCore([&] {
      auto handler = realtime_->accept("192.0.2.1");
      ASSERT_TRUE(handler);
      client.handler = *std::move(handler);
      client.handler->opened(client.socket);
    });
    return client;
  }
  Client& connectAs(const std::string& token) {
    Client& client = connect();
    say(client, "{\"type\":\"auth\",\"token\":\"" + token + "\"}");
    EXPECT_EQ(next(client), R"({"type":"auth_ok"})");
    return client;
  }
  void say(Client& client, std::string text) { expectOk(run(received(&client, std::move(text)))); }
  // Waits for the next message; "" after ten seconds.
  std::string next(Client& client) {
    for (int i = 0; i < 10'000; ++i) {
      std::string text;
      onCore([&] {
        if (client.read < client.socket.texts.size()) text = client.socket.texts[client.read++];
      });
      if (!text.empty()) return text;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    ADD_FAILURE() << "no message came";
    return {};
  }
  std::vector<std::string> rest(Client& client) {
    settle();
    std::vector<std::string> texts;
    onCore([&] {
      texts.assign(client.socket.texts.begin() + static_cast<std::ptrdiff_t>(client.read), client.socket.texts.end());
      client.read = client.socket.texts.size();
    });
    return texts;
  }
  void follow(Client& client, const std::string& id, const std::string& collection, const std::string& more = "") {
    say(client, R"({"type":"subscribe","id":")" + id + R"(","collection":")" + collection + "\"" + more + "}");
    EXPECT_EQ(next(client), R"({"type":"subscribed","id":")" + id + "\"}");
  }
  // Waits until every written change was sent: a change of a collection that only this socket follows comes after all
  // of them.
  void settle() {
    if (probe_ == nullptr) {
      collection("probes", R"({"read":{}})");
      probe_ = &connectAs("alice");
      follow(*probe_, "p", "probes");
    }
    if (probe_->socket.closeCode != 0) return;
    put("probes", "{}");
    EXPECT_NE(next(*probe_).find("\"probes\""), std::string::npos);
  }
  static std::string field(const std::string& text, std::string_view path) {
    const doc::Document document = data::json(text);
    const auto value = document.view().findPath(path);
    return value && value->type() == doc::BsonType::string ? std::string(value->asString()) : "";
  }
  static std::string code(const std::string& text) { return field(text, "code"); }

  template <class Work>
  void onCore(Work work) {
    std::promise<void> done;
    asio::post(cores_.at(0).get_executor(), [&] {
      work();
      done.set_value();
    });
    done.get_future().get();
  }

  const MasterSecret master_{Secret(std::string(32, 'k'))};
  HoldableFeed feed_{store_.feed()};
  FakeAuthenticator auth_{store_, snapshots_, clock_};
  plans::SettablePlan plan_{snapshots_};
  std::unique_ptr<Realtime> realtime_;
  std::vector<std::unique_ptr<Client>> clients_;
  Client* probe_ = nullptr;

 private:
  static Task<> received(Client* client, std::string text) {
    co_await client->handler->received(std::move(text));
    co_return Result<>();
  }
};

}  // namespace mb::realtime
