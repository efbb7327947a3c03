// Index builds and drops that an instance did not bring to their end.
#include "store/mongo/suite/instances_fixture.h"

namespace mb::store {

namespace {

using namespace std::chrono_literals;
using suite::json;

class DropsTest : public InstancesTest {
 protected:
  // Makes an index that is not ready, as a crash leaves it between the two commits of the catalogue. `by`: the instance
  // that builds it, as registered.
  IndexInfo makeUnreadyIndex(const std::string& by) {
    must(testing::put(*a_, collection_, "d", json(R"({"id":"d","slug":"x"})"), suite::writeOptions()));
    IndexInfo made = must(a_->createIndex(collection_, suite::uniqueIndex({{"slug", 1}}), {}));
    collection_ = refOf(must(a_->collections(project_)).front());
    mongo::Connection connection(uriOfServer());
    if (!by.empty()) {
      const std::string row = fmt::format(R"({{"insert":"builds","documents":[{{"p":{},"c":{},"i":{},"by":"{}"}}]}})",
                                          project_, collection_.number, made.number, by);
      if (!connection.run(prefix_, doc::parseJson(row)->view())) throw std::runtime_error("no row");
    }
    doc::BsonWriter drop;
    drop.appendString("dropIndexes", fmt::format("c{}", collection_.number));
    drop.appendString("index", fmt::format("i{}", made.number));
    EXPECT_TRUE(connection.run(fmt::format("{}_p{}", prefix_, project_), drop.finish()));
    EXPECT_TRUE(connection.run(
        prefix_, doc::parseJson(R"({"update":"catalogue","updates":[{"q":{},"u":{"$set":{"indexes.0.ready":false}}}]})")
                     ->view()));
    EXPECT_TRUE(connection.run(
        prefix_,
        doc::parseJson(R"({"update":"heads","updates":[{"q":{},"u":{"$inc":{"cat":1}},"multi":true}]})")->view()));
    return made;
  }
  bool isReady(MongoStore& store) { return must(store.collections(project_)).front().indexes.front().ready; }
  // The server's names of the indexes of the collection, but for that of `_id`, and the number of drops that wait.
  std::string onServer() {
    mongo::Connection connection(uriOfServer());
    std::string all;
    const auto list = doc::parseJson(fmt::format(R"({{"listIndexes":"c{}"}})", collection_.number));
    if (const auto reply = connection.run(fmt::format("{}_p{}", prefix_, project_), list->view())) {
      for (const doc::DocumentView each : mongo::batchOf(*reply).documents) {
        if (each.stringOr("name") != "_id_") all += std::string(each.stringOr("name")) + " ";
      }
    }
    const auto drops = connection.run(prefix_, doc::parseJson(R"({"find":"drops"})")->view());
    return all + std::to_string(drops ? mongo::batchOf(*drops).documents.size() : 0);
  }
};

TEST_F(DropsTest, ABuildWhoseInstanceEndedIsContinued) {
  const IndexInfo made = makeUnreadyIndex({});
  EXPECT_FALSE(isReady(*a_));
  const auto keeping = open(uriOfServer(), {.housekeeping = 100ms});
  ASSERT_TRUE(within(20s, [&] { return isReady(*a_); }));
  collection_ = refOf(must(a_->collections(project_)).front());
  const auto refused =
      run(testing::put(*b_, collection_, "e", json(R"({"id":"e","slug":"x"})"), suite::writeOptions()));
  EXPECT_EQ(suite::refusingIndex(refused), made.spec.name);
}

// It lost the database between the two commits of the catalogue.
TEST_F(DropsTest, ABuildOfItsOwnThatRunsNoMoreIsContinued) {
  const auto keeping = open(uriOfServer(), {.housekeeping = 100ms});
  makeUnreadyIndex(keeping->peers()->self());
  ASSERT_TRUE(within(20s, [&] { return isReady(*a_); }));
}

TEST_F(DropsTest, ASecondIndexOfTheSameFieldsIsRefused) {
  must(a_->createIndex(collection_, suite::index({{"n", 1}}), {}));
  collection_ = refOf(must(a_->collections(project_)).front());
  IndexSpec again = suite::index({{"n", 1}});
  again.name = "again";
  const auto refused = run(a_->createIndex(collection_, again, {}));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::conflict);
  EXPECT_EQ(must(a_->collections(project_)).front().indexes.size(), 1U);
}

TEST_F(DropsTest, ADropThatTheServerDidNotGetIsRepeated) {
  if (uriThrough(0).empty()) GTEST_SKIP() << "a proxy cannot be put before a server with TLS";
  CutProxy proxy(hostOfServer());
  openThrough(proxy);
  const IndexInfo made = must(b_->createIndex(collection_, suite::uniqueIndex({{"slug", 1}}), {}));
  collection_ = refOf(must(b_->collections(project_)).front());
  proxy.lose(CutProxy::Loses::indexDrops);
  must(b_->dropIndex(collection_, made.spec.name, {}));
  EXPECT_GT(proxy.lost(), 0);
  EXPECT_EQ(onServer(), fmt::format("i{} 1", made.number));
  const auto keeping = open(uriOfServer(), {.housekeeping = 100ms});
  EXPECT_TRUE(within(20s, [&] { return onServer() == "0"; })) << onServer();

  // And so does the next.
  proxy.lose(CutProxy::Loses::nothing);
  collection_ = refOf(must(b_->collections(project_)).front());
  must(b_->createIndex(collection_, suite::index({{"n", 1}}), {}));
  collection_ = refOf(must(b_->collections(project_)).front());
  const int lost = proxy.lost();
  proxy.lose(CutProxy::Loses::indexDrops);
  must(b_->dropIndex(collection_, must(b_->collections(project_)).front().indexes.front().spec.name, {}));
  EXPECT_GT(proxy.lost(), lost);
  EXPECT_TRUE(within(20s, [&] { return onServer() == "0"; })) << onServer();
}

// Else the server would keep the second one out by the first.
TEST_F(DropsTest, AnIndexOfTheSameFieldsFollowsOneThatIsStillOnTheServer) {
  if (uriThrough(0).empty()) GTEST_SKIP() << "a proxy cannot be put before a server with TLS";
  CutProxy proxy(hostOfServer());
  openThrough(proxy);
  const IndexInfo first = must(b_->createIndex(collection_, suite::uniqueIndex({{"slug", 1}}), {}));
  collection_ = refOf(must(b_->collections(project_)).front());
  proxy.lose(CutProxy::Loses::indexDrops);
  must(b_->dropIndex(collection_, first.spec.name, {}));
  proxy.lose(CutProxy::Loses::nothing);
  collection_ = refOf(must(b_->collections(project_)).front());
  const IndexInfo second = must(b_->createIndex(collection_, suite::index({{"slug", 1}, {"id", 1}}), {}));
  EXPECT_EQ(onServer(), fmt::format("i{} i{} 1", first.number, second.number));
  collection_ = refOf(must(b_->collections(project_)).front());
  const IndexInfo third = must(b_->createIndex(collection_, suite::uniqueIndex({{"slug", 1}}), {}));
  EXPECT_EQ(onServer(), fmt::format("i{} i{} 0", second.number, third.number));
}

TEST_F(DropsTest, WhatIsDroppedLeavesTheServer) {
  const IndexInfo made = must(a_->createIndex(collection_, suite::index({{"n", 1}}), {}));
  collection_ = refOf(must(a_->collections(project_)).front());
  EXPECT_EQ(onServer(), fmt::format("i{} 0", made.number));
  must(a_->dropIndex(collection_, made.spec.name, {}));
  EXPECT_EQ(onServer(), "0");
  collection_ = refOf(must(a_->collections(project_)).front());
  must(a_->dropCollection(collection_, {}));
  mongo::Connection connection(uriOfServer());
  const auto names = [&] {
    const auto reply =
        connection.run(fmt::format("{}_p{}", prefix_, project_), doc::parseJson(R"({"listCollections":1})")->view());
    return reply ? mongo::batchOf(*reply).documents.size() : 0;
  };
  EXPECT_EQ(names(), 0U);
  must(a_->createCollection(project_, "others", json("{}"), {}));
  EXPECT_EQ(names(), 1U);
  must(a_->dropProject(project_));
  EXPECT_TRUE(within(20s, [&] { return names() == 0 && onServer() == "0"; }));
}

}  // namespace

}  // namespace mb::store
