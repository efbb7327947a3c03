#include "realtime/protocol.h"

#include <gtest/gtest.h>

#include "document/testing.h"

namespace mb::realtime {
namespace {

using Type = ClientMessage::Type;

TEST(ReadMessageTest, WholeMessages) {
  const ClientMessage auth = readMessage(R"({"type":"auth","token":"t"})");
  EXPECT_EQ(auth.type, Type::auth);
  EXPECT_EQ(auth.token, "t");
  EXPECT_EQ(auth.problem, "");

  const ClientMessage plain = readMessage(R"({"type":"subscribe","id":"s","collection":"posts"})");
  EXPECT_EQ(plain.type, Type::subscribe);
  EXPECT_EQ(plain.problem, "");
  EXPECT_EQ(plain.id, "s");
  EXPECT_EQ(plain.collection, "posts");
  EXPECT_EQ(plain.events, kAllEvents);
  EXPECT_FALSE(plain.after);

  const ClientMessage full = readMessage(
      R"({"type":"subscribe","id":"s","collection":"posts","events":["delete","insert","delete"],"after":"p"})");
  EXPECT_EQ(full.problem, "");
  EXPECT_EQ(full.events, eventOf(store::ChangeEntry::Kind::remove) | eventOf(store::ChangeEntry::Kind::insert));
  EXPECT_EQ(full.after, "p");

  const ClientMessage end = readMessage(R"({"type":"unsubscribe","id":"ä"})");
  EXPECT_EQ(end.type, Type::unsubscribe);
  EXPECT_EQ(end.problem, "");
  EXPECT_EQ(end.id, "ä");
}

TEST(ReadMessageTest, WhatASubscriptionSelects) {
  const ClientMessage message =
      readMessage(R"({"type":"subscribe","id":"s","collection":"posts","leave":true,"fields":["a.b","c"],)"
                  R"("filter":{"at":{"$gt":{"$date":"2026-01-01T00:00:00Z"}},"n":1}})");
  EXPECT_EQ(message.problem, "");
  EXPECT_TRUE(message.leave);
  EXPECT_EQ(message.fields.paths(), (std::vector<std::string>{"a.b", "c", "id"}));
  EXPECT_EQ(message.filter.view().findPath("at.$gt").value().type(), doc::BsonType::date);
  const ClientMessage none = readMessage(R"({"type":"subscribe","id":"s","collection":"posts","leave":false})");
  EXPECT_EQ(none.problem, "");
  EXPECT_FALSE(none.leave);
  EXPECT_TRUE(none.fields.empty() && none.filter.view().empty());
  const ClientMessage anonymous = readMessage(R"({"type":"auth","anonymous":true})");
  EXPECT_EQ(anonymous.problem, "");
  EXPECT_TRUE(anonymous.anonymous);
  EXPECT_FALSE(anonymous.batch);
  EXPECT_TRUE(readMessage(R"({"type":"auth","token":"t","batch":true})").batch);

  std::string fields = "\"f0\"";
  for (size_t i = 1; i < kMaxFields; ++i) fields += ",\"f" + std::to_string(i) + "\"";
  const auto withFields = [](const std::string& list) {
    return readMessage(R"({"type":"subscribe","id":"s","collection":"posts","fields":[)" + list + "]}").problem;
  };
  EXPECT_EQ(withFields(fields), "");
  EXPECT_NE(withFields(fields + ",\"more\""), "");
  EXPECT_NE(
      withFields("\"" + std::string(1000, 'a') + "\",\"" + std::string(1000, 'b') + "\",\"" + std::string(1000, 'c') +
                 "\",\"" + std::string(1000, 'd') + "\",\"" + std::string(97, 'e') + "\""),
      "");
}

TEST(ReadMessageTest, AdminIsABooleanOfSubscribe) {
  const auto read = [](const std::string& given) {
    return readMessage(R"({"type":"subscribe","id":"s","collection":"posts","admin":)" + given + "}");
  };
  EXPECT_TRUE(read("true").admin);
  EXPECT_FALSE(read("false").admin);
  EXPECT_EQ(read("false").problem, "");
  for (const char* wrong : {"1", "null", "\"true\"", "{}", "[]"}) EXPECT_NE(read(wrong).problem, "") << wrong;
  EXPECT_NE(readMessage(R"({"type":"auth","token":"t","admin":true})").problem, "");
  EXPECT_NE(readMessage(R"({"type":"unsubscribe","id":"s","admin":true})").problem, "");
}

TEST(ReadMessageTest, WhatIsNoMessage) {
  const std::string long64 = [] {
    std::string text;
    for (int i = 0; i < 64; ++i) text += "ö";
    return text;
  }();
  struct Case {
    std::string text;
    Type type;
    std::string id;
  };
  const std::vector<Case> cases = {
      {"", Type::none, ""},
      {"auth", Type::none, ""},
      {"[]", Type::none, ""},
      {"\"auth\"", Type::none, ""},
      {"{\"type\":\"auth\"", Type::none, ""},
      {"{}", Type::none, ""},
      {R"({"type":5,"id":"a"})", Type::none, "a"},
      {R"({"type":"auth","type":"auth","token":"t"})", Type::none, ""},
      {R"({"type":"publish","id":"a"})", Type::unknown, "a"},
      {R"({"type":"Auth","token":"t"})", Type::unknown, ""},
      {R"({"type":"auth"})", Type::auth, ""},
      {R"({"type":"auth","token":""})", Type::auth, ""},
      {R"({"type":"auth","token":null})", Type::auth, ""},
      {R"({"type":"auth","token":{"$oid":"x"}})", Type::auth, ""},
      {R"({"type":"auth","token":"t","more":1})", Type::auth, ""},
      {R"({"type":"subscribe"})", Type::subscribe, ""},
      {R"({"type":"subscribe","id":"a"})", Type::subscribe, "a"},
      {R"({"type":"subscribe","collection":"c"})", Type::subscribe, ""},
      {R"({"type":"subscribe","id":"","collection":"c"})", Type::subscribe, ""},
      {R"({"type":"subscribe","id":7,"collection":"c"})", Type::subscribe, ""},
      {R"({"type":"subscribe","id":")" + long64 + R"(x","collection":"c"})", Type::subscribe, ""},
      {R"({"type":"subscribe","id":"a","collection":""})", Type::subscribe, "a"},
      {R"({"type":"subscribe","id":"a","collection":["c"]})", Type::subscribe, "a"},
      {R"({"type":"subscribe","id":"a","collection":"c","events":[]})", Type::subscribe, "a"},
      {R"({"type":"subscribe","id":"a","collection":"c","events":"insert"})", Type::subscribe, "a"},
      {R"({"type":"subscribe","id":"a","collection":"c","events":["*"]})", Type::subscribe, "a"},
      {R"({"type":"subscribe","id":"a","collection":"c","events":["insert",1]})", Type::subscribe, "a"},
      {R"({"type":"subscribe","id":"a","collection":"c","events":null})", Type::subscribe, "a"},
      {R"({"type":"subscribe","id":"a","collection":"c","after":3})", Type::subscribe, "a"},
      {R"({"type":"subscribe","id":"a","collection":"c","query":{}})", Type::subscribe, "a"},
      {R"({"type":"subscribe","id":"a","collection":"c","filter":[]})", Type::subscribe, "a"},
      {R"({"type":"subscribe","id":"a","collection":"c","filter":null})", Type::subscribe, "a"},
      {R"({"type":"subscribe","id":"a","collection":"c","filter":{"a":{"$date":"no"}}})", Type::subscribe, "a"},
      {R"({"type":"subscribe","id":"a","collection":"c","filter":{"a":")" + std::string(17 << 10, 'x') + "\"}}",
       Type::subscribe, "a"},
      {R"({"type":"subscribe","id":"a","collection":"c","fields":[]})", Type::subscribe, "a"},
      {R"({"type":"subscribe","id":"a","collection":"c","fields":"a"})", Type::subscribe, "a"},
      {R"({"type":"subscribe","id":"a","collection":"c","fields":["a..b"]})", Type::subscribe, "a"},
      {R"({"type":"subscribe","id":"a","collection":"c","fields":["a",5]})", Type::subscribe, "a"},
      {R"({"type":"subscribe","id":"a","collection":"c","leave":1})", Type::subscribe, "a"},
      {R"({"type":"unsubscribe","id":"a","leave":true})", Type::unsubscribe, "a"},
      {R"({"type":"auth","anonymous":false})", Type::auth, ""},
      {R"({"type":"auth","anonymous":"true"})", Type::auth, ""},
      {R"({"type":"auth","token":"t","batch":1})", Type::auth, ""},
      {R"({"type":"auth","token":"t","caughtUp":true})", Type::auth, ""},
      {R"({"type":"subscribe","id":"a","collection":"c","caughtUp":1})", Type::subscribe, "a"},
      {R"({"type":"auth","token":"t","batch":false})", Type::auth, ""},
      {R"({"type":"subscribe","id":"a","collection":"c","batch":true})", Type::subscribe, "a"},
      {R"({"type":"auth","anonymous":true,"token":"t"})", Type::auth, ""},
      {R"({"type":"subscribe","id":"a","collection":"c","anonymous":true})", Type::subscribe, "a"},
      {R"({"type":"unsubscribe"})", Type::unsubscribe, ""},
      {R"({"type":"unsubscribe","id":"a","collection":"c"})", Type::unsubscribe, "a"},
      {R"({"type":"subscribe","id":"a","collection":)" + std::string(70, '[') + std::string(70, ']') + "}", Type::none,
       ""},
  };
  for (const Case& one : cases) {
    const ClientMessage message = readMessage(one.text);
    EXPECT_EQ(message.type, one.type) << one.text;
    EXPECT_NE(message.problem, "") << one.text;
    EXPECT_EQ(message.id, one.id) << one.text;
  }
  const ClientMessage fits = readMessage(R"({"type":"unsubscribe","id":")" + long64 + "\"}");
  EXPECT_EQ(fits.problem, "");
  EXPECT_EQ(fits.id, long64);
}

