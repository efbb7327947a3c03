// Sockets without a token.
#include "realtime/realtime_fixture.h"

namespace mb::realtime {
namespace {

class AnonymousTest : public RealtimeTest {
 protected:
  static constexpr std::string_view kAnonymous = R"({"type":"auth","anonymous":true})";

  Client& connectFrom(const std::string& address, std::optional<std::string> project = "test") {
    clients_.push_back(std::make_unique<Client>());
    Client& client = *clients_.back();
    onCore([&] {
      client.handler = realtime_->accept(address, std::move(project)).value();
      client.handler->opened(client.socket);
    });
    return client;
  }
  std::string enter(Client& client) {
    say(client, std::string(kAnonymous));
    return next(client);
  }
  Client& anonymous(const std::string& address = "192.0.2.1") {
    Client& client = connectFrom(address);
    EXPECT_EQ(enter(client), R"({"type":"auth_ok"})");
    return client;
  }
  void setPolicy(std::string_view policy) {
    expectOk(run(data_->collections().setPolicy(managing(), "posts", data::json(policy))));
  }
  void suspend(bool suspended) {
    snapshot::ProjectInfo info = snapshot()->info();
    info.status = suspended ? snapshot::ProjectStatus::suspended : snapshot::ProjectStatus::active;
    directory_.set(std::move(info));
    collection(suspended ? "one" : "other");  // bumps the epoch
  }
};

constexpr std::string_view kPublic =
    R"({"read":{"deniedReadFields":["notes"]},"public":{"read":{"filter":{"published":true},"deniedReadFields":["views"]}}})";

TEST_F(AnonymousTest, SeesWhatPublicRulesShow) {
  collection("posts", kPublic);
  collection("closed", R"({"read":{}})");
  Client& nobody = anonymous();
  Client& alice = connectAs("alice");
  follow(nobody, "s", "posts");
  follow(alice, "s", "posts");
  for (const char* closed : {"closed", "nothing"}) {
    say(nobody, std::string(R"({"type":"subscribe","id":"r","collection":")") + closed + "\"}");
    EXPECT_EQ(code(next(nobody)), "FORBIDDEN");
  }
  say(nobody, R"({"type":"subscribe","id":"r","collection":"posts","filter":{"notes":1}})");
  EXPECT_EQ(code(next(nobody)), "FORBIDDEN");
  put("posts", R"({"id":"1","published":true,"views":1,"notes":2,"text":"t"})");
  put("posts", R"({"id":"2"})");
  const std::string shown = next(nobody);
  EXPECT_EQ(field(shown, "event.documentId"), "1");
  EXPECT_EQ(shown.find("views"), std::string::npos);
  EXPECT_EQ(shown.find("notes"), std::string::npos);
  EXPECT_NE(shown.find("\"text\""), std::string::npos);
  EXPECT_TRUE(rest(nobody).empty());
  const std::string whole = next(alice);
  EXPECT_NE(whole.find("views"), std::string::npos);
  EXPECT_EQ(whole.find("notes"), std::string::npos);
}

TEST_F(AnonymousTest, WhatIsNotPublicAnyMoreStops) {
  collection("posts", kPublic);
  Client& client = anonymous();
  follow(client, "s", "posts", R"(,"leave":true)");
  put("posts", R"({"id":"1","published":true})");
  EXPECT_EQ(field(next(client), "event.documentId"), "1");
  setPolicy(R"({"read":{}})");
  put("posts", R"({"id":"2","published":true})");
  EXPECT_EQ(next(client), R"({"type":"reset","id":"s"})");
  EXPECT_TRUE(rest(client).empty());
  setPolicy(kPublic);
  put("posts", R"({"id":"3","published":true})");
  EXPECT_EQ(next(client), R"({"type":"reset","id":"s"})");
  EXPECT_EQ(field(next(client), "event.documentId"), "3");
}

TEST_F(AnonymousTest, ProjectsThatShowNothingAreOneAnswer) {
  collection("posts", R"({"read":{},"public":{"list":{}}})");
  Client& client = connectFrom("192.0.2.1");
  const std::string refused = enter(client);
  EXPECT_EQ(code(refused), "AUTH_FAILED");
  setPolicy(kPublic);
  Client& unnamed = connectFrom("192.0.2.1", std::nullopt);
  EXPECT_EQ(enter(unnamed), refused);
  suspend(true);
  EXPECT_EQ(enter(client), refused);
  suspend(false);
  EXPECT_EQ(enter(client), R"({"type":"auth_ok"})");
  Client& only = connectFrom("192.0.2.1", "");
  EXPECT_EQ(enter(only), R"({"type":"auth_ok"})");
}

TEST_F(AnonymousTest, ASuspendedProjectCloses) {
  collection("posts", kPublic);
  Client& client = anonymous();
  follow(client, "s", "posts");
  suspend(true);
  EXPECT_EQ(code(next(client)), "FORBIDDEN");
  onCore([&] { EXPECT_EQ(client.socket.closeCode, http::closeCode::kPolicyViolation); });
  suspend(false);
}

TEST_F(AnonymousTest, ATokenReplacesTheCaller) {
  collection("posts", kPublic);
  Client& client = anonymous();
  follow(client, "s", "posts", R"(,"fields":["views","text"])");
  say(client, R"({"type":"auth","token":"nonsense"})");
  EXPECT_EQ(code(next(client)), "AUTH_FAILED");
  policy::Caller stranger = alice_;
  stranger.project = project_ + 1;
  auth_.add("stranger", stranger, kStart + kHour);
  say(client, R"({"type":"auth","token":"stranger"})");
  EXPECT_EQ(code(next(client)), "AUTH_FAILED");
  put("posts", R"({"id":"1","published":true,"views":1,"text":"t","more":1})");
  EXPECT_EQ(next(client).find("views"), std::string::npos);
  say(client, R"({"type":"auth","token":"alice"})");
  EXPECT_EQ(next(client), R"({"type":"auth_ok"})");
  put("posts", R"({"id":"2","views":1,"text":"t","more":1})");
  const std::string shown = next(client);
  EXPECT_EQ(field(shown, "event.documentId"), "2");
  EXPECT_NE(shown.find("views"), std::string::npos);
  EXPECT_EQ(shown.find("more"), std::string::npos);
  say(client, std::string(kAnonymous));
  EXPECT_EQ(next(client), R"({"type":"auth_ok"})");
  put("posts", R"({"id":"3","views":1})");
  put("posts", R"({"id":"4","published":true,"views":1})");
  const std::string again = next(client);
  EXPECT_EQ(field(again, "event.documentId"), "4");
  EXPECT_EQ(again.find("views"), std::string::npos);
  EXPECT_EQ(realtime_->openSockets(project_), 1);
}

TEST_F(AnonymousTest, SoManyAnAddress) {
  collection("posts", kPublic);
  std::vector<Client*> all;
  for (size_t i = 0; i < kMaxAnonymousPerAddress; ++i) all.push_back(&anonymous("2001:db8::1"));
  Client& more = connectFrom("2001:db8::2");
  EXPECT_EQ(code(enter(more)), "CONNECTION_LIMIT");
  EXPECT_EQ(more.socket.closeCode, http::closeCode::kPolicyViolation);
  anonymous("2001:db9::1");
  // With a token it is not one of them any more.
  say(*all[0], R"({"type":"auth","token":"alice"})");
  EXPECT_EQ(next(*all[0]), R"({"type":"auth_ok"})");
  anonymous("2001:db8::2");
  EXPECT_EQ(code(enter(connectFrom("2001:db8::3"))), "CONNECTION_LIMIT");
  onCore([&] { all[1]->handler->closed(); });
  anonymous("2001:db8::3");
}

TEST_F(AnonymousTest, HalfOfTheProjectsSockets) {
  RealtimeSettings five;
  five.maxConnections = 5;
  open(five);
  collection("posts", kPublic);
  anonymous("192.0.2.1");
  anonymous("192.0.2.2");
  Client& third = connectFrom("192.0.2.3");
  EXPECT_EQ(code(enter(third)), "CONNECTION_LIMIT");
  for (int i = 0; i < 3; ++i) connectAs("alice");
  Client& sixth = connect();
  say(sixth, R"({"type":"auth","token":"alice"})");
  EXPECT_EQ(code(next(sixth)), "CONNECTION_LIMIT");
}

}  // namespace
}  // namespace mb::realtime
