// The protocol: states of a socket, error codes, rules (docs/realtime.md).
#include "realtime/realtime_fixture.h"

namespace mb::realtime {
namespace {

constexpr std::string_view kOpen = R"({"read":{}})";
constexpr std::string_view kOwn = R"({"read":{"filter":{"ownerId":"$auth.uid"}}})";

TEST_F(RealtimeTest, NothingBeforeAuth) {
  Client& client = connect();
  const std::vector<std::pair<std::string, std::string>> cases = {
      {R"({"type":"subscribe","id":"s","collection":"posts"})", "UNAUTHENTICATED"},
      {R"({"type":"subscribe"})", "UNAUTHENTICATED"},
      {R"({"type":"unsubscribe","id":"s"})", "UNAUTHENTICATED"},
      {R"({"type":"something"})", "UNAUTHENTICATED"},
      {"{", "INVALID_MESSAGE"},
      {"{}", "INVALID_MESSAGE"},
      {R"({"type":"auth"})", "INVALID_MESSAGE"},
      {R"({"type":"auth","token":"nobody"})", "AUTH_FAILED"},
  };
  for (const auto& [text, expected] : cases) {
    say(client, text);
    EXPECT_EQ(code(next(client)), expected) << text;
  }
  EXPECT_EQ(realtime_->openSockets(project_), 0);
  say(client, R"({"type":"auth","token":"alice"})");
  EXPECT_EQ(next(client), R"({"type":"auth_ok"})");
  EXPECT_EQ(realtime_->openSockets(project_), 1);
  EXPECT_EQ(client.socket.closeCode, 0);
}

TEST_F(RealtimeTest, SubscribeAndUnsubscribe) {
  settings(R"({"tokenClaims":["team"]})");
  collection("posts", kOpen);
  collection("closed");
  collection("writeOnly", R"({"create":{}})");
  collection("broken", R"({"read":{"filter":{"team":"$auth.token.team"}}})");
  Client& client = connectAs("alice");
  follow(client, "s", "posts");
  const auto subscribe = [&](const std::string& id, const std::string& name) {
    say(client, R"({"type":"subscribe","id":")" + id + R"(","collection":")" + name + "\"}");
    return next(client);
  };
  EXPECT_EQ(code(subscribe("s", "posts")), "DUPLICATE_ID");
  EXPECT_EQ(code(subscribe("r", "users")), "NOT_FOUND");
  EXPECT_EQ(code(subscribe("r", "__x")), "NOT_FOUND");
  EXPECT_EQ(code(subscribe("r", "realtime")), "NOT_FOUND");
  EXPECT_EQ(code(subscribe("r", "nothing")), "FORBIDDEN");
  EXPECT_EQ(code(subscribe("r", "closed")), "FORBIDDEN");
  EXPECT_EQ(code(subscribe("r", "writeOnly")), "FORBIDDEN");
  const std::string unresolved = subscribe("r", "broken");
  EXPECT_EQ(code(unresolved), "FORBIDDEN");
  EXPECT_EQ(field(unresolved, "id"), "r");
  say(client, R"({"type":"unsubscribe","id":"r"})");
  EXPECT_EQ(code(next(client)), "UNKNOWN_SUBSCRIPTION");
  say(client, R"({"type":"unsubscribe","id":"s"})");
  EXPECT_EQ(next(client), R"({"type":"unsubscribed","id":"s"})");
  put("posts", R"({"id":"1"})");
  EXPECT_TRUE(rest(client).empty());
  follow(client, "s", "posts");
}

TEST_F(RealtimeTest, OneHundredSubscriptionsASocket) {
  collection("posts", kOpen);
  Client& client = connectAs("alice");
  for (size_t i = 0; i < kMaxSubscriptions; ++i) follow(client, "s" + std::to_string(i), "posts");
  say(client, R"({"type":"subscribe","id":"more","collection":"posts"})");
  EXPECT_EQ(code(next(client)), "FORBIDDEN");
}

TEST_F(RealtimeTest, EveryKindOfChange) {
  collection("posts", R"({"read":{"deniedReadFields":["secret"]}})");
  Client& client = connectAs("alice");
  put("posts", R"({"id":"0"})");  // before it subscribed
  follow(client, "s", "posts");
  put("posts", R"({"id":"1","a":1,"secret":2})");
  expectOk(run(data_->documents().update(asAdmin(), "posts", "1", data::json(R"({"$set":{"a":2}})"))));
  expectOk(run(data_->documents().replace(asAdmin(), "posts", "1", data::json(R"({"b":3})"))));
  expectOk(run(data_->documents().remove(asAdmin(), "posts", "1")));
  std::vector<std::string> kinds;
  std::set<std::string> positions;
  for (int i = 0; i < 4; ++i) {
    const std::string text = next(client);
    EXPECT_EQ(field(text, "type"), "event");
    EXPECT_EQ(field(text, "subscription"), "s");
    EXPECT_EQ(field(text, "event.collection"), "posts");
    EXPECT_EQ(field(text, "event.documentId"), "1");
    EXPECT_EQ(text.find("secret"), std::string::npos) << text;
    kinds.push_back(field(text, "event.type"));
    positions.insert(field(text, "position"));
    EXPECT_EQ(text.find("\"document\":") == std::string::npos, kinds.back() == "delete") << text;
  }
  EXPECT_EQ(kinds, (std::vector<std::string>{"insert", "update", "replace", "delete"}));
  EXPECT_EQ(positions.size(), 4u);
}

TEST_F(RealtimeTest, OnlyTheEventsAskedFor) {
  collection("posts", kOpen);
  Client& client = connectAs("alice");
  follow(client, "s", "posts", R"(,"events":["delete","update"])");
  put("posts", R"({"id":"1"})");
  expectOk(run(data_->documents().remove(asAdmin(), "posts", "1")));
  EXPECT_EQ(field(next(client), "event.type"), "delete");
  EXPECT_TRUE(rest(client).empty());
}

TEST_F(RealtimeTest, EachSeesWhatTheRuleShowsThem) {
  collection("notes", kOwn);
  Client& alice = connectAs("alice");
  Client& bob = connectAs("bob");
  follow(alice, "s", "notes");
  follow(bob, "s", "notes");
  put("notes", R"({"id":"1","ownerId":"user_alice"})");
  put("notes", R"({"id":"2","ownerId":"user_bob"})");
  put("notes", R"({"id":"3"})");
  // The document becomes invisible for alice: bob gets it, alice gets nothing.
  expectOk(run(data_->documents().update(asAdmin(), "notes", "1", data::json(R"({"$set":{"ownerId":"user_bob"}})"))));
  expectOk(run(data_->documents().remove(asAdmin(), "notes", "2")));
  std::vector<std::string> seen;
  for (Client* client : {&alice, &bob}) {
    for (const std::string& text : rest(*client)) {
      seen.push_back(field(text, "event.type") + " " + field(text, "event.documentId"));
    }
    seen.emplace_back("|");
  }
  EXPECT_EQ(seen, (std::vector<std::string>{"insert 1", "|", "insert 2", "update 1", "delete 2", "|"}));
}

TEST_F(RealtimeTest, SocketsThatShareAnIdShareTheMessage) {
  collection("posts", kOpen);
  Client& first = connectAs("alice");
  Client& second = connectAs("bob");
  Client& other = connectAs("bob");
  follow(first, "s", "posts");
  follow(second, "s", "posts");
  follow(other, "t", "posts");
  put("posts", R"({"id":"1"})");
  const std::string one = next(first);
  EXPECT_EQ(next(second), one);
  EXPECT_EQ(field(next(other), "subscription"), "t");
  EXPECT_EQ(first.socket.messages.back(), second.socket.messages.back());
}

TEST_F(RealtimeTest, AnExpiredTokenPausesAndAFreshOneGoesOn) {
  collection("posts", kOpen);
  Client& client = connectAs("alice");
  follow(client, "s", "posts");
  clock_.advance(kHour);
  put("posts", R"({"id":"1"})");
  put("posts", R"({"id":"2"})");
  EXPECT_EQ(code(next(client)), "TOKEN_EXPIRED");
  say(client, R"({"type":"subscribe","id":"t","collection":"posts"})");
  const std::string refused = next(client);
  EXPECT_EQ(code(refused), "TOKEN_EXPIRED");
  EXPECT_EQ(field(refused, "id"), "t");
  say(client, R"({"type":"auth","token":"alice"})");
  EXPECT_EQ(code(next(client)), "AUTH_FAILED");
  auth_.add("fresh", alice_, clock_.now().ms + kHour);
  auth_.add("alice", alice_, clock_.now().ms + kHour);
  say(client, R"({"type":"auth","token":"fresh"})");
  EXPECT_EQ(next(client), R"({"type":"auth_ok"})");
  put("posts", R"({"id":"3"})");
  EXPECT_EQ(field(next(client), "event.documentId"), "3");
  EXPECT_EQ(realtime_->openSockets(project_), 1);
}

TEST_F(RealtimeTest, AKeyOfScopeServiceFollowsPastPolicies) {
  collection("posts", R"({"read":{"filter":{"ownerId":"$auth.uid"},"deniedReadFields":["secret"]},"create":{}})");
  collection("closed");
  policy::Caller key = alice_;
  key.kind = policy::CallerKind::apiKey;
  key.id = "key_1";
  key.scopes = {"service"};
  key.permissions = permissions({"data:*"});
  auth_.add("service", key, kStart + kHour);
  // The same subscription id as of another socket: what one gets must not reach the other.
  Client& client = connectAs("service");
  Client& alice = connectAs("alice");
  follow(client, "s", "posts");
  follow(client, "c", "closed");
  follow(alice, "s", "posts");
  put("closed", R"({"id":"1"})");
  EXPECT_EQ(field(next(client), "subscription"), "c");
  put("posts", R"({"id":"1","ownerId":"user_bob","secret":"x"})");
  EXPECT_NE(next(client).find(R"("secret":"x")"), std::string::npos);
  put("posts", R"({"id":"2","ownerId":"user_alice","secret":"y"})");
  EXPECT_NE(next(client).find(R"("secret":"y")"), std::string::npos);
  const std::string seen = next(alice);
  EXPECT_EQ(field(seen, "event.documentId"), "2");
  EXPECT_EQ(seen.find("secret"), std::string::npos);
  EXPECT_TRUE(rest(alice).empty());
  // The socket's caller may change: then the policy holds again.
  say(client, R"({"type":"auth","token":"alice"})");
  EXPECT_EQ(next(client), R"({"type":"auth_ok"})");
  put("posts", R"({"id":"3","ownerId":"user_bob","secret":"z"})");
  put("posts", R"({"id":"4","ownerId":"user_alice","secret":"z"})");
  const std::string after = next(client);
  EXPECT_EQ(field(after, "event.documentId"), "4");
  EXPECT_EQ(after.find("secret"), std::string::npos);
}

TEST_F(RealtimeTest, ATokenOfAnotherProjectChangesNothing) {
  collection("posts", kOpen);
  Client& client = connectAs("alice");
  follow(client, "s", "posts");
  policy::Caller stranger = alice_;
  stranger.project = project_ + 1;
  auth_.add("stranger", stranger, kStart + kHour);
  for (const char* token : {"stranger", "nonsense"}) {
    say(client, std::string(R"({"type":"auth","token":")") + token + "\"}");
    EXPECT_EQ(code(next(client)), "AUTH_FAILED");
  }
  put("posts", R"({"id":"1"})");
  EXPECT_EQ(field(next(client), "event.documentId"), "1");
}

TEST_F(RealtimeTest, TheCallerOfTheNewTokenIsTheOneJudged) {
  collection("notes", kOwn);
  Client& client = connectAs("alice");
  follow(client, "s", "notes");
  say(client, R"({"type":"auth","token":"bob"})");
  EXPECT_EQ(next(client), R"({"type":"auth_ok"})");
  put("notes", R"({"id":"1","ownerId":"user_alice"})");
  put("notes", R"({"id":"2","ownerId":"user_bob"})");
  EXPECT_EQ(field(next(client), "event.documentId"), "2");
  EXPECT_TRUE(rest(client).empty());
}

TEST_F(RealtimeTest, WhatEndsATokenEndsItsEvents) {
  collection("posts", kOpen);
  Client& client = connectAs("bob");
  follow(client, "s", "posts");
  auth_.fail("bob");
  put("posts", R"({"id":"1"})");
  EXPECT_EQ(code(next(client)), "AUTH_FAILED");
  put("posts", R"({"id":"2"})");
  EXPECT_TRUE(rest(client).empty());
  auth_.restore("bob");
  say(client, R"({"type":"auth","token":"bob"})");
  EXPECT_EQ(next(client), R"({"type":"auth_ok"})");
  put("posts", R"({"id":"3"})");
  EXPECT_EQ(field(next(client), "event.documentId"), "3");
}

TEST_F(RealtimeTest, ALookupThatThrowsHoldsBackOnlyItsOwnSocket) {
  collection("posts", kOpen);
  Client& alice = connectAs("alice");
  Client& bob = connectAs("bob");
  follow(alice, "a", "posts");
  follow(bob, "b", "posts");
  auth_.breakLookup("bob");
  put("posts", R"({"id":"1"})");
  EXPECT_EQ(field(next(alice), "event.documentId"), "1");
  put("posts", R"({"id":"2"})");
  EXPECT_EQ(field(next(alice), "event.documentId"), "2");
  EXPECT_TRUE(rest(bob).empty());
  auth_.restore("bob");
  put("posts", R"({"id":"3"})");
  EXPECT_EQ(field(next(alice), "event.documentId"), "3");
  for (const char* id : {"1", "2", "3"}) EXPECT_EQ(field(next(bob), "event.documentId"), id);
}

TEST_F(RealtimeTest, ARoleThatChangesBitesAtTheNextEvent) {
  collection("posts", R"({"read":{"filter":{"forRole":"$auth.role"}}})");
  Client& client = connectAs("bob");
  follow(client, "s", "posts");
  put("posts", R"({"id":"1","forRole":"user"})");
  EXPECT_EQ(field(next(client), "event.documentId"), "1");
  bob_.role = "editor";
  auth_.add("bob", bob_, kStart + kHour);
  put("posts", R"({"id":"2","forRole":"user"})");
  put("posts", R"({"id":"3","forRole":"editor"})");
  EXPECT_EQ(field(next(client), "event.documentId"), "3");
  bob_.permissions = permissions({});
  auth_.add("bob", bob_, kStart + kHour);
  put("posts", R"({"id":"4","forRole":"editor"})");
  EXPECT_TRUE(rest(client).empty());
}

TEST_F(RealtimeTest, APolicyThatChangesBitesAtTheNextEvent) {
  collection("posts", kOpen);
  Client& client = connectAs("bob");
  follow(client, "s", "posts");
  expectOk(run(data_->collections().setPolicy(managing(), "posts", data::json(R"({"create":{}})"))));
  put("posts", R"({"id":"1"})");
  EXPECT_TRUE(rest(client).empty());
  expectOk(
      run(data_->collections().setPolicy(managing(), "posts", data::json(R"({"read":{"deniedReadFields":["x"]}})"))));
  put("posts", R"({"id":"2","x":1,"y":2})");
  const std::string text = next(client);
  EXPECT_EQ(field(text, "event.documentId"), "2");
  EXPECT_EQ(text.find("\"x\""), std::string::npos);
  EXPECT_NE(text.find("\"y\""), std::string::npos);
}

TEST_F(RealtimeTest, ARenamedOrDroppedCollectionEndsItsSubscriptions) {
  collection("posts", kOpen);
  collection("notes", kOpen);
  Client& client = connectAs("bob");
  follow(client, "p", "posts");
  follow(client, "n", "notes");
  expectOk(run(data_->collections().rename(managing(), "posts", "articles")));
  put("articles", R"({"id":"1"})");
  const std::string renamed = next(client);
  EXPECT_EQ(code(renamed), "NOT_FOUND");
  EXPECT_EQ(field(renamed, "id"), "p");
  expectOk(run(data_->collections().drop(managing(), "notes")));
  const std::string dropped = next(client);  // noticed within a second, without an event
  EXPECT_EQ(code(dropped), "NOT_FOUND");
  EXPECT_EQ(field(dropped, "id"), "n");
  collection("notes", kOpen);
  put("notes", R"({"id":"1"})");
  EXPECT_TRUE(rest(client).empty());
  follow(client, "n", "notes");
}

TEST_F(RealtimeTest, ASuspendedOrDeletedProjectCloses) {
  for (const ErrorCode reason : {ErrorCode::projectSuspended, ErrorCode::notFound}) {
    collection(reason == ErrorCode::notFound ? "a" : "b", kOpen);
    Client& client = connectAs("alice");
    follow(client, "s", reason == ErrorCode::notFound ? "a" : "b");
    auth_.fail("alice", reason);
    EXPECT_EQ(code(next(client)), "FORBIDDEN");
    onCore([&] { EXPECT_EQ(client.socket.closeCode, http::closeCode::kPolicyViolation); });
    EXPECT_EQ(realtime_->openSockets(project_), 0);
    Client& late = connect();
    say(late, R"({"type":"auth","token":"alice"})");
    EXPECT_EQ(code(next(late)), reason == ErrorCode::notFound ? "AUTH_FAILED" : "FORBIDDEN");
    auth_.restore("alice");
  }
}

TEST_F(RealtimeTest, ACapOnConnections) {
  RealtimeSettings two;
  two.maxConnections = 2;
  open(two);
  Client& first = connectAs("alice");
  connectAs("bob");
  Client& third = connect();
  say(third, R"({"type":"auth","token":"alice"})");
  const std::string refused = next(third);
  EXPECT_EQ(code(refused), "CONNECTION_LIMIT");
  EXPECT_TRUE(field(refused, "message").starts_with("plan limit: ")) << refused;
  EXPECT_EQ(third.socket.closeCode, http::closeCode::kPolicyViolation);
  say(first, R"({"type":"auth","token":"bob"})");  // re-authentication takes no permit
  EXPECT_EQ(next(first), R"({"type":"auth_ok"})");
  EXPECT_EQ(realtime_->openSockets(project_), 2);
  onCore([&] { first.handler->closed(); });
  EXPECT_EQ(realtime_->openSockets(project_), 1);
  connectAs("alice");
  EXPECT_EQ(realtime_->openSockets(project_), 2);
}

TEST_F(RealtimeTest, UnknownSocketsOfOneAddressAreBounded) {
  onCore([&] {
    std::vector<std::shared_ptr<http::WebSocketHandler>> held;
    for (size_t i = 0; i < kMaxUnknownPerAddress; ++i) {
      auto handler = realtime_->accept("192.0.2.7");
      ASSERT_TRUE(handler);
      held.push_back(*std::move(handler));
    }
    const auto refused = realtime_->accept("192.0.2.7");
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code(), ErrorCode::rateLimited);
    EXPECT_TRUE(realtime_->accept("192.0.2.8"));
    held.pop_back();
    EXPECT_TRUE(realtime_->accept("192.0.2.7"));
  });
}

}  // namespace
}  // namespace mb::realtime
