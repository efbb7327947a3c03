// The limits of a project's sockets: the plan's, and that of the instance.
#include "realtime/connection_limiter.h"
#include "realtime/realtime_fixture.h"

namespace mb::realtime {
namespace {

constexpr std::string_view kOfInstance = "plan limit: this project has reached its limit of realtime connections";
constexpr std::string_view kPublicPosts = R"({"read":{},"public":{"read":{}}})";

class PlanSocketsTest : public RealtimeTest {
 protected:
  void plan(std::optional<int64_t> max) {
    plan_.set(plans::Limit::realtimeConnections, max);
    store_.bumpEpoch(project_);
  }
  // Before the first socket.
  void instance(size_t max) {
    RealtimeSettings settings;
    settings.maxConnections = max;
    open(settings);
  }
  static std::string ofPlan(int64_t max, int64_t use) {
    return fmt::format("plan limit: realtimeConnections: the plan Tiny allows {} realtime connections, in use are {}",
                       max, use);
  }
  // The message of the refusal.
  std::string refusal(const std::string& auth = R"({"type":"auth","token":"alice"})") {
    Client& client = connect();
    say(client, auth);
    const std::string reply = next(client);
    EXPECT_EQ(code(reply), "CONNECTION_LIMIT") << reply;
    onCore([&] { EXPECT_EQ(client.socket.closeCode, http::closeCode::kPolicyViolation); });
    return field(reply, "message");
  }
  void close(Client& client) {
    onCore([&] { client.handler->closed(); });
  }
};

TEST_F(PlanSocketsTest, SoManyAndNoMore) {
  plan(2);
  Client& first = connectAs("alice");
  connectAs("bob");
  EXPECT_EQ(refusal(), ofPlan(2, 2));
  say(first, R"({"type":"auth","token":"bob"})");  // re-authentication takes no permit
  EXPECT_EQ(next(first), R"({"type":"auth_ok"})");
  EXPECT_EQ(realtime_->openSockets(project_), 2);
  close(first);
  EXPECT_EQ(realtime_->openSockets(project_), 1);
  connectAs("alice");
  EXPECT_EQ(refusal(), ofPlan(2, 2));
}

TEST_F(PlanSocketsTest, TheInstancesLimitHoldsWhereItIsLower) {
  instance(1);
  plan(2);
  connectAs("alice");
  EXPECT_EQ(refusal(), kOfInstance);
}

TEST_F(PlanSocketsTest, ThePlansLimitHoldsWhereItIsLower) {
  instance(3);
  plan(2);
  connectAs("alice");
  connectAs("alice");
  EXPECT_EQ(refusal(), ofPlan(2, 2));
  plan(std::nullopt);
  connectAs("alice");
  EXPECT_EQ(refusal(), kOfInstance);
}

TEST_F(PlanSocketsTest, ALoweredLimitClosesNone) {
  collection("posts", kPublicPosts);
  plan(3);
  std::vector<Client*> all;
  for (int i = 0; i < 3; ++i) all.push_back(&connectAs("alice"));
  plan(1);
  follow(*all[0], "s", "posts");
  put("posts", R"({"id":"1"})");
  EXPECT_EQ(field(next(*all[0]), "event.documentId"), "1");
  say(*all[0], R"({"type":"auth","token":"bob"})");
  EXPECT_EQ(next(*all[0]), R"({"type":"auth_ok"})");
  EXPECT_EQ(refusal(), ofPlan(1, 3));
  close(*all[1]);
  EXPECT_EQ(refusal(), ofPlan(1, 2));
  close(*all[2]);
  close(*all[0]);
  connectAs("alice");
}

TEST_F(PlanSocketsTest, ALimitOfZeroAllowsNone) {
  plan(0);
  EXPECT_EQ(refusal(), ofPlan(0, 0));
  EXPECT_EQ(realtime_->openSockets(project_), 0);
}

TEST_F(PlanSocketsTest, HalfOfThemWithoutAToken) {
  collection("posts", kPublicPosts);
  plan(3);
  const std::string anonymous = R"({"type":"auth","anonymous":true})";
  Client& first = connect();
  say(first, anonymous);
  EXPECT_EQ(next(first), R"({"type":"auth_ok"})");
  EXPECT_EQ(refusal(anonymous), "limit: this address or project has too many connections without a token");
  connectAs("alice");
  connectAs("alice");
  EXPECT_EQ(refusal(), ofPlan(3, 3));
}

TEST(ConnectionLimiter, EachKeyMayHaveALimitOfItsOwn) {
  using Limiter = ConnectionLimiter<int>;
  const auto limiter = std::make_shared<Limiter>(3);
  std::vector<Limiter::Permit> held;
  for (int i = 0; i < 2; ++i) held.push_back(*limiter->take(1, 2));
  EXPECT_EQ(limiter->take(1, 2).error(), 2);
  held.push_back(*limiter->take(1, 10));
  EXPECT_EQ(limiter->take(1, 10).error(), 3);
  EXPECT_EQ(limiter->take(1).error(), 3);
  EXPECT_EQ(limiter->take(2, 0).error(), 0);
  EXPECT_EQ(limiter->taken(2), 0);
  held.pop_back();
  EXPECT_EQ(limiter->taken(1), 2);
  EXPECT_TRUE(limiter->take(1, 3));
}

TEST(ConnectionLimiter, ManyThreadsTakeExactlyTheLimit) {
  const auto limiter = std::make_shared<ConnectionLimiter<int>>(std::nullopt);
  std::atomic<int> taken = 0;
  std::mutex mutex;
  std::vector<ConnectionLimiter<int>::Permit> held;
  std::vector<std::jthread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&] {
      for (int i = 0; i < 50; ++i) {
        auto permit = limiter->take(1, 100);
        if (!permit) continue;
        ++taken;
        const std::scoped_lock lock(mutex);
        held.push_back(*std::move(permit));
      }
    });
  }
  threads.clear();
  EXPECT_EQ(taken, 100);
  EXPECT_EQ(limiter->taken(1), 100);
}

}  // namespace
}  // namespace mb::realtime
