#include "functions/pre_hooks.h"

#include "functions/functions_runtime_fixture.h"

namespace mb::functions {
namespace {

constexpr std::string_view kPre = R"({"timing":"pre"})";
constexpr std::string_view kAllEvents =
    R"({"type":"database","collection":"notes","events":["insert","update","delete"]})";

class PreHooksTest : public RunningFixture {
 protected:
  PreHooksTest() { collection("notes", R"({"type":"object","properties":{"n":{"type":"integer"}}})"); }
  static std::string without(const doc::Document& event) {
    return doc::toJson(doc::FieldSet({"document.createdAt", "document.updatedAt", "document.ownerId",
                                      "previous.createdAt", "previous.updatedAt", "previous.ownerId"})
                           .strip(event));
  }
  void refused(const Result<std::string>& made, ErrorCode code, const std::string& message) {
    ASSERT_FALSE(made);
    EXPECT_EQ(code, made.error().code());
    EXPECT_EQ(message, made.error().message());
    EXPECT_TRUE(stored("notes").empty());
  }
};

TEST_F(PreHooksTest, seesWhatWouldBeWritten) {
  define("check", kAllEvents, kPre);
  ASSERT_TRUE(create("notes", R"({"id":"a","n":1})"));
  ASSERT_TRUE(patch("notes", "a", R"({"n":2})"));
  ASSERT_TRUE(remove("notes", "a"));
  ASSERT_EQ(3, executor_.runs());
  EXPECT_EQ(R"({"type":"database","event":"insert","collection":"notes","documentId":"a","document":{"id":"a","n":1}})",
            without(eventOf(0)));
  EXPECT_EQ(R"({"type":"database","event":"update","collection":"notes","documentId":"a",)"
            R"("document":{"id":"a","n":2},"previous":{"id":"a","n":1}})",
            without(eventOf(1)));
  EXPECT_EQ(R"({"type":"database","event":"delete","collection":"notes","documentId":"a",)"
            R"("document":null,"previous":{"id":"a","n":2}})",
            without(eventOf(2)));
  for (const workers::RunRequest& each : executor_.requests()) {
    EXPECT_EQ(workers::RunClass::preHook, each.runClass);
    EXPECT_LE(each.timeout, kMaxHookTime);
    EXPECT_EQ("user_admin", each.context.view().findPath("auth.uid")->asString());
  }
}

TEST_F(PreHooksTest, onlyTheEventsThatItNames) {
  define("check", R"({"type":"database","collection":"notes","events":["update"]})", kPre);
  ASSERT_TRUE(create("notes", R"({"id":"a","n":1})"));
  EXPECT_EQ(0, executor_.runs());
  ASSERT_TRUE(patch("notes", "a", R"({"n":2})"));
  EXPECT_EQ(1, executor_.runs());
}

TEST_F(PreHooksTest, anAbortReturnsItsReason) {
  define("check", kAllEvents, kPre);
  executor_.answer("check", {gives(R"({"abort":true,"reason":"not on Sundays"})"), gives(R"({"abort":true})")});
  refused(create("notes", "{}"), ErrorCode::validation, "not on Sundays");
  refused(create("notes", "{}"), ErrorCode::validation, "the function \"check\" rejected this");
  EXPECT_EQ("aborted", log("check").front().status);
}

TEST_F(PreHooksTest, whateverGoesWrongRefuses) {
  define("check", kAllEvents, kPre);
  executor_.answer("check", {ends(workers::RunStatus::error, "secret detail"), ends(workers::RunStatus::timeout),
                             ends(workers::RunStatus::busy), gives(R"({"document":3})")});
  refused(create("notes", "{}"), ErrorCode::validation, "the function \"check\" failed, so nothing was written");
  refused(create("notes", "{}"), ErrorCode::validation, "the function \"check\" timed out, so nothing was written");
  const auto busy = create("notes", "{}");
  refused(busy, ErrorCode::functionsBusy, "all workers for functions are busy, try again");
  EXPECT_EQ(1, busy.error().retryAfterSeconds());
  ASSERT_FALSE(create("notes", "{}"));
  EXPECT_TRUE(stored("notes").empty());
}

TEST_F(PreHooksTest, aChainGoesByNameAndHandsOnTheDocument) {
  define("b-second", kAllEvents, kPre);
  define("a-first", kAllEvents, kPre);
  executor_.answer("a-first", {gives(R"({"document":{"n":5,"from":"a"}})")});
  executor_.answer("b-second", {gives(R"({"document":{"n":6,"id":"other","createdAt":"never"}})")});
  ASSERT_TRUE(create("notes", R"({"id":"x","n":1})"));
  EXPECT_EQ(5, eventOf(1).view().findPath("document.n")->asInteger());
  ASSERT_EQ(1, stored("notes").size());
  const doc::Document made = stored("notes").front();
  EXPECT_EQ("x", made.view().stringOr("id"));
  EXPECT_EQ(6, made.view().find("n")->asInteger());
  EXPECT_EQ(doc::BsonType::date, made.view().find("createdAt")->type());
  EXPECT_FALSE(made.view().find("from"));
}

TEST_F(PreHooksTest, theReturnedDocumentIsValidatedAgain) {
  define("check", kAllEvents, kPre);
  executor_.answer("check", {gives(R"({"document":{"n":"five"}})")});
  const auto made = create("notes", R"({"n":1})");
  ASSERT_FALSE(made);
  EXPECT_EQ(ErrorCode::validation, made.error().code());
}

TEST_F(PreHooksTest, aDocumentIsIgnoredOnDelete) {
  ASSERT_TRUE(create("notes", R"({"id":"a","n":1})"));
  define("check", kAllEvents, kPre);
  executor_.answer("check", {gives(R"({"document":{"n":5}})")});
  EXPECT_TRUE(remove("notes", "a"));
  EXPECT_TRUE(stored("notes").empty());
}

TEST_F(PreHooksTest, looksUpDocumentsAndChangesNone) {
  collection("teams");
  ASSERT_TRUE(create("teams", R"({"id":"red","n":1})"));
  define("check", kAllEvents, kPre);
  std::vector<std::string> seen;
  executor_.script("check", [&](workers::RunRequest request) -> Async<Outcome> {
    const std::pair<const char*, const char*> calls[] = {
        {"lookup.get", R"({"0":"teams","1":"red"})"},
        {"lookup.get", R"({"0":"teams","1":"blue"})"},
        {"lookup.findOne", R"({"0":"teams","1":{"n":{"$gte":1}}})"},
        {"lookup.findOne", R"({"0":"teams","1":{"n":2}})"},
        {"lookup.get", R"({"0":"nothing","1":"red"})"},
        {"lookup.get", R"({"0":"teams"})"},
        {"lookup.get", R"({"0":"teams","1":{"$ne":""}})"},
        {"lookup.findOne", R"({"0":"teams","1":{"$where":"1"}})"},
        {"lookup.findOne", R"({"0":"teams","1":{},"2":{"skip":1}})"},
        {"lookup.find", R"({"0":"teams"})"},
        {"db.find", R"({"0":"teams"})"},
        {"db.insertOne", R"({"0":"teams","1":{}})"},
        {"integrations.call", R"({"0":"mail","1":"send","2":{"to":"x"}})"},
    };
    for (const auto& [operation, arguments] : calls) {
      const auto found = co_await request.bridge->call(operation, json(arguments));
      const auto id = [&] {
        return found->type() == doc::BsonType::null ? "null" : found->view().asDocument().stringOr("id");
      };
      seen.emplace_back(found ? id() : meaningOf(found.error().code()).wire);
    }
    co_return gives("null");
  });
  ASSERT_TRUE(create("notes", R"({"n":1})"));
  EXPECT_EQ(
      (std::vector<std::string>{"red", "null", "red", "null", "NOT_FOUND", "VALIDATION", "VALIDATION", "INVALID_FILTER",
                                "VALIDATION", "VALIDATION", "VALIDATION", "VALIDATION", "VALIDATION"}),
      seen);
  EXPECT_EQ(1, stored("teams").size());
}

TEST_F(PreHooksTest, isLoggedAndNotMetered) {
  define("check", kAllEvents, kPre);
  ASSERT_TRUE(create("notes", "{}"));
  ASSERT_EQ(1, log("check").size());
  EXPECT_EQ("database", log("check")[0].trigger);
  EXPECT_EQ(0, *run(running_.log().runsOfMonth(shop_, clock_.now())));
}

TEST_F(PreHooksTest, writesOfFunctionsFireNone) {
  define("check", kAllEvents, kPre);
  define("hello", R"({"type":"http","method":"GET","path":"/a"})");
  executor_.script("hello", [](workers::RunRequest request) -> Async<Outcome> {
    auto made = co_await request.bridge->call("db.insertOne", json(R"({"0":"notes","1":{"n":1}})"));
    EXPECT_TRUE(made);
    co_return gives("1");
  });
  invoke("hello");
  EXPECT_EQ(1, executor_.runs());
  EXPECT_EQ(1, stored("notes").size());
}

}  // namespace
}  // namespace mb::functions
