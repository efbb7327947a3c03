#include <gtest/gtest.h>

#include "own_changes/follower.h"

namespace mb::own_changes {
namespace {

using store::ActorKind;
using store::ChangeEntry;
using store::own::PendingWrite;
using store::own::PendingWriteRecord;
using store::own::StreamEvent;
using Kind = StreamEvent::Kind;

constexpr store::CollectionNo kCollection = 1001;

StreamEvent eventOf(Kind kind, const std::string& id, store::DocumentVersion version) {
  StreamEvent event;
  event.kind = kind;
  event.collection = "orders";
  event.keyName = "key";
  event.idOfKey = "cover";
  event.version = version;
  if (kind != Kind::remove) event.after = store::idDocument(id);
  return event;
}

PendingWrite pendingWriteOf(int64_t number, int64_t after) {
  PendingWrite pendingWrite;
  pendingWrite.number = number;
  pendingWrite.after = after;
  pendingWrite.collection = kCollection;
  pendingWrite.id = "cover";
  pendingWrite.existed = true;
  pendingWrite.before = store::idDocument("cover");
  pendingWrite.actorKind = "user";
  pendingWrite.actorId = fmt::format("u{}", number);
  pendingWrite.trace = "trace";
  return pendingWrite;
}

class Translations : public ::testing::Test {
 protected:
  Translator::Translation translate(const StreamEvent& event) {
    return translator_.translate(event, kCollection, records_);
  }
  void announce(std::vector<PendingWrite> pendingWrites) {
    const std::string key = store::own::pendingWriteKey(kCollection, "key");
    records_[key] = PendingWriteRecord{key, std::move(pendingWrites)};
  }

  Translator translator_;
  Translator::Records records_;
};

TEST_F(Translations, WhatNobodyAnnouncedIsExternal) {
  announce({pendingWriteOf(1, 8)});
  for (const Kind kind : {Kind::insert, Kind::update, Kind::replace, Kind::remove}) {
    const auto found = translate(eventOf(kind, "cover", 7));
    ASSERT_EQ(found.entries.size(), 1u);
    EXPECT_EQ(found.entries[0].actor.kind, ActorKind::external);
    EXPECT_EQ(found.entries[0].actor.id, "");
    EXPECT_FALSE(found.taken);
  }
}

TEST_F(Translations, WhatWasAnnouncedIsLoggedAsAnnounced) {
  announce({pendingWriteOf(1, 7)});
  const auto found = translate(eventOf(Kind::replace, "cover", 7));
  ASSERT_EQ(found.entries.size(), 1u);
  EXPECT_EQ(found.entries[0].kind, ChangeEntry::Kind::update);
  EXPECT_EQ(found.entries[0].actor.kind, ActorKind::user);
  EXPECT_EQ(found.entries[0].actor.id, "u1");
  EXPECT_TRUE(found.entries[0].before);
  EXPECT_EQ(found.trace, "trace");
  ASSERT_TRUE(found.taken);
  EXPECT_EQ(found.taken->second.number, 1);
  EXPECT_TRUE(found.taken->second.isOpen);
  // Once: the same state again is another's.
  EXPECT_EQ(translate(eventOf(Kind::replace, "cover", 7)).entries.at(0).actor.kind, ActorKind::external);
}

TEST_F(Translations, PendingWritesOfOneStateAreTakenInTheirOrder) {
  announce({pendingWriteOf(1, 0), pendingWriteOf(2, 7), pendingWriteOf(3, 0)});
  EXPECT_EQ(translate(eventOf(Kind::remove, "", 0)).entries.at(0).actor.id, "u1");
  EXPECT_EQ(translate(eventOf(Kind::replace, "cover", 7)).entries.at(0).actor.id, "u2");
  EXPECT_EQ(translate(eventOf(Kind::remove, "", 0)).entries.at(0).actor.id, "u3");
}

TEST_F(Translations, AnUpdateIsNeverOurs) {
  // What the server looked up for it may be what a write of ours made of the document later.
  announce({pendingWriteOf(1, 7)});
  EXPECT_EQ(translate(eventOf(Kind::update, "cover", 7)).entries.at(0).actor.kind, ActorKind::external);
  EXPECT_EQ(translate(eventOf(Kind::replace, "cover", 7)).entries.at(0).actor.kind, ActorKind::user);
}

TEST_F(Translations, WhatIsLoggedOrSilentHasNoEntry) {
  PendingWrite logged = pendingWriteOf(1, 7);
  logged.logged = true;
  PendingWrite silent = pendingWriteOf(2, 8);
  silent.silent = true;
  announce({logged, silent});
  for (const store::DocumentVersion version : {7, 8}) {
    const auto found = translate(eventOf(Kind::replace, "cover", version));
    EXPECT_TRUE(found.entries.empty());
    EXPECT_TRUE(found.taken);
  }
}

TEST_F(Translations, ARemovalHasTheIdThatWasSeen) {
  EXPECT_EQ(translate(eventOf(Kind::remove, "", 0)).entries.at(0).id, "cover");
  translate(eventOf(Kind::insert, "own", 7));
  const auto removed = translate(eventOf(Kind::remove, "", 0));
  ASSERT_EQ(removed.entries.size(), 1u);
  EXPECT_EQ(removed.entries[0].id, "own");
  // The key may be used again.
  EXPECT_EQ(translate(eventOf(Kind::remove, "", 0)).entries.at(0).id, "cover");
}

TEST_F(Translations, ARemovalWhoseIdIsNotKnownIsUnnamed) {
  StreamEvent removal = eventOf(Kind::remove, "", 0);
  EXPECT_FALSE(translate(removal).isUnnamed);
  removal.idOfKey.reset();
  const auto unnamed = translate(removal);
  EXPECT_TRUE(unnamed.isUnnamed);
  EXPECT_TRUE(unnamed.entries.empty());
  // It was hidden.
  removal.hasBefore = true;
  EXPECT_FALSE(translate(removal).isUnnamed);
  // It was seen.
  removal.hasBefore = false;
  translate(eventOf(Kind::insert, "own", 7));
  const auto known = translate(removal);
  EXPECT_FALSE(known.isUnnamed);
  EXPECT_EQ(known.entries.at(0).id, "own");
}

TEST_F(Translations, APresentStateTakesThePlaceOfTheEvents) {
  const auto present = [](const std::string& id) {
    doc::BsonWriter out;
    out.appendString("id", id);
    out.appendInt32("n", 2);
    return std::optional(out.finish());
  };
  announce({pendingWriteOf(1, 7)});
  const StreamEvent event = eventOf(Kind::replace, "cover", 7);
  const auto ours = translator_.translate(event, kCollection, records_, present("cover"));
  EXPECT_TRUE(ours.taken);
  EXPECT_EQ(ours.entries.at(0).after, present("cover"));
  EXPECT_EQ(ours.entries.at(0).actor.id, "u1");
  const auto others = translator_.translate(event, kCollection, records_, present("cover"));
  EXPECT_EQ(others.entries.at(0).after, present("cover"));
  // It has another id by now, of which a later event says.
  const auto renamed = translator_.translate(event, kCollection, records_, present("new"));
  EXPECT_EQ(renamed.entries.at(0).after, event.after);
}

TEST_F(Translations, ACollectionThatVanishesIsAGap) {
  const auto found = translate(eventOf(Kind::vanished, "", 0));
  ASSERT_EQ(found.entries.size(), 1u);
  EXPECT_TRUE(found.entries[0].isGap());
}

}  // namespace
}  // namespace mb::own_changes
