#include <gtest/gtest.h>

#include "base/progress.h"
#include "store/embedded/testing.h"

namespace mb::store::embedded {
namespace {

doc::Document numberedDocument(int i) {
  doc::BsonWriter out;
  out.appendString("id", fmt::format("d{:05}", i));
  out.beginArray("tags");
  for (int tag = 0; tag < 4; ++tag) {
    out.appendString(doc::arrayKey(static_cast<size_t>(tag)), fmt::format("tag {} of {}", tag, i));
  }
  out.end();
  return out.finish();
}

// In files, uncompressed and then at the bottommost level.
TEST(EmbeddedUsage, EntriesInFilesAreEstimatedBySize) {
  constexpr int kStored = 5000;
  constexpr uint64_t kEntries = 4 * kStored;
  OpenedStore opened;
  const CollectionInfo made = opened.must(opened.store().createCollection(kControlProject, "posts", {}, {}));
  IndexSpec tags;
  tags.keys = {{"tags", 1}};
  opened.must(opened.store().createIndex({kControlProject, made.number, made.version}, tags, {}));
  const CollectionInfo now = opened.must(opened.store().collections(kControlProject)).at(0);
  for (int from = 0; from < kStored; from += 100) {
    std::vector<doc::Document> some;
    for (int i = from; i < from + 100; ++i) some.push_back(numberedDocument(i));
    opened.must(testing::putAll(opened.store(), {kControlProject, now.number, now.version}, std::move(some)));
  }
  for (int round = 0; round < 2; ++round) {
    NullProgress progress;
    ASSERT_TRUE(opened.store().compact(std::nullopt, progress));
    const CollectionUsage usage = opened.must(opened.store().usage(kControlProject)).at(0);
    ASSERT_EQ(usage.indexes.size(), 1u);
    EXPECT_TRUE(usage.indexes[0].approximate);
    EXPECT_GT(usage.indexes[0].entries, kEntries / 2);
    EXPECT_LT(usage.indexes[0].entries, kEntries * 2);
    EXPECT_GT(usage.indexes[0].bytes, kEntries);
    opened.reopen();
  }
}

}  // namespace
}  // namespace mb::store::embedded
