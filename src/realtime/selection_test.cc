// What a subscription selects: filter, fields, documents that go out of sight; and resets.
#include <random>

#include "realtime/position.h"
#include "realtime/realtime_fixture.h"

namespace mb::realtime {
namespace {

class SelectionTest : public RealtimeTest {
 protected:
  using Texts = std::vector<std::string>;

  void update(const std::string& name, const std::string& id, std::string_view body) {
    expectOk(run(data_->documents().update(asAdmin(), name, id, data::json(body))));
  }
  void setPolicy(const std::string& name, std::string_view policy) {
    expectOk(run(data_->collections().setPolicy(managing(), name, data::json(policy))));
  }
  std::string refusal(Client& client, const std::string& more, const std::string& collection = "posts") {
    say(client, R"({"type":"subscribe","id":"r","collection":")" + collection + "\"" + more + "}");
    const std::string text = next(client);
    EXPECT_EQ(field(text, "id"), "r") << text;
    return code(text);
  }
  // "insert 1" for events, "reset" and so on for other messages.
  static std::string brief(const std::string& text) {
    const std::string type = field(text, "type");
    return type == "event" ? field(text, "event.type") + " " + field(text, "event.documentId") : type;
  }
  Texts briefs(Client& client) {
    Texts found;
    for (const std::string& text : rest(client)) found.push_back(brief(text));
    return found;
  }
  // The next messages, for sockets that may still read them from the log.
  Texts nexts(Client& client, size_t count) {
    Texts found;
    while (found.size() < count) found.push_back(brief(next(client)));
    return found;
  }
  // Teams by membership, and tasks that the members of a team see.
  void teams() {
    collection("memberships");
    data::NewIndex index;
    index.keys = data::json(R"({"userId":1})");
    expectOk(run(data_->collections().createIndex(managing(), "memberships", index)));
    expectOk(run(data_->policySets().set(managing(),
                                         {"teams", "memberships", data::json(R"({"userId":"$auth.uid"})"), "teamId"})));
    collection("tasks", R"({"read":{"filter":{"teamId":{"$in":"$auth.sets.teams"}}}})");
  }
  void join(const std::string& id, const std::string& user, const std::string& team) {
    put("memberships", R"({"id":")" + id + R"(","userId":")" + user + R"(","teamId":")" + team + "\"}");
  }
  void part(const std::string& id) { expectOk(run(data_->documents().remove(asAdmin(), "memberships", id))); }
  void task(const std::string& id, const std::string& team) {
    put("tasks", R"({"id":")" + id + R"(","teamId":")" + team + "\"}");
  }
};

constexpr std::string_view kLeave = R"(,"leave":true)";

TEST_F(SelectionTest, AFilterNarrowsWhatTheRuleShows) {
  collection("posts", R"({"read":{"filter":{"ownerId":"$auth.uid"}}})");
  Client& client = connectAs("alice");
  follow(client, "s", "posts", R"(,"filter":{"n":{"$gt":1}})");
  put("posts", R"({"id":"1","ownerId":"user_alice","n":1})");
  put("posts", R"({"id":"2","ownerId":"user_alice","n":2})");
  put("posts", R"({"id":"3","ownerId":"user_bob","n":3})");
  update("posts", "1", R"({"n":5})");
  update("posts", "2", R"({"n":0})");
  expectOk(run(data_->documents().remove(asAdmin(), "posts", "1")));
  EXPECT_EQ(briefs(client), (Texts{"insert 2", "update 1", "delete 1"}));
}