TEST(ServerMessagesTest, AreWhatTheContractSays) {
  EXPECT_EQ(authOkMessage(), R"({"type":"auth_ok"})");
  EXPECT_EQ(subscribedMessage("a\"b"), R"({"type":"subscribed","id":"a\"b"})");
  EXPECT_EQ(unsubscribedMessage("a"), R"({"type":"unsubscribed","id":"a"})");
  EXPECT_EQ(errorMessage(Code::forbidden, "no \"way\""),
            R"({"type":"error","code":"FORBIDDEN","message":"no \"way\""})");
  EXPECT_EQ(errorMessage(Code::duplicateId, "twice", "a"),
            R"({"type":"error","code":"DUPLICATE_ID","message":"twice","id":"a"})");
  EXPECT_EQ(gapMessage("a", "p"), R"({"type":"gap","id":"a","position":"p"})");
  EXPECT_EQ(resetMessage("a"), R"({"type":"reset","id":"a"})");
  EXPECT_EQ(eventHead("s") + leaveTail("1", "posts", "p"),
            R"({"type":"event","subscription":"s","event":{"type":"leave","collection":"posts","documentId":"1"},)"
            R"("position":"p"})");
}

TEST(ServerMessagesTest, Events) {
  store::ChangeEntry entry;
  entry.id = "1";
  entry.before = doc::fromJson(R"({"id":"1","a":0})");
  entry.after = doc::fromJson(R"({"id":"1","a":1,"secret":{"x":1}})");
  const doc::FieldSet hidden({"secret"});
  const doc::FieldSet all;
  EXPECT_EQ(eventHead("s") + eventTail(entry, "posts", {hidden, all}, "p"),
            R"({"type":"event","subscription":"s","event":{"type":"insert","collection":"posts","documentId":"1",)"
            R"("document":{"id":"1","a":1}},"position":"p"})");
  entry.kind = store::ChangeEntry::Kind::replace;
  EXPECT_EQ(eventTail(entry, "posts", {all, all}, "p"),
            R"(,"event":{"type":"replace","collection":"posts","documentId":"1",)"
            R"("document":{"id":"1","a":1,"secret":{"x":1}}},"position":"p"})");
  const auto shown = [&](const doc::FieldSet& denied, std::vector<std::string> only) {
    const std::string tail = eventTail(entry, "posts", {denied, doc::FieldSet(std::move(only))}, "p");
    const size_t at = tail.find(R"("document":)") + 11;
    return tail.substr(at, tail.find(R"(},"position")") - at);
  };
  EXPECT_EQ(shown(all, {"id", "a"}), R"({"id":"1","a":1})");
  EXPECT_EQ(shown(hidden, {"id", "secret.x"}), R"({"id":"1"})");
  EXPECT_EQ(shown(all, {"id", "secret.x", "none"}), R"({"id":"1","secret":{"x":1}})");
  entry.after = doc::fromJson(R"({"id":"1","list":[{"a":1},{"b":2},{"b":3}]})");
  EXPECT_EQ(shown(doc::FieldSet({"list.1"}), {"list.b"}), R"({"list":[{},{"b":3}]})")
      << "positions are those of the list";
  entry.kind = store::ChangeEntry::Kind::remove;
  entry.after.reset();
  EXPECT_EQ(eventTail(entry, "posts", {hidden, all}, "p"),
            R"(,"event":{"type":"delete","collection":"posts","documentId":"1"},"position":"p"})");
}

}  // namespace
}  // namespace mb::realtime
