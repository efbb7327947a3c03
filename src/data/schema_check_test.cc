#include "data/schema_check.h"

#include "data/data_fixture.h"

namespace mb::data {
namespace {

class SchemaCheckTest : public DataTest {
 protected:
  Result<SchemaCheck> check(const std::string& name, std::string_view schema, std::optional<int64_t> limit = {}) {
    return run(data_->collections().checkDocuments(managing(), name, {json(schema), limit}, soon()));
  }
  // Without the examples.
  std::string counts(const std::string& name, std::string_view schema, std::optional<int64_t> limit = {}) {
    auto result = check(name, schema, limit);
    if (!result) return result.error().message();
    return fmt::format("{} of {}{}", result->failing, result->checked, result->complete ? "" : ", more");
  }
  Result<> save(const std::string& name, std::string_view schema) {
    return run(data_->collections().setSchema(managing(), name, json(schema)));
  }
  // The check and the save of a schema fail alike.
  void expectSameRefusal(const std::string& name, std::string_view schema) {
    const auto checked = check(name, schema);
    const auto saved = save(name, schema);
    ASSERT_FALSE(checked) << schema;
    ASSERT_FALSE(saved) << schema;
    EXPECT_EQ(checked.error().code(), saved.error().code()) << schema;
    EXPECT_EQ(checked.error().message(), saved.error().message());
    EXPECT_EQ(pathsOf(checked.error()), pathsOf(saved.error()));
  }
  static std::vector<std::string> pathsOf(const Error& error) {
    std::vector<std::string> paths;
    for (const ErrorDetail& each : error.details()) paths.push_back(each.path);
    return paths;
  }
};

constexpr std::string_view kShortTitles = R"({"type":"object","properties":{"title":{"type":"string","maxLength":3}}})";

TEST_F(SchemaCheckTest, CountsWhatWouldNotPassAndWritesNothing) {
  collection("posts");
  for (int i = 0; i < 30; ++i) {
    put("posts", fmt::format(R"({{"id":"p{:02}","title":"{}"}})", i, i % 2 == 0 ? "ok" : "too long"));
  }
  const size_t writes = store_.writes();
  const auto result = check("posts", kShortTitles);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->checked, 30);
  EXPECT_EQ(result->failing, 15);
  EXPECT_TRUE(result->complete);
  ASSERT_EQ(result->examples.size(), 15u);
  EXPECT_EQ(doc::toJson(doc::encode(result->examples[0])),
            R"({"id":"p01","details":[{"path":"/title","message":"must be at most 3 characters long"}]})");
  EXPECT_EQ(result->examples[1].id, "p03");
  EXPECT_EQ(store_.writes(), writes);
  EXPECT_EQ(counts("posts", R"({"type":"object","required":["missing"]})"), "30 of 30");
  EXPECT_EQ(check("posts", R"({"type":"object","required":["missing"]})")->examples.size(), kMaxFailingExamples);
}

TEST_F(SchemaCheckTest, EndsAtTheLimit) {
  collection("posts");
  EXPECT_EQ(counts("posts", kShortTitles), "0 of 0");
  for (int i = 0; i < 1000; ++i) put("posts", fmt::format(R"({{"id":"p{:04}","title":"too long"}})", i));
  EXPECT_EQ(counts("posts", kShortTitles), "1000 of 1000");
  EXPECT_EQ(counts("posts", kShortTitles, 1000), "1000 of 1000");
  EXPECT_EQ(counts("posts", kShortTitles, 999), "999 of 999, more");
  EXPECT_EQ(counts("posts", kShortTitles, 1), "1 of 1, more");
  for (const int64_t bad : {int64_t{0}, int64_t{-1}, kMaxCheckedDocuments + 1}) {
    const auto refused = check("posts", kShortTitles, bad);
    expectError(ErrorCode::validation, refused);
    EXPECT_EQ(pathsOf(refused.error()), std::vector<std::string>{"/limit"});
  }
}

// Conversions of the schema are made as a write makes them.
TEST_F(SchemaCheckTest, ValidatesAsAWriteWould) {
  collection("posts");
  put("posts", R"({"id":"a","at":"2026-01-31T09:30:00Z"})");
  put("posts", R"({"id":"b","at":"yesterday"})");
  put("posts", R"({"id":"c"})");
  constexpr std::string_view kDates =
      R"({"type":"object","additionalProperties":false,"properties":{"at":{"x-bson":"date"},"n":{"type":"integer"}}})";
  EXPECT_EQ(counts("posts", kDates), "1 of 3");
  EXPECT_EQ(check("posts", kDates)->examples.at(0).id, "b");
  expectOk(save("posts", kDates));
  expectOk(run(data_->documents().update(asAdmin(), "posts", "a", json(R"({"n":1})"))));
  expectError(ErrorCode::validation, run(data_->documents().update(asAdmin(), "posts", "b", json(R"({"n":1})"))));
  // Only a create applies a default.
  constexpr std::string_view kDefault =
      R"({"type":"object","required":["n"],"properties":{"n":{"type":"integer","default":0}}})";
  EXPECT_EQ(counts("posts", kDefault), "2 of 3");
}

TEST_F(SchemaCheckTest, RefusesWhatASaveRefuses) {
  collection("posts", R"({"create":{"validate":"document.title == 'a'"}})",
             R"({"type":"object","properties":{"title":{"type":"string"}}})");
  expectSameRefusal("posts", R"({"type":"object","typo":1})");
  expectSameRefusal("posts", R"({"type":"object","properties":{"title":{"type":"strin"}}})");
  expectSameRefusal("posts", R"({"properties":{"id":{"x-bson":"objectId"}}})");
  expectSameRefusal("posts", R"({"properties":{"title":{"type":"string"},"of":{"type":"string","x-ref":"nowhere"}}})");
  expectSameRefusal("posts", R"({"properties":{"title":{"type":"integer"}}})");
  expectSameRefusal(
      "posts",
      R"({"properties":{"title":{"type":"string"},"of":{"type":"string","x-ref":{"collection":"posts","onDelete":"restrict"}}}})");
  expectError(ErrorCode::notFound, check("nothing", kShortTitles));
}

TEST_F(SchemaCheckTest, LargeBreachesAreLeftOut) {
  collection("posts");
  const std::string key(70 << 10, 'k');
  put("posts", fmt::format(R"({{"id":"a","{}":1,"b":1}})", key));
  const auto result = check("posts", R"({"type":"object","additionalProperties":false})");
  ASSERT_TRUE(result);
  EXPECT_EQ(result->failing, 1);
  EXPECT_TRUE(result->examples.at(0).details.empty());
}

TEST_F(SchemaCheckTest, FailsAsTheStoreDoes) {
  collection("posts");
  put("posts", R"({"id":"a"})");
  const AdminAccess access = managing();
  store_.failWith(ErrorCode::unavailable);
  expectError(ErrorCode::unavailable,
              run(data_->collections().checkDocuments(access, "posts", {json(kShortTitles), {}}, soon())));
}

}  // namespace
}  // namespace mb::data