TEST_F(SelectionTest, AFilterIsConvertedLikeThatOfAList) {
  collection("posts", R"({"read":{}})", R"({"type":"object","properties":{"due":{"type":"string","x-bson":"date"}}})");
  Client& client = connectAs("alice");
  follow(client, "s", "posts", R"(,"filter":{"due":{"$lt":"2026-06-01T00:00:00Z"}})");
  follow(client, "t", "posts", R"(,"filter":{"due":{"$gte":{"$date":"2026-06-01T00:00:00Z"}}})");
  put("posts", R"({"id":"1","due":"2026-01-01T00:00:00Z"})");
  put("posts", R"({"id":"2","due":"2026-07-01T00:00:00Z"})");
  EXPECT_EQ(field(next(client), "subscription"), "s");
  EXPECT_EQ(field(next(client), "subscription"), "t");
  // Another schema: the text is a text.
  expectOk(run(data_->collections().setSchema(managing(), "posts", data::json(R"({"type":"object"})"))));
  put("posts", R"({"id":"3","due":"2026-01-01T00:00:00Z"})");
  const Texts found = rest(client);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(field(found.front(), "subscription"), "s");
}

TEST_F(SelectionTest, WhatAFilterMustNotBe) {
  collection("posts", R"({"read":{"deniedReadFields":["secret","deep.secret"]}})");
  Client& client = connectAs("alice");
  EXPECT_EQ(refusal(client, R"(,"filter":{"secret":1})"), "FORBIDDEN");
  EXPECT_EQ(refusal(client, R"(,"filter":{"$or":[{"a":1},{"deep":{"secret":1}}]})"), "FORBIDDEN");
  EXPECT_EQ(refusal(client, R"(,"filter":{"a":{"$where":"1"}})"), "INVALID_MESSAGE");
  EXPECT_EQ(refusal(client, R"(,"filter":{"$text":"a"})"), "INVALID_MESSAGE");
  EXPECT_EQ(refusal(client, R"(,"filter":{"secret":{"$where":1}})"), "INVALID_MESSAGE");
  EXPECT_EQ(refusal(client, R"(,"filter":"a")"), "INVALID_MESSAGE");
  EXPECT_EQ(
      refusal(client, R"(,"filter":{"a":{"$regex":"[ab]{1000}(a|b){1000}(c|d){1000}(a|b){1000}(c|d){1000}e{9000}"}})"),
      "INVALID_MESSAGE");
  EXPECT_EQ(refusal(client, R"(,"filter":{"secret":1})", "nothing"), "FORBIDDEN");
  follow(client, "s", "posts", R"(,"filter":{})");
  follow(client, "r", "posts", R"(,"filter":{"deep.open":1})");
}

TEST_F(SelectionTest, AFieldThatIsDeniedLaterEndsTheFilter) {
  collection("posts", R"({"read":{}})");
  Client& client = connectAs("alice");
  follow(client, "s", "posts", R"(,"filter":{"n":1})");
  follow(client, "t", "posts");
  setPolicy("posts", R"({"read":{"deniedReadFields":["n"]}})");
  put("posts", R"({"id":"1","n":1})");
  const std::string ended = next(client);
  EXPECT_EQ(code(ended), "FORBIDDEN");
  EXPECT_EQ(field(ended, "id"), "s");
  const std::string shown = next(client);
  EXPECT_EQ(field(shown, "subscription"), "t");
  EXPECT_EQ(shown.find("\"n\""), std::string::npos);
  setPolicy("posts", R"({"read":{}})");
  put("posts", R"({"id":"2","n":1})");
  EXPECT_EQ(field(next(client), "subscription"), "t");
  EXPECT_TRUE(rest(client).empty());
  follow(client, "s", "posts", R"(,"filter":{"n":1})");
}

TEST_F(SelectionTest, FieldsAreAllThatIsShown) {
  collection("posts", R"({"read":{"deniedReadFields":["secret"]}})");
  Client& whole = connectAs("alice");
  Client& part = connectAs("bob");
  follow(whole, "s", "posts");
  follow(part, "s", "posts", R"(,"fields":["a.x","secret","list.n"])");
  put("posts", R"({"id":"1","a":{"x":1,"y":2},"b":3,"secret":4,"list":[{"n":1,"m":2},{"m":3}]})");
  const auto document = [](const std::string& text) {
    const size_t at = text.find(R"("document":)") + 11;
    return text.substr(at, text.find(R"(},"position")") - at);
  };
  EXPECT_EQ(document(next(part)), R"({"id":"1","a":{"x":1},"list":[{"n":1},{}]})");
  const std::string all = next(whole);
  EXPECT_NE(all.find("\"b\":3"), std::string::npos);
  EXPECT_EQ(all.find("secret"), std::string::npos);
}

