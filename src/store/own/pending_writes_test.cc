#include "store/own/pending_writes.h"

#include <gtest/gtest.h>

#include "store/records.h"

namespace mb::store::own {
namespace {

PendingWrite pendingWriteOf(int64_t number, int64_t after) {
  PendingWrite pendingWrite;
  pendingWrite.number = number;
  pendingWrite.after = after;
  pendingWrite.collection = 1001;
  pendingWrite.id = "a";
  pendingWrite.actorKind = "user";
  pendingWrite.actorId = "u1";
  return pendingWrite;
}

doc::Document recordOf(std::vector<PendingWrite> pendingWrites) {
  return doc::encode(PendingWriteRecord{"1001-aa", std::move(pendingWrites)});
}

std::vector<PendingWrite> pendingWritesIn(const Change& change) {
  auto record = fromStore<PendingWriteRecord>(change.after.view());
  EXPECT_TRUE(record);
  return record ? std::move(record->pendingWrites) : std::vector<PendingWrite>();
}

TEST(PendingWrites, SayWhatIsLogged) {
  const doc::Document document = idDocument("a");
  const ChangeEntry inserted = entryOf(pendingWriteOf(1, 5), document);
  EXPECT_EQ(inserted.kind, ChangeEntry::Kind::insert);
  EXPECT_EQ(inserted.collection, 1001u);
  EXPECT_EQ(inserted.id, "a");
  EXPECT_EQ(inserted.actor.kind, ActorKind::user);
  EXPECT_EQ(inserted.actor.id, "u1");
  PendingWrite changed = pendingWriteOf(1, 5);
  changed.existed = true;
  changed.before = document;
  EXPECT_EQ(entryOf(changed, document).kind, ChangeEntry::Kind::update);
  EXPECT_TRUE(entryOf(changed, document).before);
  changed.replaces = true;
  EXPECT_EQ(entryOf(changed, document).kind, ChangeEntry::Kind::replace);
  changed.after = 0;
  EXPECT_EQ(entryOf(changed, {}).kind, ChangeEntry::Kind::remove);
}

TEST(PendingWrites, AreRemovedByTheirNumbers) {
  const auto record = std::optional(recordOf({pendingWriteOf(1, 5), pendingWriteOf(2, 6), pendingWriteOf(3, 5)}));
  const auto some = settle(record, {1, 3, 9}, Settled::removed);
  ASSERT_TRUE(some);
  const std::vector<PendingWrite> left = pendingWritesIn(*some);
  ASSERT_EQ(left.size(), 1u);
  EXPECT_EQ(left[0].number, 2);
  EXPECT_EQ(settle(record, {1, 2, 3}, Settled::removed)->kind, Change::Kind::remove);
  EXPECT_EQ(settle(std::nullopt, {1}, Settled::removed)->kind, Change::Kind::keep);
}

TEST(PendingWrites, AreOpenUntilTheirChangeIsLogged) {
  const auto record = std::optional(recordOf({pendingWriteOf(1, 5), pendingWriteOf(2, 6)}));
  EXPECT_TRUE(*isOpen(record, 1));
  EXPECT_FALSE(*isOpen(record, 3));
  EXPECT_FALSE(*isOpen(std::nullopt, 1));
  const auto logged = settle(record, {1}, Settled::logged);
  ASSERT_TRUE(logged);
  EXPECT_EQ(pendingWritesIn(*logged).size(), 2u);
  EXPECT_FALSE(*isOpen(logged->after, 1));
  EXPECT_TRUE(*isOpen(logged->after, 2));
}

TEST(PendingWrites, ANewDatabaseEndsTheCopying) {
  StreamRecord copied{.id = std::string(kStreamId), .token = "dG9rZW4=", .moves = 4, .missedAt = {}};
  EXPECT_TRUE(*isCopied(doc::encode(copied)));
  EXPECT_FALSE(*isCopied(std::nullopt));
  for (const std::optional<doc::Document>& before :
       {std::optional(doc::encode(copied)), std::optional<doc::Document>()}) {
    const auto after = restarted(before);
    ASSERT_TRUE(after);
    EXPECT_FALSE(*isCopied(*after));
    const auto record = fromStore<StreamRecord>(after->view());
    ASSERT_TRUE(record);
    EXPECT_TRUE(record->restarts);
    EXPECT_EQ(record->moves, before ? 5 : 1);
  }
}

TEST(PendingWrites, ARestoreCountsWhatFollowedAsMissed) {
  const StreamRecord copied{.id = std::string(kStreamId), .token = "dG9rZW4=", .moves = 4, .missedAt = Timestamp{7}};
  EXPECT_EQ(doc::encode(copied).view().find("restored"), std::nullopt);
  const auto after = restoredStream(doc::encode(copied));
  ASSERT_TRUE(after);
  EXPECT_FALSE(*isCopied(*after));
  const auto record = fromStore<StreamRecord>(after->view());
  ASSERT_TRUE(record);
  EXPECT_TRUE(record->restarts);
  EXPECT_EQ(record->restored, true);
  EXPECT_EQ(record->moves, 5);
  EXPECT_EQ(record->missedAt, Timestamp{7});
}

TEST(PendingWrites, ADocumentIsNamedByItsCollectionAndKey) {
  EXPECT_NE(pendingWriteKey(1001, "aa"), pendingWriteKey(1002, "aa"));
  EXPECT_NE(pendingWriteKey(1001, "aa"), pendingWriteKey(1001, "ab"));
}

}  // namespace
}  // namespace mb::store::own
