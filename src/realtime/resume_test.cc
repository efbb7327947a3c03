// Positions, gaps, and sockets that do not keep up.
#include <random>

#include "realtime/position.h"
#include "realtime/realtime_fixture.h"

namespace mb::realtime {
namespace {

constexpr std::string_view kOpenPolicy = R"({"read":{}})";

class ResumeTest : public RealtimeTest {
 protected:
  std::string id(const std::string& text) { return field(text, "event.documentId"); }
  void putNumbered(int from, int to) {
    for (int i = from; i <= to; ++i) put("posts", R"({"id":")" + std::to_string(i) + "\"}");
  }
  // Puts documents 1 to `last` into "posts", which anyone may follow. Returns the position behind the first.
  std::string positionBehindTheFirstOf(int last) {
    collection("posts", kOpenPolicy);
    Client& first = connectAs("alice");
    follow(first, "s", "posts");
    putNumbered(1, last);
    return field(next(first), "position");
  }
  static std::string after(const std::string& position) { return R"(,"after":")" + position + "\""; }
};

TEST_F(ResumeTest, GoesOnBehindThePosition) {
  collection("posts", kOpenPolicy);
  Client& first = connectAs("alice");
  follow(first, "s", "posts");
  putNumbered(1, 300);
  std::vector<std::string> positions;
  for (int i = 1; i <= 300; ++i) positions.push_back(field(next(first), "position"));

  for (const int from : {1, 150, 299, 300}) {
    Client& second = connectAs("bob");
    follow(second, "r", "posts", after(positions[static_cast<size_t>(from - 1)]));
    putNumbered(1000 + from, 1000 + from);
    for (int i = from + 1; i <= 300; ++i) ASSERT_EQ(id(next(second)), std::to_string(i));
    std::string text = next(second);
    while (id(text) != std::to_string(1000 + from)) text = next(second);  // written by earlier rounds
    EXPECT_TRUE(rest(second).empty());
  }
}

TEST_F(ResumeTest, SaysWhereAReplayEnds) {
  collection("posts", kOpenPolicy);
  Client& first = connectAs("alice");
  follow(first, "s", "posts", R"(,"caughtUp":true)");
  const std::string begin = next(first);
  EXPECT_EQ(field(begin, "type"), "caught-up");
  EXPECT_EQ(field(begin, "id"), "s");
  putNumbered(1, 300);
  for (int i = 1; i <= 300; ++i) EXPECT_EQ(id(next(first)), std::to_string(i));

  Client& second = connectAs("bob");
  follow(second, "r", "posts", after(field(begin, "position")) + R"(,"caughtUp":true)");
  for (int i = 1; i <= 300; ++i) ASSERT_EQ(id(next(second)), std::to_string(i));
  const std::string end = next(second);
  EXPECT_EQ(field(end, "type"), "caught-up");
  EXPECT_EQ(field(end, "id"), "r");
  putNumbered(301, 301);
  EXPECT_EQ(id(next(second)), "301");

  Client& third = connectAs("bob");
  follow(third, "t", "posts", after(field(end, "position")) + R"(,"caughtUp":false)");
  EXPECT_EQ(id(next(third)), "301");
  EXPECT_TRUE(rest(third).empty());
  EXPECT_TRUE(rest(second).empty()) << "once";
}

TEST_F(ResumeTest, ASocketMayEndWhileTheLogIsReadForIt) {
  const std::string position = positionBehindTheFirstOf(3);
  Client& second = connectAs("bob");
  feed_.hold();
  follow(second, "r", "posts", after(position));
  while (feed_.waiting() == 0) std::this_thread::yield();
  onCore([&] { second.handler->closed(); });
  feed_.letGo();
  while (feed_.waiting() > 0) std::this_thread::yield();

  Client& third = connectAs("bob");
  follow(third, "t", "posts", after(position));
  for (int i = 2; i <= 3; ++i) EXPECT_EQ(id(next(third)), std::to_string(i));
}

TEST_F(ResumeTest, WhatWasMissedIsEvaluatedByTodaysPolicyAndCaller) {
  const std::string position = positionBehindTheFirstOf(1);
  put("posts", R"({"id":"2","ownerId":"user_bob","x":1})");
  put("posts", R"({"id":"3","ownerId":"user_alice","x":1})");
  expectOk(run(data_->collections().setPolicy(
      managing(), "posts", data::json(R"({"read":{"filter":{"ownerId":"$auth.uid"},"deniedReadFields":["x"]}})"))));
  Client& bob = connectAs("bob");
  follow(bob, "r", "posts", after(position) + R"(,"events":["insert"])");
  const std::string text = next(bob);
  EXPECT_EQ(id(text), "2");
  EXPECT_EQ(text.find("\"x\""), std::string::npos);
  EXPECT_TRUE(rest(bob).empty());
}