TEST_F(SelectionTest, SocketsThatShareAnIdAndFieldsShareTheMessage) {
  collection("posts", R"({"read":{}})");
  Client& first = connectAs("alice");
  Client& second = connectAs("bob");
  Client& other = connectAs("bob");
  follow(first, "s", "posts", R"(,"fields":["b","a"])");
  follow(second, "s", "posts", R"(,"fields":["a","b","a"],"filter":{"n":{"$gt":0}})");
  follow(other, "s", "posts", R"(,"fields":["a"])");
  put("posts", R"({"id":"1","a":1,"b":2,"n":3})");
  EXPECT_EQ(next(first), next(second));
  EXPECT_EQ(next(other).find("\"b\""), std::string::npos);
  EXPECT_EQ(first.socket.messages.back(), second.socket.messages.back());
}

TEST_F(SelectionTest, ASocketsFiltersAreBounded) {
  collection("posts", R"({"read":{}})");
  Client& client = connectAs("alice");
  const std::string large = R"(,"filter":{"a":")" + std::string(15 << 10, 'x') + "\"}";
  for (int i = 0; i < 8; ++i) follow(client, "l" + std::to_string(i), "posts", large);
  EXPECT_EQ(refusal(client, large), "FORBIDDEN");
  say(client, R"({"type":"unsubscribe","id":"l0"})");
  EXPECT_EQ(field(next(client), "type"), "unsubscribed");
  follow(client, "again", "posts", large);
  Client& other = connectAs("alice");
  const std::string pattern = R"(,"filter":{"$or":[{"a":{"$regex":"^a"}},{"b":{"$in":["x"]}}]})";
  for (int i = 0; i < 4; ++i) follow(other, "p" + std::to_string(i), "posts", pattern);
  EXPECT_EQ(refusal(other, pattern), "FORBIDDEN");
  follow(other, "q", "posts", R"(,"filter":{"a":1})");
}

// ---- leave

TEST_F(SelectionTest, WhoAskedIsToldOfDocumentsThatGoOutOfSight) {
  collection("posts", R"({"read":{"filter":{"ownerId":"$auth.uid"}}})");
  Client& client = connectAs("alice");
  Client& silent = connectAs("alice");
  Client& filtered = connectAs("alice");
  follow(client, "s", "posts", std::string(kLeave));
  follow(silent, "s", "posts");
  follow(filtered, "f", "posts", R"(,"filter":{"open":true},"events":["insert"],"leave":true)");
  put("posts", R"({"id":"1","ownerId":"user_alice","open":true})");
  put("posts", R"({"id":"2","ownerId":"user_bob","open":true})");
  update("posts", "1", R"({"open":false})");
  update("posts", "1", R"({"n":1})");
  update("posts", "1", R"({"ownerId":"user_bob"})");
  update("posts", "1", R"({"n":2})");
  update("posts", "2", R"({"ownerId":"user_alice"})");
  expectOk(run(data_->documents().replace(asAdmin(), "posts", "2", data::json(R"({"x":1})"))));
  EXPECT_EQ(briefs(client), (Texts{"insert 1", "update 1", "update 1", "leave 1", "update 2", "replace 2"}));
  EXPECT_EQ(briefs(silent), (Texts{"insert 1", "update 1", "update 1", "update 2", "replace 2"}));
  EXPECT_EQ(briefs(filtered), (Texts{"insert 1", "leave 1", "leave 2"}));
  put("posts", R"({"id":"3","ownerId":"user_alice"})");
  expectOk(run(data_->documents().remove(asAdmin(), "posts", "3")));
  EXPECT_EQ(briefs(client), (Texts{"insert 3", "delete 3"}));
  EXPECT_TRUE(briefs(filtered).empty());
}

