#include "store/embedded/document_cache.h"

#include <gtest/gtest.h>

namespace mb::store::embedded {
namespace {

using Ticket = DocumentCache::Ticket;

class DocumentCacheTest : public ::testing::Test {
 protected:
  std::string look(std::string_view key, uint64_t sequence = DocumentCache::kLatest) {
    std::string out;
    return cache.find(key, sequence, out, version, ticket) ? out : "-";
  }
  void fill(std::string_view key, std::string_view bytes, uint64_t sequence, const Ticket& with) {
    cache.fill(key, {bytes}, sequence, with);
  }
  void write(std::string_view key, uint64_t sequence, std::string_view bytes = {}) {
    std::vector<DocumentCache::Write> writes = {{key, {bytes}}};
    cache.beginWrites(writes);
    cache.endWrites(writes, sequence);
  }

  DocumentCache cache{1 << 20};
  Ticket ticket;
  DocumentVersion version = 0;
};

TEST_F(DocumentCacheTest, GivesWhatWasFilled) {
  EXPECT_EQ(look("a"), "-");
  fill("a", "one", 5, ticket);
  EXPECT_EQ(look("a"), "one");
  EXPECT_EQ(look("b"), "-");
}

TEST_F(DocumentCacheTest, TheVersionComesWithTheDocument) {
  look("a");
  cache.fill("a", {"one", 7}, 5, ticket);
  EXPECT_EQ(look("a"), "one");
  EXPECT_EQ(version, 7u);
  std::vector<DocumentCache::Write> writes = {{"a", {"one", 8}}};
  cache.beginWrites(writes);
  cache.endWrites(writes, 6);
  EXPECT_EQ(look("a"), "one");
  EXPECT_EQ(version, 8u);
}

TEST_F(DocumentCacheTest, AWriteTakesTheDocumentOut) {
  look("a");
  fill("a", "one", 5, ticket);
  write("a", 6);
  EXPECT_EQ(look("a"), "-");
}

TEST_F(DocumentCacheTest, WhatWasHeldIsHeldAsItBecame) {
  look("a");
  fill("a", "one", 5, ticket);
  write("a", 6, "two");
  EXPECT_EQ(look("a", 5), "-");
  EXPECT_EQ(look("a", 6), "two");
  write("b", 7, "never read");
  EXPECT_EQ(look("b"), "-");
}

TEST_F(DocumentCacheTest, WhoReadBeforeAWriteCannotFillAfterIt) {
  look("a");
  const Ticket before = ticket;
  write("a", 6);
  fill("a", "old", 5, before);
  EXPECT_EQ(look("a"), "-");
}

TEST_F(DocumentCacheTest, NobodyFillsWhileAWriteGoesOn) {
  std::vector<DocumentCache::Write> writes = {{"a", {"new"}}};
  cache.beginWrites(writes);
  EXPECT_EQ(look("a"), "-");
  EXPECT_FALSE(ticket.mayFill);
  fill("a", "old", 5, ticket);
  cache.endWrites(writes, 6);
  EXPECT_EQ(look("a"), "-");
}

TEST_F(DocumentCacheTest, AnOldSnapshotNeitherFillsNorSeesWhatIsNewer) {
  write("a", 10);
  EXPECT_EQ(look("a", 9), "-");
  EXPECT_FALSE(ticket.mayFill);
  EXPECT_EQ(look("a", 12), "-");
  fill("a", "new", 12, ticket);
  EXPECT_EQ(look("a", 11), "-");
  EXPECT_EQ(look("a", 12), "new");
  EXPECT_EQ(look("a"), "new");
}

TEST_F(DocumentCacheTest, StaysWithinItsBytes) {
  const std::string large(1000, 'x');
  for (int i = 0; i < 5000; ++i) {
    const std::string key = "key" + std::to_string(i);
    look(key);
    fill(key, large, 1, ticket);
  }
  int held = 0;
  for (int i = 0; i < 5000; ++i) held += look("key" + std::to_string(i)) != "-";
  EXPECT_GT(held, 400);
  EXPECT_LT(held * 1000, 1 << 20);
}

TEST_F(DocumentCacheTest, WhatIsReadOncePushesNothingOut) {
  const std::string some(300, 'x');
  const auto read = [&](const std::string& key) {
    if (look(key) == "-") fill(key, some, 1, ticket);
  };
  for (int i = 0; i < 20'000; ++i) read("once" + std::to_string(i));
  // Documents that are read repeatedly are accepted ...
  for (int round = 0; round < 6; ++round) {
    for (int i = 0; i < 100; ++i) read("often" + std::to_string(i));
  }
  const auto held = [&] {
    int count = 0;
    for (int i = 0; i < 100; ++i) count += look("often" + std::to_string(i)) != "-";
    return count;
  };
  EXPECT_GT(held(), 95);
  // ... and a long sequence of others does not evict them.
  for (int i = 0; i < 20'000; ++i) read("more" + std::to_string(i));
  EXPECT_GT(held(), 80);
}

TEST_F(DocumentCacheTest, FindsWhatIsLeftWhenOthersGo) {
  for (int i = 0; i < 1000; ++i) {
    look("k" + std::to_string(i));
    fill("k" + std::to_string(i), std::to_string(i), 1, ticket);
  }
  for (int i = 0; i < 1000; i += 3) write("k" + std::to_string(i), 2);
  for (int i = 0; i < 1000; ++i) {
    EXPECT_EQ(look("k" + std::to_string(i)), i % 3 == 0 ? "-" : std::to_string(i));
  }
}

TEST_F(DocumentCacheTest, LeavesOutWhatIsTooLarge) {
  look("a");
  fill("a", std::string(100'000, 'x'), 1, ticket);
  EXPECT_EQ(look("a"), "-");
}

}  // namespace
}  // namespace mb::store::embedded
