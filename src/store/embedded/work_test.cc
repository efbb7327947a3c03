// The limits of work: costly queries leave the core for the scan pool, and costly writes fail under their locks.
#include "base/work_budget.h"
#include "document/json.h"
#include "store/embedded/testing.h"

namespace mb::store::embedded {

namespace {

doc::Document workDocument(std::string_view text) {
  return doc::parseJson(text).value();
}

class WorkTest : public ::testing::Test {
 protected:
  WorkTest() {
    const ProjectNo project = opened_.must(opened_.store().allocateProject());
    const CollectionInfo info = opened_.must(opened_.store().createCollection(project, "rows", {}, {}));
    rows_ = {project, info.number, info.version};
  }

  void put(const std::string& id, size_t bytes) {
    std::string text(bytes, 'a');
    for (size_t i = 0; i < bytes; ++i) text[i] = (i * i / 7 + i / 3) % 2 == 0 ? 'a' : 'b';
    doc::Document row = workDocument(fmt::format(R"({{"id":"{}","text":"{}"}})", id, text));
    opened_.must(testing::put(opened_.store(), rows_, id, std::move(row)));
  }
  Query query(std::string_view filter) {
    Query query;
    query.collection = rows_;
    query.filter = doc::Filter::parse(workDocument(filter)).value();
    query.limit = 10'000;
    return query;
  }
  Result<QueryResult> find(std::string_view filter) {
    return testing::runOn(opened_.cores(), 0, opened_.store().find(query(filter)));
  }

  OpenedStore opened_;
  CollectionRef rows_;
};

constexpr std::string_view kPlain = R"({"$nor":[{"text":{"$regex":"[ab]+x"}}]})";
constexpr std::string_view kSlow = R"({"$nor":[{"text":{"$regex":"a.{900}c"}}]})";

}  // namespace

TEST_F(WorkTest, AQueryThatCostsMoreThanACoreMayDoIsAnsweredByTheScans) {
  for (int i = 0; i < 20; ++i) put(fmt::format("r{:02}", i), 300'000);
  const QueryResult found = opened_.must(opened_.store().find(query(kPlain)));
  ASSERT_EQ(found.documents.size(), 20u);
  EXPECT_EQ(found.documents.front().view().stringOr("id"), "r00");
  EXPECT_EQ(found.documents.back().view().stringOr("id"), "r19");
  EXPECT_EQ(opened_.must(opened_.store().count(rows_, query(kPlain).filter, {})), 20u);
  Query skipping = query(kPlain);
  skipping.skip = 15;
  skipping.sort = {{"id", -1}};
  EXPECT_EQ(opened_.must(opened_.store().find(std::move(skipping))).documents.front().view().stringOr("id"), "r04");
}

TEST_F(WorkTest, AMatchThatNoRequestCanPayEndsTheQuery) {
  put("a", 100);
  put("b", 900'000);
  const auto found = find(kSlow);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code(), ErrorCode::queryTooCostly);
  const auto counted = testing::runOn(opened_.cores(), 0, opened_.store().count(rows_, query(kSlow).filter, {}));
  ASSERT_FALSE(counted);
  EXPECT_EQ(counted.error().code(), ErrorCode::queryTooCostly);
  Query one = query(kSlow);
  one.limit = 1;
  EXPECT_EQ(opened_.must(opened_.store().find(std::move(one))).documents.size(), 1u);
}

TEST_F(WorkTest, ACallbackThatCostsTooMuchChangesNothing) {
  put("a", 10);
  Write write{WriteOptions()};
  const Target a = write.change(rows_, "a");
  const auto costly = [a](const PreImages&, Changes& changes) -> Result<> {
    WorkBudget::charge(kCoreWork + 1);
    changes.remove(a);
    return {};
  };
  const auto outcome = testing::runOn(opened_.cores(), 0, opened_.store().write(std::move(write), costly));
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code(), ErrorCode::queryTooCostly);
  EXPECT_TRUE(opened_.must(opened_.store().get(rows_, "a")));
}

}  // namespace mb::store::embedded