TEST_F(ResumeTest, ForgedAndForeignPositionsAreRefused) {
  collection("posts", kOpenPolicy);
  Client& client = connectAs("alice");
  PositionCipher cipher(master_);
  for (const std::string& wrong : {std::string("1"), std::string(22, 'A'), cipher.write(project_ + 1, 1)}) {
    say(client, R"({"type":"subscribe","id":"s","collection":"posts")" + after(wrong) + "}");
    const std::string refused = next(client);
    EXPECT_EQ(code(refused), "INVALID_MESSAGE") << wrong;
    EXPECT_EQ(field(refused, "id"), "s");
  }
  follow(client, "s", "posts", after(cipher.write(project_, store_.feed().lastPosition(project_))));
}

TEST_F(ResumeTest, WhatTheLogHasLetGoOfIsAGap) {
  collection("posts", kOpenPolicy);
  putNumbered(1, 10);
  const uint64_t last = store_.feed().lastPosition(project_);
  store_.feed().trimTo(project_, last - 3);
  Client& client = connectAs("alice");
  PositionCipher cipher(master_);
  follow(client, "s", "posts", after(cipher.write(project_, last - 6)));
  const std::string gap = next(client);
  EXPECT_EQ(field(gap, "type"), "gap");
  EXPECT_EQ(field(gap, "id"), "s");
  EXPECT_EQ(cipher.read(project_, field(gap, "position")), last - 3);
  for (const char* expected : {"8", "9", "10"}) EXPECT_EQ(id(next(client)), expected);
}

// A store that was restored to an earlier state has not reached the position yet.
TEST_F(ResumeTest, APositionAheadOfTheLogIsAGap) {
  collection("posts", kOpenPolicy);
  putNumbered(1, 2);
  Client& client = connectAs("alice");
  PositionCipher cipher(master_);
  follow(client, "s", "posts", after(cipher.write(project_, 1'000'000)));
  const std::string gap = next(client);
  EXPECT_EQ(field(gap, "type"), "gap");
  EXPECT_EQ(cipher.read(project_, field(gap, "position")), store_.feed().lastPosition(project_));
  putNumbered(3, 3);
  EXPECT_EQ(id(next(client)), "3");
}

TEST_F(ResumeTest, ASocketThatIsFullGetsAGapAndGoesOn) {
  collection("posts", kOpenPolicy);
  collection("quiet", kOpenPolicy);
  Client& slow = connectAs("alice");
  Client& other = connectAs("bob");
  follow(slow, "s", "posts");
  follow(slow, "q", "quiet");
  follow(other, "s", "posts");
  putNumbered(1, 1);
  EXPECT_EQ(id(next(slow)), "1");
  onCore([&] { slow.socket.full = true; });
  putNumbered(2, 4);
  std::string last;
  for (int i = 1; i <= 4; ++i) last = next(other);
  settle();
  say(slow, R"({"type":"unsubscribe","id":"nothing"})");  // a reply waits too
  onCore([&] {
    slow.socket.full = false;
    slow.handler->drained();
  });
  EXPECT_EQ(code(next(slow)), "UNKNOWN_SUBSCRIPTION");
  EXPECT_EQ(next(slow), R"({"type":"gap","id":"s","position":")" + field(last, "position") + "\"}");
  putNumbered(5, 5);
  EXPECT_EQ(id(next(slow)), "5");
  EXPECT_TRUE(rest(slow).empty());
}

TEST_F(ResumeTest, ReplayWaitsForASlowSocketAndLosesNothing) {
  collection("posts", kOpenPolicy);
  PositionCipher cipher(master_);
  const std::string before = cipher.write(project_, store_.feed().lastPosition(project_));
  putNumbered(1, 400);
  Client& slow = connectAs("alice");
  onCore([&] { slow.socket.capacity = 151; });
  follow(slow, "s", "posts", after(before));
  for (int i = 1; i <= 150; ++i) ASSERT_EQ(id(next(slow)), std::to_string(i));
  EXPECT_TRUE(rest(slow).empty());
  putNumbered(401, 402);
  onCore([&] {
    slow.socket.capacity.reset();
    slow.socket.full = false;
    slow.handler->drained();
  });
  for (int i = 151; i <= 402; ++i) ASSERT_EQ(id(next(slow)), std::to_string(i));
}

// More than may have a page in memory at a time; some close while they wait.
TEST_F(ResumeTest, ManySocketsResumeTogether) {
  collection("posts", kOpenPolicy);
  PositionCipher cipher(master_);
  const std::string before = cipher.write(project_, store_.feed().lastPosition(project_));
  putNumbered(1, 300);
  std::vector<Client*> all;
  for (int i = 0; i < 40; ++i) all.push_back(&connectAs(i % 2 == 0 ? "alice" : "bob"));
  for (Client* client : all) {
    say(*client, R"({"type":"subscribe","id":"s","collection":"posts")" + after(before) + "}");
  }
  for (size_t i = 0; i < all.size(); i += 5) say(*all[i], R"({"type":"unsubscribe","id":"s"})");
  for (size_t i = 0; i < all.size(); ++i) {
    if (i % 5 == 0) continue;
    EXPECT_EQ(field(next(*all[i]), "type"), "subscribed");
    for (int n = 1; n <= 300; ++n) ASSERT_EQ(id(next(*all[i])), std::to_string(n));
  }
}