TEST_F(SelectionTest, ALeaveNamesTheDocumentAlone) {
  collection("posts", R"({"read":{"filter":{"open":true}}})");
  Client& client = connectAs("alice");
  follow(client, "s", "posts", std::string(kLeave));
  put("posts", R"({"id":"1","open":true})");
  next(client);
  update("posts", "1", R"({"open":false,"text":"hidden"})");
  const std::string text = next(client);
  EXPECT_EQ(text,
            R"({"type":"event","subscription":"s","event":{"type":"leave","collection":"posts","documentId":"1"},)"
            R"("position":")" +
                field(text, "position") + "\"}");
  EXPECT_EQ(field(text, "position").size(), 22u);
}

TEST_F(SelectionTest, AReplayGivesTheSameEvents) {
  collection("posts", R"({"read":{"filter":{"ownerId":"$auth.uid"},"deniedReadFields":["secret"]}})");
  PositionCipher cipher(master_);
  const std::string before = cipher.write(project_, store_.feed().lastPosition(project_));
  const Texts selections = {"", R"(,"leave":true)", R"(,"filter":{"n":{"$lt":3}},"leave":true)",
                            R"(,"filter":{"tag":"a"},"fields":["n"],"leave":true,"events":["insert","delete"])",
                            R"(,"filter":{"$or":[{"n":1},{"tag":"b"}]},"fields":["tag","secret"])"};
  Client& live = connectAs("alice");
  for (size_t i = 0; i < selections.size(); ++i) follow(live, "s" + std::to_string(i), "posts", selections[i]);
  std::mt19937 dice(3);
  const auto fields = [&] {
    return fmt::format(R"("ownerId":"user_{}","n":{},"tag":"{}","secret":1)", dice() % 2 ? "alice" : "bob", dice() % 5,
                       dice() % 2 ? "a" : "b");
  };
  for (int i = 0; i < 150; ++i) {
    const std::string id = std::to_string(dice() % 12);
    if (run(data_->documents().get(asAdmin(), "posts", id, {}))) {
      if (dice() % 5 == 0) {
        expectOk(run(data_->documents().remove(asAdmin(), "posts", id)));
      } else {
        update("posts", id, "{" + fields() + "}");
      }
    } else {
      put("posts", R"({"id":")" + id + "\"," + fields() + "}");
    }
  }
  std::map<std::string, Texts> expected;
  for (std::string& text : rest(live)) expected[field(text, "subscription")].push_back(std::move(text));
  size_t leaves = 0;
  for (size_t i = 0; i < selections.size(); ++i) {
    const std::string id = "s" + std::to_string(i);
    Client& replayed = connectAs("alice");
    follow(replayed, id, "posts", selections[i] + R"(,"after":")" + before + "\"");
    ASSERT_FALSE(expected[id].empty());
    for (const std::string& text : expected[id]) {
      ASSERT_EQ(next(replayed), text);
      leaves += field(text, "event.type") == "leave" ? 1 : 0;
    }
    EXPECT_TRUE(rest(replayed).empty());
  }
  EXPECT_GT(leaves, 20u);
}

// ---- resets

TEST_F(SelectionTest, WhatChangesForTheReaderIsAReset) {
  collection("posts", R"({"read":{}})");
  Client& client = connectAs("bob");
  follow(client, "s", "posts", std::string(kLeave));
  follow(client, "t", "posts");
  const auto expectReset = [&](const std::string& why) {
    put("posts", "{}");
    Texts found = briefs(client);
    EXPECT_EQ(std::ranges::count(found, "reset"), 1) << why;
    EXPECT_EQ(found.front(), "reset") << why;
    EXPECT_EQ(found.size(), 3u) << why;
  };
  const auto expectNone = [&](const std::string& why) {
    put("posts", "{}");
    EXPECT_EQ(briefs(client).size(), 2u) << why;
  };
  expectNone("nothing has changed");
  auth_.drop();
  expectNone("looked up again");
  bob_.role = "editor";
  auth_.add("bob", bob_, kStart + kHour);
  expectReset("role");
  bob_.claims = data::json(R"({"sub":"user_bob","plan":"free","exp":1,"iat":1})");
  auth_.add("bob", bob_, kStart + kHour);
  expectReset("claims");
  bob_.claims = data::json(R"({"sub":"user_bob","plan":"free","exp":2,"iat":2})");
  auth_.add("bob2", bob_, kStart + kHour);
  say(client, R"({"type":"auth","token":"bob2"})");
  EXPECT_EQ(next(client), R"({"type":"auth_ok"})");
  expectNone("a fresh token of the same reader");
  setPolicy("posts", R"({"read":{"filter":{"hidden":{"$ne":true}}}})");
  expectReset("the rule's filter");
  setPolicy("posts", R"({"read":{"filter":{"hidden":{"$ne":true}}},"create":{}})");
  expectNone("another rule");
  say(client, R"({"type":"auth","token":"alice"})");
  EXPECT_EQ(next(client), R"({"type":"auth_ok"})");
  expectReset("another user");
}

