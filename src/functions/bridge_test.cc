#include "functions/call_fixture.h"
#include "functions/functions_runtime_fixture.h"
#include "functions/run_actor.h"

namespace mb::functions {
namespace {

class BridgeTest : public RunningFixture {
 protected:
  BridgeTest() {
    define("hello", R"({"type":"http","method":"GET","path":"/a"})");
    collection("notes", R"({"type":"object","properties":{"n":{"type":"integer"}}})");
  }
  // The result of a call of the bridge within a run; "CODE: message" for an error.
  std::string call(const std::string& operation, std::string_view arguments, int depth = 0) {
    std::string answer;
    executor_.script("hello", [&](workers::RunRequest request) -> Async<Outcome> {
      auto given = co_await request.bridge->call(operation, argumentsOf(arguments));
      answer = shown(given);
      co_return gives("1");
    });
    invoke("hello", {.depth = depth});
    return answer;
  }
};

TEST_F(BridgeTest, refusesWhatIsNoCall) {
  const RefusedCall cases[] = {
      {"db.drop", "[]", "VALIDATION"},
      {"", "[]", "VALIDATION"},
      {"db.find", "[]", "VALIDATION"},
      {"db.find", "[1]", "VALIDATION"},
      {"db.find", R"(["notes",[]])", "VALIDATION"},
      {"db.find", R"(["notes","x"])", "VALIDATION"},
      {"db.find", R"(["notes",{},{},{}])", "VALIDATION"},
      {"db.find", R"(["notes",{},{"limit":-1}])", "VALIDATION"},
      {"db.find", R"(["notes",{},{"limit":1.5}])", "VALIDATION"},
      {"db.find", R"(["notes",{},{"skip":"1"}])", "VALIDATION"},
      {"db.find", R"(["notes",{},{"sort":"n"}])", "VALIDATION"},
      {"db.find", R"(["notes",{},{"sort":{"n":2}}])", "VALIDATION"},
      {"db.find", R"(["notes",{},{"sort":{"$n":1}}])", "VALIDATION"},
      {"db.find", R"(["notes",{},{"sort":{"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1,"h":1,"i":1}}])", "VALIDATION"},
      {"db.find", R"(["notes",{},{"sort":["n"]}])", "VALIDATION"},
      {"db.find", R"(["notes",{},{"sort":[{"n":1},{"n":-1}]}])", "VALIDATION"},
      {"db.find", R"(["notes",{},{"sort":{"a..b":1}}])", "VALIDATION"},
      {"db.find", R"(["notes",{},{"project":{}}])", "VALIDATION"},
      {"db.find", R"(["notes",{"$where":"1"}])", "INVALID_FILTER"},
      {"db.find", R"(["nothing",{}])", "NOT_FOUND"},
      {"db.find", R"(["__users",{}])", "NOT_FOUND"},
      {"db.find", R"(["users",{}])", "NOT_FOUND"},
      {"db.findOne", R"(["notes",{},{"limit":1}])", "VALIDATION"},
      {"db.count", R"(["notes",{},{}])", "VALIDATION"},
      {"db.insertOne", R"(["notes"])", "VALIDATION"},
      {"db.insertOne", R"(["notes",[1]])", "VALIDATION"},
      {"db.insertOne", R"(["notes",{"n":"one"}])", "VALIDATION"},
      {"db.insertOne", R"(["notes",{"$set":1}])", "VALIDATION"},
      {"db.updateMany", R"(["notes",{}])", "VALIDATION"},
      {"db.updateMany", R"(["notes",null,{"n":1}])", "VALIDATION"},
      {"db.updateMany", R"(["notes",{},{"$set":{"n":1}},{"upsert":true}])", "VALIDATION"},
      {"db.updateMany", R"(["notes",{},{"$set":{"n":1}},{"arrayFilters":{}}])", "VALIDATION"},
      {"db.updateMany", R"(["notes",{},{"$bad":{"n":1}}])", "INVALID_UPDATE"},
      {"db.deleteMany", R"(["notes"])", "VALIDATION"},
      {"db.deleteMany", R"(["notes",{},{}])", "VALIDATION"},
      {"integrations.call", "[]", "VALIDATION"},
      {"integrations.call", R"(["mail"])", "VALIDATION"},
      {"integrations.call", R"(["mail","send",1])", "VALIDATION"},
      {"integrations.call", R"(["mail","send",{}])", "VALIDATION"},
      {"integrations.call", R"(["none","send",{}])", "NOT_FOUND"},
  };
  expectRefused(cases, [&](const auto& operation, auto arguments) { return call(operation, arguments); });
  EXPECT_TRUE(stored("notes").empty());
}

