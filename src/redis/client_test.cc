#include "redis/client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/blocking.h"
#include "base/log.h"
#include "base/testing.h"
#include "redis/testing.h"

namespace mb::redis {
namespace {

using namespace std::chrono_literals;
using testing::RedisServer;
using testing::ScriptedServer;

class ClientTest : public ::testing::Test {
 protected:
  ClientTest() {
    configureLog(LogLevel::off, LogFormat::text);
    cores_.start();
  }
  ~ClientTest() override {
    client_.reset();
    cores_.stop();
    cores_.join();
  }
  void open(Address address) {
    client_ = std::make_unique<Client>(cores_.at(0).get_executor(), std::move(address));
    client_->subscribe("news", [this](std::optional<std::string> message) {
      const std::lock_guard lock(mutex_);
      if (message) messages_.push_back(*message);
      subscribed_ += message ? 0 : 1;
    });
    client_->start();
  }
  bool untilUp() {
    return until([&] { return client_->up(); });
  }
  // The number of connections that the observer's server has accepted so far; 0 while it is not connected.
  int connections(Client& observer) {
    const Result<Reply> stats = runBlocking(cores_, observer.call({"INFO", "stats"}));
    constexpr std::string_view kName = "total_connections_received:";
    const size_t at = stats ? stats->text.find(kName) : std::string::npos;
    return at == std::string::npos ? 0 : std::atoi(stats->text.c_str() + at + kName.size());
  }
  Result<Reply> call(std::vector<std::string> command) {
    return runBlocking(cores_, client_->call(std::move(command)));
  }
  std::vector<std::string> messages() {
    const std::lock_guard lock(mutex_);
    return messages_;
  }

