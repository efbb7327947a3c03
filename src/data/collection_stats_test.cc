#include "data/collection_stats.h"

#include "data/data_fixture.h"

namespace mb::data {
namespace {

class CollectionStatsTest : public DataTest {
 protected:
  std::vector<std::string> stats(const policy::Caller& caller) {
    const auto all = run(data_->collections().stats({caller, snapshot()}, soon()));
    expectOk(all);
    std::vector<std::string> texts;
    if (!all) return texts;
    for (const CollectionStats& each : *all) texts.push_back(doc::toJson(doc::encode(each)));
    return texts;
  }
};

TEST_F(CollectionStatsTest, TellsWhatEachHolds) {
  collection("posts", R"({"read":{}})", R"({"type":"object"})");
  collection("Archive");
  NewIndex index;
  index.keys = json(R"({"n":1})");
  expectOk(run(data_->collections().createIndex(managing(), "posts", std::move(index))));
  put("posts", R"({"id":"a","n":1})");
  put("posts", R"({"id":"b","n":2})");
  const uint64_t bytes = stored("posts", "a").size() + stored("posts", "b").size();
  EXPECT_EQ(
      stats(owner_),
      (std::vector<std::string>{
          R"({"name":"Archive","documents":0,"bytes":0,"indexes":[],"schema":false,"policy":"default","lastWriteAt":null})",
          R"({"name":"posts","documents":2,"bytes":)" + std::to_string(bytes) +
              R"(,"indexes":[{"name":"n_1","entries":2,"bytes":0,"approximate":true}],"schema":true,"policy":"own",)"
              R"("lastWriteAt":null})"}));
  expectOk(run(data_->collections().setPolicy(managing(), "*", json(R"({"read":{}})"))));
  EXPECT_TRUE(stats(owner_).at(0).contains(R"("policy":"inherited")"));
  expectOk(run(data_->collections().drop(managing(), "posts")));
  EXPECT_EQ(stats(owner_).size(), 1u);
}

TEST_F(CollectionStatsTest, ShowsNumbersToThoseWhoMayList) {
  collection("posts");
  collection("wages");
  put("wages", R"({"id":"a"})");
  NewIndex index;
  index.keys = json(R"({"n":1})");
  expectOk(run(data_->collections().createIndex(managing(), "wages", std::move(index))));
  policy::Caller caller = owner_;
  caller.permissions = permissions({"collections:read", "data:posts:list"});
  EXPECT_EQ(stats(caller),
            (std::vector<std::string>{
                R"({"name":"posts","documents":0,"bytes":0,"indexes":[],"schema":false,"lastWriteAt":null})",
                R"({"name":"wages","indexes":[{"name":"n_1"}],"schema":false,"lastWriteAt":null})"}));
  caller.permissions = permissions({"collections:read", "policies:read"});
  EXPECT_EQ(stats(caller).at(0),
            R"({"name":"posts","indexes":[],"schema":false,"policy":"default","lastWriteAt":null})");
}

TEST_F(CollectionStatsTest, FailsAsTheStoreDoes) {
  const snapshot::SnapshotPtr project = snapshot();
  store_.failWith(ErrorCode::unavailable);
  expectError(ErrorCode::unavailable, run(data_->collections().stats({owner_, project}, soon())));
}

}  // namespace
}  // namespace mb::data