TEST_F(ResumeTest, ACallerThatCannotBeLookedUpWaitsAndMissesNothing) {
  collection("posts", kOpenPolicy);
  Client& client = connectAs("bob");
  follow(client, "s", "posts");
  auth_.fail("bob", ErrorCode::unavailable);
  putNumbered(1, 1);
  EXPECT_TRUE(rest(client).empty());
  auth_.restore("bob");
  EXPECT_EQ(id(next(client)), "1");
  putNumbered(2, 2);
  EXPECT_EQ(id(next(client)), "2");
}

TEST_F(ResumeTest, ASubscriptionNeedsThePositionOfTheLog) {
  collection("posts", kOpenPolicy);
  Client& client = connectAs("bob");
  store_.feed().failWith(ErrorCode::unavailable);
  say(client, R"({"type":"subscribe","id":"s","collection":"posts"})");
  const std::string refused = next(client);
  EXPECT_EQ(code(refused), "FORBIDDEN");
  EXPECT_EQ(field(refused, "id"), "s");
  store_.feed().failWith(std::nullopt);
  follow(client, "s", "posts");
  putNumbered(1, 1);
  EXPECT_EQ(id(next(client)), "1");
}

TEST_F(ResumeTest, ALogThatFailsForAWhileLosesNothing) {
  collection("posts", kOpenPolicy);
  Client& client = connectAs("bob");
  follow(client, "s", "posts");
  store_.feed().failWith(ErrorCode::internal);
  putNumbered(1, 3);
  store_.feed().failWith(std::nullopt);
  for (const char* expected : {"1", "2", "3"}) EXPECT_EQ(id(next(client)), expected);
}

TEST_F(ResumeTest, ALogThatWasTrimmedUnderLiveSubscribersIsAGapForEach) {
  collection("posts", kOpenPolicy);
  Client& client = connectAs("bob");
  follow(client, "s", "posts");
  follow(client, "t", "posts");
  store_.feed().failWith(ErrorCode::internal);
  putNumbered(1, 3);
  const uint64_t last = store_.feed().lastPosition(project_);
  store_.feed().trimTo(project_, last - 1);
  store_.feed().failWith(std::nullopt);
  PositionCipher cipher(master_);
  const std::string position = cipher.write(project_, last - 1);
  std::set<std::string> gaps = {next(client), next(client)};
  EXPECT_EQ(gaps, (std::set<std::string>{R"({"type":"gap","id":"s","position":")" + position + "\"}",
                                         R"({"type":"gap","id":"t","position":")" + position + "\"}"}));
  EXPECT_EQ(id(next(client)), "3");
  EXPECT_EQ(id(next(client)), "3");
}

// Sockets that start at any time, from any position, during writes: each change once, in order.
TEST_F(ResumeTest, LiveAndReplayMeetWithoutHoleOrDouble) {
  collection("posts", kOpenPolicy);
  std::mt19937 dice(7);
  PositionCipher cipher(master_);
  const uint64_t start = store_.feed().lastPosition(project_);
  std::vector<std::pair<Client*, uint64_t>> followers;
  uint64_t written = 0;
  for (int round = 0; round < 60; ++round) {
    Client& client = connectAs(round % 2 == 0 ? "alice" : "bob");
    const uint64_t from = start + (written == 0 ? 0 : dice() % (written + 1));
    const int burst = static_cast<int>(dice() % 40);
    store::ChangeEntry entry;
    entry.collection = snapshot()->get(data_->slot()).find("posts")->get()->info.number;
    entry.id = "x";
    entry.after = data::json(R"({"id":"x"})");
    std::vector<store::ChangeEntry> entries(static_cast<size_t>(burst), entry);
    store_.feed().append(project_, std::move(entries));
    follow(client, "s", "posts", after(cipher.write(project_, from)));
    store_.feed().append(project_, {entry});
    written += static_cast<uint64_t>(burst) + 1;
    followers.emplace_back(&client, from);
  }
  settle();
  const uint64_t end = store_.feed().lastPosition(project_);
  for (const auto& [client, from] : followers) {
    uint64_t expected = from;
    while (expected < start + written) {
      const std::string text = next(*client);
      ASSERT_EQ(cipher.read(project_, field(text, "position")), ++expected);
    }
  }
  EXPECT_GE(end, start + written);
}

}  // namespace
}  // namespace mb::realtime