TEST_F(BridgeTest, readsAndWrites) {
  EXPECT_EQ("null", call("db.findOne", R"(["notes",{}])"));
  EXPECT_EQ("[]", call("db.find", R"(["notes"])"));
  const doc::Document made = json(call("db.insertOne", R"(["notes",{"id":"a","n":1}])"));
  EXPECT_EQ("a", made.view().stringOr("id"));
  EXPECT_FALSE(made.view().stringOr("createdAt").empty());
  EXPECT_TRUE(call("db.insertOne", R"(["notes",{"id":"a","n":1}])").starts_with("CONFLICT: "));
  call("db.insertOne", R"(["notes",{"id":"b","n":2}])");
  EXPECT_EQ("2", call("db.count", R"(["notes",{}])"));
  EXPECT_EQ("1", call("db.count", R"(["notes",{"n":{"$gt":1}}])"));
  EXPECT_EQ("b", json(call("db.findOne", R"(["notes",{},{"sort":{"n":-1}}])")).view().stringOr("id"));
  EXPECT_EQ("b", json(call("db.findOne", R"(["notes",{},{"sort":[{"none":1},{"n":-1}]}])")).view().stringOr("id"));
  EXPECT_EQ(R"({"matchedCount":2,"modifiedCount":1})", call("db.updateMany", R"(["notes",{},{"$max":{"n":2}}])"));
  EXPECT_EQ(R"({"deletedCount":2})", call("db.deleteMany", R"(["notes",{"n":2}])"));
  EXPECT_EQ(R"("mail.send {\"to\":\"a@b.c\"}")", call("integrations.call", R"(["mail","send",{"to":"a@b.c"}])"));
}

TEST_F(BridgeTest, writesCarryTheirDepth) {
  call("db.insertOne", R"(["notes",{"id":"a","n":1}])", 3);
  const auto changes = run(memory_.feed().changes(shop_, 0, 10));
  ASSERT_EQ(1, changes->entries.size());
  EXPECT_EQ(store::ActorKind::function, changes->entries[0].actor.kind);
  EXPECT_EQ("fn_hello/3", changes->entries[0].actor.id);
  EXPECT_EQ(3, depthOf(changes->entries[0].actor));
}

TEST_F(BridgeTest, callsFailInASuspendedProject) {
  directory_.change(shop_, [](snapshot::ProjectInfo& info) { info.status = snapshot::ProjectStatus::suspended; });
  memory_.bumpEpoch(shop_);
  EXPECT_TRUE(call("db.find", R"(["notes"])").starts_with("PROJECT_SUSPENDED: "));
  EXPECT_TRUE(call("integrations.call", R"(["mail","send",{"to":"a"}])").starts_with("PROJECT_SUSPENDED: "));
}

TEST(RunActor, depthOfOthersIsNone) {
  EXPECT_EQ(0, depthOf({store::ActorKind::user, "user_1/4"}));
  EXPECT_EQ(0, depthOf({store::ActorKind::server, ""}));
  EXPECT_EQ(4, depthOf(actorOf("fn_1", 4)));
  EXPECT_EQ(kMaxDepth, depthOf({store::ActorKind::function, "fn_1"}));
  EXPECT_EQ(kMaxDepth, depthOf({store::ActorKind::function, "fn_1/99"}));
  EXPECT_EQ(kMaxDepth, depthOf({store::ActorKind::function, "fn_1/x"}));
}

}  // namespace
}  // namespace mb::functions