  Cores cores_{2};
  std::unique_ptr<Client> client_;
  std::mutex mutex_;
  std::vector<std::string> messages_;
  std::atomic<int> subscribed_ = 0;
};

TEST_F(ClientTest, CallsAndListens) {
  MB_REQUIRE_PART(RedisServer::installed(), "redis-server");
  RedisServer server({"--requirepass", "se cret"});
  Address address = server.address();
  address.password = Secret(std::string("se cret"));
  address.database = 3;
  open(address);
  ASSERT_TRUE(untilUp());
  EXPECT_EQ(call({"SET", "k", "v"})->text, "OK");
  EXPECT_EQ(call({"GET", "k"})->text, "v");
  EXPECT_EQ(call({"GET", "none"})->kind, Reply::Kind::nil);
  EXPECT_NE(call({"CLIENT", "INFO"})->text.find(" db=3 "), std::string::npos);
  EXPECT_EQ(call({"NONSENSE"}).error().code(), ErrorCode::upstreamFailed);
  ASSERT_TRUE(until([&] { return subscribed_ == 1; }));
  client_->send({"PUBLISH", "news", "one"});
  client_->send({"PUBLISH", "news", "two"});
  EXPECT_TRUE(until([&] { return messages().size() == 2; }));
  EXPECT_THAT(messages(), ::testing::ElementsAre("one", "two"));
  EXPECT_EQ(call({"SET", "large", std::string(900'000, 'x')})->text, "OK");
  EXPECT_EQ(call({"GET", "large"})->text.size(), 900'000u);
}

TEST_F(ClientTest, AStopLosesNothingThatWasSent) {
  MB_REQUIRE_PART(RedisServer::installed(), "redis-server");
  RedisServer server;
  open(server.address());
  Client observer(cores_.at(1).get_executor(), server.address());
  observer.start();
  ASSERT_TRUE(untilUp());
  ASSERT_TRUE(until([&] { return observer.up(); }));
  // More than a socket takes at once.
  const std::string part(4000, 'x');
  for (int i = 0; i < 900; ++i) client_->send({"APPEND", "k", part});
  client_->stop();
  EXPECT_EQ(runBlocking(cores_, observer.call({"STRLEN", "k"}))->integer, 3'600'000);
  observer.stop();
}

TEST_F(ClientTest, AWrongPasswordIsNoConnection) {
  MB_REQUIRE_PART(RedisServer::installed(), "redis-server");
  RedisServer server({"--requirepass", "right"});
  Address address = server.address();
  address.password = Secret(std::string("wrong"));
  open(address);
  Address right = server.address();
  right.password = Secret(std::string("right"));
  Client observer(cores_.at(1).get_executor(), std::move(right));
  observer.start();
  // One is the observer's; each of the client's two is retried only after it was refused.
  EXPECT_TRUE(until([&] { return connections(observer) >= 6; }));
  EXPECT_FALSE(client_->up());
  EXPECT_EQ(call({"PING"}).error().code(), ErrorCode::unavailable);
}

TEST_F(ClientTest, ComesBackAfterADeathAndAPause) {
  MB_REQUIRE_PART(RedisServer::installed(), "redis-server");
  RedisServer server;
  open(server.address());
  ASSERT_TRUE(untilUp());
  ASSERT_TRUE(until([&] { return subscribed_ == 1; }));
  server.kill();
  EXPECT_TRUE(until([&] { return !client_->up(); }));
  EXPECT_EQ(call({"PING"}).error().code(), ErrorCode::unavailable);
  server.start();
  ASSERT_TRUE(untilUp());
  EXPECT_EQ(call({"PING"})->text, "PONG");
  ASSERT_TRUE(until([&] { return subscribed_ == 2; }));
  server.pause();
  // A call during the pause ends, and later ones fail at once.
  EXPECT_EQ(call({"PING"}).error().code(), ErrorCode::unavailable);
  EXPECT_FALSE(client_->up());
  server.goOn();
  ASSERT_TRUE(untilUp());
  EXPECT_EQ(call({"PING"})->text, "PONG");
}

TEST_F(ClientTest, ManyCallsAtOnce) {
  MB_REQUIRE_PART(RedisServer::installed(), "redis-server");
  RedisServer server;
  open(server.address());
  ASSERT_TRUE(untilUp());
  std::atomic<int> answered = 0;
  std::atomic<int> refused = 0;
  for (int i = 0; i < 3000; ++i) {
    asio::co_spawn(cores_.at(i % 2).get_executor(), client_->call({"ECHO", std::to_string(i)}),
                   [&, i](std::exception_ptr, Result<Reply> reply) {
                     if (reply) EXPECT_EQ(reply->text, std::to_string(i));
                     ++(reply ? answered : refused);
                   });
  }
  EXPECT_TRUE(until([&] { return answered + refused == 3000; }));
  EXPECT_GE(answered, 1000);
}

// Misbehaviours of a server.
TEST_F(ClientTest, EndsCallsWhateverTheServerDoes) {
  struct Case {
    const char* what;
    std::function<std::string(const std::string&)> respond;
  };
  const auto greeted = [](const std::string& read) { return read.find("PING") != std::string::npos; };
  for (const Case& c :
       {Case{"closes at once", [](const std::string&) { return ""; }},
        Case{"says nothing", [](const std::string&) { return "-"; }},
        Case{"garbage", [](const std::string&) { return "HTTP/1.1 400\r\n\r\n"; }},
        Case{"closes after the greeting", [&](const std::string& read) { return greeted(read) ? "+PONG\r\n" : ""; }},
        Case{"says nothing after the greeting",
             [&](const std::string& read) { return greeted(read) ? "+PONG\r\n" : "-"; }},
        Case{"garbage after the greeting",
             [&](const std::string& read) { return greeted(read) ? "+PONG\r\n" : "*99999999\r\n"; }},
        Case{"half a reply", [&](const std::string& read) { return greeted(read) ? "+PONG\r\n" : "$10\r\nhal"; }},
        Case{"more than was asked for", [](const std::string&) { return "+PONG\r\n+PONG\r\n+PONG\r\n"; }},
        Case{"an error to everything", [](const std::string&) { return "-LOADING wait\r\n"; }}}) {
    ScriptedServer server(c.respond);
    open(server.address());
    ASSERT_TRUE(until([&] { return server.accepted() > 0; })) << c.what;
    until([&] { return client_->up() || server.accepted() > 3; });
    for (int i = 0; i < 3; ++i) {
      const auto reply = call({"GET", "k"});
      if (reply) EXPECT_EQ(reply->text, "PONG") << c.what;
    }
    client_.reset();
  }
}

TEST_F(ClientTest, ServerUnreachable) {
  const auto [listener, port] = testing::listenOnLoopback();
  ::close(listener);
  open(testing::addressOf(port));
  EXPECT_EQ(call({"PING"}).error().code(), ErrorCode::unavailable);
  EXPECT_FALSE(client_->up());
}

TEST_F(ClientTest, UnknownHostName) {
  Address address = testing::addressOf(1);
  address.host = "nowhere.invalid";
  open(address);
  EXPECT_EQ(call({"PING"}).error().code(), ErrorCode::unavailable);
}

}  // namespace
}  // namespace mb::redis
