// Embedding jobs at the plan's limit of vectors.
#include "vectors/embedding_fixture.h"

namespace mb::vectors {
namespace {

class EmbeddingLimitTest : public EmbeddingTest {
 protected:
  // Adds a vector that is not an embedding.
  Task<> addVector() {
    store::Write write({.deadline = soon(), .actor = {store::ActorKind::server, ""}, .bumpEpochs = {}});
    write.insert(store::Insert{data::vectorCountsOf(project_), *data::vectorCountRow("999/x", 1)});
    CO_RETURN_IF_ERROR(co_await store_.write(std::move(write), nullptr));
    co_return Result<>();
  }
};

TEST_F(EmbeddingLimitTest, EmbeddingsCountAndDeletedOnesCountNoLonger) {
  configure();
  posts(0, 5);
  put("posts", R"({"id":"none"})");
  ASSERT_TRUE(settled(5, 0));
  EXPECT_EQ(5, vectors());
  removePost("p00");
  title("p01", "");
  EXPECT_TRUE(until([&] { return vectors() == 3; }));
  expectOk(run(vectors_->clear(administrating(), "posts")));
  EXPECT_TRUE(until([&] { return vectors() == 0; }));
}

TEST_F(EmbeddingLimitTest, ADroppedCollectionCountsNoLonger) {
  configure();
  posts(0, 5);
  ASSERT_TRUE(settled(5, 0));
  expectOk(run(data_->collections().drop(managing(), "posts")));
  EXPECT_TRUE(until([&] { return vectors() == 0; }));
}

TEST_F(EmbeddingLimitTest, DocumentsWithoutSpaceWaitWithoutCallsOfTheEndpoint) {
  configure();
  ASSERT_TRUE(settled(0, 0));
  limitVectors(3);
  posts(0, 6);
  // One walk remains.
  ASSERT_TRUE(settled(3, 1));
  EXPECT_EQ(3, vectors());
  EXPECT_EQ(3, endpoint_.texts());
  EXPECT_EQ("plan limit: vectors: the plan Tiny allows 3 vectors, in use are 3", index().problem.value_or(""));
  for (int i = 0; i < 3; ++i) {
    pass(std::chrono::seconds(31));
    posts(6 + i, 1);
    ASSERT_TRUE(settled(3, 1));
  }
  EXPECT_EQ(3, endpoint_.texts());
  EXPECT_EQ(3, vectors());

  // A replaced text needs no space.
  title("p00", "another text");
  EXPECT_TRUE(until([&] { return endpoint_.texts() == 4; }));
  ASSERT_TRUE(settled(3, 1));

  limitVectors(5);
  pass(std::chrono::seconds(31));
  ASSERT_TRUE(settled(5, 1));
  EXPECT_EQ(5, vectors());
  EXPECT_EQ(6, endpoint_.texts());
  limitVectors(std::nullopt);
  EXPECT_FALSE(index().problem);
  pass(std::chrono::seconds(31));
  ASSERT_TRUE(settled(9, 0));
  EXPECT_EQ(9, vectors());
  EXPECT_EQ(10, endpoint_.texts());
}

TEST_F(EmbeddingLimitTest, AWalkStoresWhatFits) {
  posts(0, 80);
  limitVectors(50);
  configure();
  ASSERT_TRUE(settled(50, 1));
  EXPECT_EQ(50, vectors());
  EXPECT_EQ(50, endpoint_.texts());
  for (int i = 0; i < 10; ++i) removePost(fmt::format("p{:02}", i));
  ASSERT_TRUE(until([&] { return vectors() == 40; }));
  pass(std::chrono::seconds(31));
  ASSERT_TRUE(settled(50, 1));
  EXPECT_EQ(50, vectors());
  EXPECT_EQ(60, endpoint_.texts());
}

// Another write may take the space between the check and the commit.
TEST_F(EmbeddingLimitTest, WhatStillFitsIsStored) {
  posts(0, 5);
  limitVectors(5);
  endpoint_.duringCall = [this] { return addVector(); };
  configure();
  ASSERT_TRUE(settled(4, 1));
  EXPECT_EQ(5, vectors());
  EXPECT_EQ(5, endpoint_.texts());
  limitVectors(6);
  pass(std::chrono::seconds(31));
  ASSERT_TRUE(settled(5, 0));
  EXPECT_EQ(6, vectors());
}

TEST_F(EmbeddingLimitTest, ALostWalkIsResumed) {
  configure();
  ASSERT_TRUE(settled(0, 0));
  limitVectors(0);
  posts(0, 2);
  ASSERT_TRUE(settled(0, 1));
  for (const doc::Document& row : store_.all({store::kControlProject, jobs::kJobs, 0})) {
    EXPECT_TRUE(*run(queue_.cancel(std::string(row.view().stringOr("id")))));
  }
  limitVectors(std::nullopt);
  vectors_->refreshSoon();
  ASSERT_TRUE(until([&] { return embeddingJobs() == 1; }));
  pass(std::chrono::seconds(31));
  EXPECT_TRUE(settled(2, 0));
  EXPECT_EQ(2, vectors());
}

}  // namespace
}  // namespace mb::vectors
