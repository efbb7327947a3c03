#include "store/suite/store_suite.h"

namespace mb::store::suite {

namespace {

const char* nameOf(ChangeEntry::Kind kind) {
  switch (kind) {
    case ChangeEntry::Kind::insert:
      return "insert";
    case ChangeEntry::Kind::update:
      return "update";
    case ChangeEntry::Kind::replace:
      return "replace";
    case ChangeEntry::Kind::remove:
      return "remove";
  }
  return "";
}

std::string told(const ChangeEntry& entry) {
  return fmt::format("{} {} {} -> {}", nameOf(entry.kind), entry.id, entry.before ? text(*entry.before) : "nothing",
                     entry.after ? text(*entry.after) : "nothing");
}

}  // namespace

TEST_P(StoreSuite, TheChangeLogTellsEachChangeInOrder) {
  const CollectionRef posts = makeCollection("posts");
  EXPECT_EQ(engine().feed().lastPosition(project_), 0u);
  ASSERT_TRUE(put(posts, R"({"id":"a","n":1})"));
  ASSERT_TRUE(put(posts, R"({"id":"a","n":2})"));
  ASSERT_TRUE(run(store().write(
      {{posts, "a"}},
      [](auto) -> Result<std::vector<Change>> {
        std::vector<Change> changes;
        changes.push_back(Change::replace(json(R"({"id":"a"})")));
        return changes;
      },
      writeOptions())));
  ASSERT_TRUE(put({project_, kThings, 0}, R"({"id":"not logged"})"));
  ASSERT_TRUE(remove(posts, "a"));
  ASSERT_TRUE(remove(posts, "a"));
  for (int round = 0; round < 2; ++round) {
    const ChangeBatch batch = must(engine().feed().changes(project_, 0, 100));
    EXPECT_EQ(batch.firstHeld, 1u);
    ASSERT_EQ(batch.entries.size(), 4u);
    EXPECT_EQ(told(batch.entries[0]), R"(insert a nothing -> {"id":"a","n":1})");
    EXPECT_EQ(told(batch.entries[1]), R"(update a {"id":"a","n":1} -> {"id":"a","n":2})");
    EXPECT_EQ(told(batch.entries[2]), R"(replace a {"id":"a","n":2} -> {"id":"a"})");
    EXPECT_EQ(told(batch.entries[3]), R"(remove a {"id":"a"} -> nothing)");
    for (size_t i = 0; i < 4; ++i) {
      EXPECT_EQ(batch.entries[i].position, i + 1);
      EXPECT_EQ(batch.entries[i].collection, posts.number);
      EXPECT_EQ(batch.entries[i].actor.kind, "user");
      EXPECT_EQ(batch.entries[i].actor.id, "u1");
      EXPECT_GT(batch.entries[i].at.ms, 0);
    }
    EXPECT_EQ(engine().feed().lastPosition(project_), 4u);
    engine().reopen();
  }
}

TEST_P(StoreSuite, ChangesAreReadInParts) {
  const CollectionRef posts = makeCollection("posts");
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(put(posts, fmt::format(R"({{"id":"{}"}})", i)));
  uint64_t position = 0;
  std::string seen;
  while (true) {
    const ChangeBatch batch = must(engine().feed().changes(project_, position, 3));
    if (batch.entries.empty()) break;
    EXPECT_LE(batch.entries.size(), 3u);
    for (const ChangeEntry& entry : batch.entries) seen += entry.id;
    position = batch.entries.back().position;
  }
  EXPECT_EQ(seen, "0123456789");
  EXPECT_TRUE(must(engine().feed().changes(project_, UINT64_MAX, 3)).entries.empty());
  EXPECT_TRUE(must(engine().feed().changes(project_ + 100, 0, 3)).entries.empty());
}

}  // namespace mb::store::suite