TEST_F(SelectionTest, APauseIsAReset) {
  collection("posts", R"({"read":{}})");
  Client& client = connectAs("bob");
  follow(client, "s", "posts", std::string(kLeave));
  follow(client, "t", "posts");
  auth_.fail("bob");
  put("posts", R"({"id":"1"})");
  EXPECT_EQ(code(next(client)), "AUTH_FAILED");
  auth_.restore("bob");
  say(client, R"({"type":"auth","token":"bob"})");
  EXPECT_EQ(next(client), R"({"type":"auth_ok"})");
  EXPECT_EQ(next(client), R"({"type":"reset","id":"s"})");
  put("posts", R"({"id":"2"})");
  EXPECT_EQ(briefs(client), (Texts{"insert 2", "insert 2"}));
}

TEST_F(SelectionTest, AResetWaitsForAFullSocket) {
  collection("posts", R"({"read":{}})");
  Client& client = connectAs("bob");
  follow(client, "s", "posts", std::string(kLeave));
  onCore([&] { client.socket.full = true; });
  for (const char* role : {"a", "b", "c"}) {
    bob_.role = role;
    auth_.add("bob", bob_, kStart + kHour);
    put("posts", "{}");
    settle();
  }
  onCore([&] {
    client.socket.full = false;
    client.handler->drained();
  });
  EXPECT_EQ(brief(next(client)), "reset");
  EXPECT_EQ(brief(next(client)), "gap");
  EXPECT_TRUE(rest(client).empty());
}

// ---- sets

