#include "store/mongo/explain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "document/json.h"

namespace mb::store::mongo {
namespace {

CollectionInfo things() {
  IndexSpec byShelf;
  byShelf.name = "shelf_1";
  IndexSpec byPages;
  byPages.name = "pages_1";
  CollectionInfo info;
  info.indexes = {{3, byShelf, true}, {4, byPages, true}};
  return info;
}

Outcome<Explain> explain(std::string_view plan, std::string_view stats) {
  const CollectionInfo info = things();
  const std::string text = fmt::format(R"({{"queryPlanner":{{"winningPlan":{}}},"executionStats":{}}})", plan, stats);
  return explainOf(*doc::parseJson(text), &info);
}

TEST(ExplainTest, NamesTheIndexesOfThePlan) {
  struct Case {
    std::string plan;
    std::string index;
  };
  const std::vector<Case> cases{
      {R"({"stage":"COLLSCAN"})", ""},
      {R"({"stage":"IDHACK"})", "id"},
      {R"({"stage":"EXPRESS_IXSCAN","indexName":"_id_"})", "id"},
      {R"({"stage":"LIMIT","inputStage":{"stage":"FETCH","inputStage":{"stage":"IXSCAN","indexName":"i3"}}})",
       "shelf_1"},
      {R"({"stage":"OR","inputStages":[{"stage":"IXSCAN","indexName":"i3"},{"stage":"IXSCAN","indexName":"i4"},
           {"stage":"IXSCAN","indexName":"i3"}]})",
       "shelf_1, pages_1"},
      {R"({"queryPlan":{"stage":"FETCH","inputStage":{"stage":"IXSCAN","indexName":"i4"}},"slotBasedPlan":{}})",
       "pages_1"},
      {R"({"stage":"IXSCAN","indexName":"of an operator"})", "of an operator"},
      // A caller's values do not belong to the plan.
      {R"({"stage":"COLLSCAN","filter":{"inputStage":{"indexName":"i3"}}})", ""},
  };
  for (const Case& each : cases) EXPECT_EQ(explain(each.plan, "{}")->index, each.index) << each.plan;
}

TEST(ExplainTest, GivesTheFiguresOfTheRun) {
  const auto found = explain("{}", R"({"executionSuccess":true,"totalKeysExamined":7,"totalDocsExamined":5})");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->keysExamined, 7u);
  EXPECT_EQ(found->documentsExamined, 5u);
}

TEST(ExplainTest, FailsWithTheErrorOfTheRun) {
  const auto found = explain("{}", R"({"executionSuccess":false,"errorCode":50,"errorMessage":"time"})");
  ASSERT_FALSE(found);
  EXPECT_TRUE(found.error().isTime());
}

TEST(ExplainTest, TheServerEndsItWithTheQuery) {
  const doc::Document command = explainCommand(*doc::parseJson(R"({"find":"c7","filter":{"a":1},"maxTimeMS":250})"));
  EXPECT_EQ(
      doc::toJson(command),
      R"({"explain":{"find":"c7","filter":{"a":1},"maxTimeMS":250},"verbosity":"executionStats","maxTimeMS":250})");
}

}  // namespace
}  // namespace mb::store::mongo
