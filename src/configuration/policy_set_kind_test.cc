// Policy sets in imports.
#include <gmock/gmock.h>

#include "configuration/configuration_fixture.h"

namespace mb::configuration {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class ImportedSets : public ConfigurationFixture {};

TEST_F(ImportedSets, SetsComeWithTheirCollectionAndThePoliciesThatNameThem) {
  const Text document = with(
      R"("collections":[{"name":"members","indexes":[{"keys":{"userId":1}}]},
                        {"name":"tasks","policy":{"read":{"filter":{"teamId":{"$in":"$auth.sets.teams"}}}}}],
         "policySets":[{"name":"teams","collection":"members","where":{"userId":"$auth.uid"},"value":"teamId"}])");
  EXPECT_EQ(summary(import(shop_, document)), "3 0 0");
  EXPECT_THAT(exported(shop_),
              HasSubstr(R"("policySets":[{"name":"teams","collection":"members","where":{"userId":"$auth.uid"},)"
                        R"("value":"teamId"}])"));
  EXPECT_EQ(summary(import(shop_, document)), "0 0 3");
  EXPECT_EQ(summary(import(shop_, with(R"("policySets":[{"name":"teams","collection":"members",
                                          "where":{"userId":"$auth.uid","active":true},"value":"teamId"}])"))),
            "0 1 0");
}

TEST_F(ImportedSets, AnIndexThatASetNeedsIsNotReplaced) {
  constexpr std::string_view kSets =
      R"("policySets":[{"name":"teams","collection":"members","where":{"userId":"$auth.uid"},"value":"teamId"}])";
  const auto members = [](std::string_view key) {
    return fmt::format(R"("collections":[{{"name":"members","indexes":[{{"name":"i","keys":{{"{}":1}}}}]}}])", key);
  };
  ASSERT_TRUE(import(shop_, with(members("userId") + "," + std::string(kSets))));
  EXPECT_THAT(problemsOf(import(shop_, with(members("teamId")))),
              ElementsAre("/collections/0/indexes: the set \"teams\" needs an index that begins with \"userId\""));
  EXPECT_THAT(problemsOf(import(shop_, with(members("teamId") + "," + std::string(kSets)))),
              ElementsAre(HasSubstr("/policySets/0/where: needs an index")));
}

TEST_F(ImportedSets, ASetWhoseIndexIsStillBuiltIsForLater) {
  const Text members = R"("collections":[{"name":"members","indexes":[{"keys":{"userId":1}}]}])";
  const Text sets =
      R"("policySets":[{"name":"teams","collection":"members","where":{"userId":"$auth.uid"},"value":"teamId"}])";
  ASSERT_TRUE(import(shop_, with(members)));
  store_.setIndexesReady(false);
  memory_.bumpEpoch(shop_);
  for (const Text& sections : {sets, members + "," + sets}) {
    const auto early = import(shop_, with(sections));
    ASSERT_FALSE(early);
    EXPECT_EQ(early.error().code(), ErrorCode::unavailable) << early.error().message();
  }
  store_.setIndexesReady(true);
  // The end of a build gives the collection another version, as this change does.
  ASSERT_TRUE(import(shop_, with(R"("collections":[{"name":"members","schema":{"type":"object"}}])")));
  EXPECT_EQ(summary(import(shop_, with(members + "," + sets))), "1 0 1");
}

TEST_F(ImportedSets, SetsThatCannotBeReadAreProblems) {
  const auto problems = [&](std::string_view sections) { return problemsOf(import(shop_, with(sections))); };
  EXPECT_THAT(problems(R"("policySets":[{"name":"teams","collection":"m","where":{"u":"$auth.uid"},"value":"t"}])"),
              ElementsAre(HasSubstr("/policySets/0/collection")));
  EXPECT_THAT(problems(R"("collections":[{"name":"m"}],
                          "policySets":[{"name":"teams","collection":"m","where":{"u":"$auth.uid"},"value":"t"}])"),
              ElementsAre(HasSubstr("/policySets/0/where: needs an index")));
  EXPECT_THAT(problems(R"("policySets":[{"name":"Teams","collection":"m","where":{},"value":"t"}])"),
              ElementsAre(HasSubstr("/policySets/0/name")));
  EXPECT_THAT(problems(R"("collections":[{"name":"x","policy":{"read":{"filter":{"a":{"$in":"$auth.sets.teams"}}}}}])"),
              ElementsAre(HasSubstr("there is no set \"teams\"")));
  EXPECT_THAT(problems(R"("collections":[{"name":"*","policy":{"public":{"read":{}}}}])"),
              ElementsAre(HasSubstr("/collections/0/policy/public")));
}

}  // namespace
}  // namespace mb::configuration
