#include "data/policy_tests.h"

#include "data/collection_config.h"
#include "data/data_fixture.h"

namespace mb::data {
namespace {

class PolicyTestsTest : public DataTest {
 protected:
  static PolicyTest test(std::string_view text) {
    auto decoded = doc::decode<PolicyTest>(json(text));
    EXPECT_TRUE(decoded) << text << (decoded ? "" : decoded.error().message());
    return decoded ? *std::move(decoded) : PolicyTest();
  }
  static std::string firstProblem(std::string_view text) {
    const auto problems = policyTestProblems({test(text)}, "");
    return problems.empty() ? "" : problems.front().path;
  }
  Result<> set(const std::string& name, std::vector<PolicyTest> tests) {
    return run(data_->collections().setPolicyTests(managing(), name, std::move(tests)));
  }
  CollectionPtr compiled(const std::string& name) { return *snapshot()->get(data_->slot()).find(name); }
};

constexpr std::string_view kRead =
    R"({"name":"a","caller":{"role":"user"},"operation":"read","document":{"id":"n"},"expect":"allowed"})";

TEST_F(PolicyTestsTest, FormIsCheckedByOperation) {
  const auto with = [](std::string_view fields) {
    return fmt::format(R"({{"name":"a","caller":{{"role":"user"}},{},"expect":"denied"}})", fields);
  };
  for (const auto& [fields, path] : std::vector<std::pair<std::string, std::string>>{
           {R"("operation":"read","id":"n")", ""},
           {R"("operation":"read","id":"n","filter":{"a":1})", ""},
           {R"("operation":"list")", ""},
           {R"("operation":"list","document":{})", ""},
           {R"("operation":"create","body":{})", ""},
           {R"("operation":"update","id":"n","body":{},"replace":true)", ""},
           {R"("operation":"delete","document":{})", ""},
           {R"("operation":"admin")", "/0/operation"},
           {R"("operation":"read")", "/0/id"},
           {R"("operation":"delete")", "/0/id"},
           {R"("operation":"update","body":{})", "/0/id"},
           {R"("operation":"update","id":"n")", "/0/body"},
           {R"("operation":"create")", "/0/body"},
           {R"("operation":"create","body":{},"id":"n")", "/0/id"},
           {R"("operation":"create","body":{},"document":{})", "/0/document"},
           {R"("operation":"read","id":"n","document":{})", "/0/id"},
           {R"("operation":"read","id":"n","body":{})", "/0/body"},
           {R"("operation":"list","replace":false)", "/0/replace"},
           {R"("operation":"update","id":"n","body":{},"filter":{})", "/0/filter"},
           {R"("operation":"list","given":{"users":[]})", "/0/given/users"},
           {R"("operation":"list","given":{"a":[{},1]})", "/0/given/a/1"},
       }) {
    EXPECT_EQ(firstProblem(with(fields)), path) << fields;
  }
}

TEST_F(PolicyTestsTest, AreKeptWithTheCollection) {
  collection("notes", R"({"read":{}})");
  EXPECT_TRUE(data_->collections().policyTests(*snapshot(), "notes")->empty());
  expectOk(set("notes", {test(kRead)}));
  expectOk(run(data_->collections().rename(managing(), "notes", "texts")));
  const auto tests = data_->collections().policyTests(*snapshot(), "texts");
  ASSERT_TRUE(tests);
  ASSERT_EQ(tests->size(), 1);
  EXPECT_EQ(doc::toJson(tests->front()), kRead);
  expectOk(run(data_->collections().setPolicy(managing(), "texts", json(R"({"list":{}})"))));
  EXPECT_EQ(data_->collections().policyTests(*snapshot(), "texts")->size(), 1);
  expectOk(set("texts", {}));
  EXPECT_FALSE(compiled("texts")->info.config.view().find("policyTests"));
  expectError(ErrorCode::notFound, set("missing", {test(kRead)}));
  expectError(ErrorCode::validation, set("texts", {test(kRead), test(kRead)}));
  expectError(ErrorCode::validation, set("texts", std::vector<PolicyTest>(kMaxPolicyTests + 1, test(kRead))));
}

TEST_F(PolicyTestsTest, AChangeOfThemAloneCompilesNothing) {
  collection("notes", R"({"read":{"filter":{"ownerId":"$auth.uid"}}})");
  expectOk(run(data_->collections().setSchema(managing(), "notes", json(R"({"properties":{"a":{"type":"string"}}})"))));
  const CollectionPtr before = compiled("notes");
  expectOk(set("notes", {test(kRead)}));
  const CollectionPtr after = compiled("notes");
  EXPECT_NE(before, after);
  EXPECT_EQ(before->schema, after->schema);
  EXPECT_EQ(before->policy, after->policy);
  EXPECT_EQ(before->schemaSource, after->schemaSource);

  expectOk(run(data_->collections().setPolicy(managing(), "notes", json(R"({"read":{}})"))));
  EXPECT_EQ(before->schema, compiled("notes")->schema);
  EXPECT_NE(before->policy, compiled("notes")->policy);
  expectOk(run(data_->collections().setSchema(managing(), "notes", json(R"({"properties":{"a":{"type":"array"}}})"))));
  EXPECT_NE(before->schema, compiled("notes")->schema);
  expectOk(run(data_->collections().clearSchema(managing(), "notes")));
  EXPECT_FALSE(compiled("notes")->schema);
}

}  // namespace
}  // namespace mb::data
