#include "storage/bucket_kind.h"

#include <gmock/gmock.h>

#include <random>

#include "storage/storage_fixture.h"

namespace mb::storage {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class BucketKindTest : public StorageFixture {
 protected:
  static std::string document(std::string_view entries) {
    return fmt::format(R"({{"formatVersion":1,"buckets":[{}]}})", entries);
  }
  std::vector<std::string> problems(std::string_view entries) {
    const auto answer = plan(shop_, document(entries));
    std::vector<std::string> paths;
    if (!answer) {
      for (const ErrorDetail& each : answer.error().details()) paths.push_back(each.path);
    }
    return paths;
  }
};

TEST_F(BucketKindTest, TheShapeComesBackAsItWent) {
  const std::string whole = document(R"({"access":"public","name":"web"},{"name":"docs"})");
  EXPECT_EQ(summary(import(shop_, whole)), "2 0 0");
  EXPECT_THAT(exported(shop_),
              HasSubstr(R"("buckets":[{"name":"docs","access":"private"},{"name":"web","access":"public"}])"));
  EXPECT_EQ(summary(import(shop_, whole)), "0 0 2");
  // Absent access stays unchanged.
  EXPECT_EQ(summary(plan(shop_, document(R"({"name":"web"})"))), "0 0 1");
  EXPECT_EQ(summary(import(shop_, document(R"({"name":"web","access":"private"})"))), "0 1 0");
  EXPECT_THAT(exported(shop_), HasSubstr(R"({"name":"web","access":"private"})"));
}

TEST_F(BucketKindTest, RulesTravelAndAreLeftOutWithout) {
  const std::string ruled = document(
      R"({"name":"a","rules":{"update":{},"read":{"filter":{"ownerId":"$auth.uid"},"validate":"file.size > 1"}}})");
  EXPECT_EQ(summary(import(shop_, ruled)), "1 0 0");
  const std::string shown =
      R"({"name":"a","access":"private","rules":{"read":{"filter":{"ownerId":"$auth.uid"},"validate":"file.size > 1"},"update":{}}})";
  EXPECT_THAT(exported(shop_), HasSubstr(shown));
  EXPECT_EQ(summary(import(shop_, ruled)), "0 0 1");
  // Absent rules stay, null and an empty object remove them.
  EXPECT_EQ(summary(plan(shop_, document(R"({"name":"a"})"))), "0 0 1");
  EXPECT_EQ(summary(plan(shop_, document(R"({"name":"a","rules":{}})"))), "0 1 0");
  EXPECT_EQ(summary(import(shop_, document(R"({"name":"a","rules":null})"))), "0 1 0");
  EXPECT_THAT(exported(shop_), HasSubstr(R"({"name":"a","access":"private"})"));
}

TEST_F(BucketKindTest, ProblemsOfRulesHaveTheirPlace) {
  bucket("open", "public");
  EXPECT_THAT(problems(R"({"name":"a","rules":{"read":{"filter":{"id":1}},"admin":{}}},
                          {"name":"b","access":"public","rules":{"read":{}}},
                          {"name":"open","rules":{"read":{}}},
                          {"name":"c","rules":{"read":{"filter":{"path":{"$in":"$auth.sets.none"}}}}},
                          {"name":"d","rules":[]})"),
              ElementsAre("/buckets/0/rules/read/filter/id", "/buckets/0/rules/admin", "/buckets/1/rules/read",
                          "/buckets/2/rules/read", "/buckets/3/rules/read/filter/path/$in", "/buckets/4/rules"));
}

TEST_F(BucketKindTest, RulesMayNameSetsOfTheDocument) {
  const std::string_view whole = R"({"formatVersion":1,
    "collections":[{"name":"members","indexes":[{"keys":{"userId":1}}]}],
    "policySets":[{"name":"teams","collection":"members","where":{"userId":"$auth.uid"},"value":"teamId"}],
    "buckets":[{"name":"a","rules":{"read":{"filter":{"metadata.team":{"$in":"$auth.sets.teams"}}}}}]})";
  EXPECT_EQ(summary(import(shop_, whole)), "3 0 0");
  const store::ProjectNo to = project();
  const std::string shape = exported(shop_);
  ASSERT_TRUE(import(to, shape));
  EXPECT_EQ(exported(to), shape);
}

TEST_F(BucketKindTest, NoneIsLeftOut) {
  EXPECT_THAT(exported(shop_), ::testing::Not(HasSubstr("buckets")));
}

TEST_F(BucketKindTest, EveryProblemIsTold) {
  bucket("Taken");
  EXPECT_THAT(problems(R"({"name":"1"},{"name":"a","access":"open"},{"name":"b"},{"name":"B"},{"name":"taken"},{},7,
                          {"name":"c","files":[]})"),
              ElementsAre("/buckets/0/name", "/buckets/1/access", "/buckets/3/name", "/buckets/4/name",
                          "/buckets/5/name", "/buckets/6", "/buckets/7/files"));
}

TEST_F(BucketKindTest, AChangeTakesItsPermission) {
  const std::string one = document(R"({"name":"web"})");
  EXPECT_EQ(codeOf(import(shop_, one, callerWith({"config:manage"}))), "FORBIDDEN");
  EXPECT_EQ(summary(import(shop_, one, callerWith({"config:manage", "storage:manage"}))), "1 0 0");
  EXPECT_EQ(summary(import(shop_, one, callerWith({"config:manage"}))), "0 0 1");
}

// Together with all other kinds of configuration.
TEST_F(BucketKindTest, RandomConfigurationsTravel) {
  for (uint32_t seed = 1; seed <= 10; ++seed) {
    const store::ProjectNo from = made(seed, 0);
    std::mt19937 random(seed);
    for (uint32_t i = 0; i < random() % 6; ++i) {
      const Access there{{admin(), snapshot(from), soon()}};
      NewBucket made{fmt::format("b{}", i), random() % 2 ? "public" : "private"};
      if (random() % 2 == 0) {
        made.rules = {doc::Patch<doc::Document>::State::value,
                      json(R"({"list":{"filter":{"size":{"$lt":5},"path":{"$in":["b","a"]}}},"create":{}})")};
      }
      ASSERT_TRUE(run(storage_->buckets().create(there, std::move(made))));
    }
    const store::ProjectNo to = project();
    const std::string shape = exported(from);
    ASSERT_TRUE(import(to, shape));
    EXPECT_EQ(exported(to), shape) << "seed " << seed;
  }
}

}  // namespace
}  // namespace mb::storage