TEST_F(SelectionTest, ADocumentThatIsTooCostlyForTheRuleEndsNoSubscription) {
  teams();
  join("ar", "user_alice", "red");
  Client& client = connectAs("alice");
  follow(client, "s", "tasks");
  follow(client, "t", "tasks", R"(,"filter":{"n":1})");
  std::string many = "\"x\"";
  for (int i = 0; i < 200'000; ++i) many += ",\"x\"";
  put("tasks", R"({"id":"1","n":1,"teamId":[)" + many + "]}");
  task("2", "red");
  std::vector<std::string> texts = rest(client);
  ASSERT_EQ(texts.size(), 3u);
  std::ranges::sort(texts, {}, [](const std::string& text) { return brief(text); });
  EXPECT_EQ(code(texts[0]), "QUERY_TOO_COSTLY");
  EXPECT_EQ(field(texts[0], "id"), "t");
  EXPECT_EQ(brief(texts[1]), "gap");
  EXPECT_EQ(field(texts[1], "id"), "s");
  EXPECT_EQ(brief(texts[2]), "insert 2");
}

TEST_F(SelectionTest, AMembershipDecidesAtTheNextEvent) {
  teams();
  join("ar", "user_alice", "red");
  join("bb", "user_bob", "blue");
  Client& alice = connectAs("alice");
  Client& bob = connectAs("bob");
  follow(alice, "s", "tasks", std::string(kLeave));
  follow(bob, "s", "tasks");
  task("1", "red");
  task("2", "blue");
  EXPECT_EQ(briefs(alice), (Texts{"insert 1"}));
  EXPECT_EQ(briefs(bob), (Texts{"insert 2"}));
  join("ab", "user_alice", "blue");
  task("3", "blue");
  EXPECT_EQ(nexts(alice, 2), (Texts{"reset", "insert 3"}));
  part("ar");
  task("4", "red");
  task("5", "blue");
  update("tasks", "3", R"({"teamId":"red"})");
  EXPECT_EQ(nexts(alice, 3), (Texts{"reset", "insert 5", "leave 3"}));
  EXPECT_EQ(briefs(bob), (Texts{"insert 3", "insert 5"}));
  // A document of the set's collection that leaves the values as they are.
  expectOk(run(data_->documents().update(asAdmin(), "memberships", "ab", data::json(R"({"role":"owner"})"))));
  task("6", "blue");
  EXPECT_EQ(nexts(alice, 1), (Texts{"insert 6"}));
  EXPECT_TRUE(rest(alice).empty());
  part("ab");  // noticed within a second, without an event
  EXPECT_EQ(brief(next(alice)), "reset");
}

// Memberships change between writes: each socket gets what its membership then shows, in order and once, and what it
// misses while its set is read again it gets from the log.
TEST_F(SelectionTest, ChangesOfMembershipsLoseAndRepeatNothing) {
  teams();
  constexpr size_t kUsers = 12;
  std::vector<Client*> clients;
  std::vector<Texts> expected(kUsers);
  std::vector<bool> member(kUsers, false);
  for (size_t i = 0; i < kUsers; ++i) {
    const std::string name = "user" + std::to_string(i);
    auth_.add(name, user("user_" + std::to_string(i)), kStart + kHour);
    clients.push_back(&connectAs(name));
    follow(*clients.back(), "s", "tasks", std::string(kLeave));
  }
  const auto allHave = [&] {
    bool all = true;
    onCore([&] {
      for (size_t i = 0; i < kUsers; ++i) all = all && clients[i]->socket.texts.size() >= 2 + expected[i].size();
    });
    return all;
  };
  std::mt19937 dice(11);
  for (int round = 0; round < 150; ++round) {
    const size_t changed = dice() % kUsers;
    const std::string id = "m" + std::to_string(changed);
    member[changed] ? part(id) : join(id, "user_" + std::to_string(changed), "red");
    member[changed] = !member[changed];
    expected[changed].push_back("reset");
    for (size_t burst = 1 + dice() % 3; burst > 0; --burst) {
      const std::string number = std::to_string(round) + "-" + std::to_string(burst);
      task(number, "red");
      for (size_t i = 0; i < kUsers; ++i) {
        if (member[i]) expected[i].push_back("insert " + number);
      }
    }
    for (int wait = 0; wait < 10'000 && !allHave(); ++wait) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  for (size_t i = 0; i < kUsers; ++i) EXPECT_EQ(briefs(*clients[i]), expected[i]) << i;
}

// A set that cannot be read holds back its own sockets alone.
TEST_F(SelectionTest, OthersDoNotWaitForASet) {
  teams();
  join("ar", "user_alice", "red");
  join("br", "user_bob", "red");
  Client& alice = connectAs("alice");
  Client& bob = connectAs("bob");
  follow(alice, "s", "tasks");
  follow(bob, "s", "tasks");
  join("ab", "user_alice", "blue");
  join("abb", "user_alice", "green");
  store::ChangeEntry entry;
  entry.collection = snapshot()->get(data_->slot()).find("tasks")->get()->info.number;
  store_.failWith(ErrorCode::unavailable);
  for (const char* id : {"1", "2"}) {
    entry.id = id;
    entry.after = data::json(R"({"id":"1","teamId":"red"})");
    store_.feed().append(project_, {entry});
  }
  EXPECT_EQ(brief(next(bob)), "insert 1");
  EXPECT_EQ(brief(next(bob)), "insert 2");
  store_.failWith(std::nullopt);
  EXPECT_EQ(brief(next(alice)), "insert 1");
  EXPECT_EQ(brief(next(alice)), "insert 2");
  task("3", "green");
  EXPECT_EQ(brief(next(alice)), "insert 3");
}

}  // namespace
}  // namespace mb::realtime
