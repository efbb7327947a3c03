#include "own_changes/lookups.h"

#include <gtest/gtest.h>

namespace mb::own_changes {
namespace {

using store::own::StreamEvent;
using Kind = StreamEvent::Kind;

StreamEvent eventAt(Kind kind, uint64_t at, store::DocumentVersion version = 7) {
  StreamEvent event;
  event.kind = kind;
  event.at = at;
  event.version = kind == Kind::remove ? 0 : version;
  return event;
}

// In the batch of 10, "a" was looked up for an update, and read again for the event behind it.
Lookups readAgain() {
  Lookups lookups;
  lookups.begin(10);
  EXPECT_FALSE(lookups.isBehind("a", eventAt(Kind::update, 5)));
  EXPECT_TRUE(lookups.isBehind("a", eventAt(Kind::replace, 6)));
  lookups.readAgain("a", eventAt(Kind::replace, 6, 1), 9);
  return lookups;
}

TEST(Lookups, WithoutALookupEachEventHasItsOwnState) {
  Lookups lookups;
  lookups.begin(10);
  for (const Kind kind : {Kind::insert, Kind::replace, Kind::remove}) {
    EXPECT_FALSE(lookups.isBehind("a", eventAt(kind, 5)));
  }
}

TEST(Lookups, WhatIsNotNewerThanALookupIsBehind) {
  Lookups lookups;
  lookups.begin(10);
  EXPECT_FALSE(lookups.isBehind("a", eventAt(Kind::update, 5)));
  EXPECT_TRUE(lookups.isBehind("a", eventAt(Kind::replace, 6)));
  EXPECT_FALSE(lookups.isBehind("b", eventAt(Kind::replace, 6)));
  // The lookup was made by 10, also for events that come with a later batch.
  lookups.begin(20);
  EXPECT_TRUE(lookups.isBehind("a", eventAt(Kind::insert, 10)));
  EXPECT_FALSE(lookups.isBehind("a", eventAt(Kind::replace, 11)));
  EXPECT_FALSE(lookups.isBehind("a", eventAt(Kind::replace, 9)));
}

TEST(Lookups, ADocumentThatWasNotFoundIsNotALookup) {
  Lookups lookups;
  lookups.begin(10);
  EXPECT_FALSE(lookups.isBehind("a", eventAt(Kind::update, 5, 0)));
  EXPECT_FALSE(lookups.isBehind("a", eventAt(Kind::insert, 6)));
}

TEST(Lookups, WhatIsReadAgainIsALookupBeforeTheNextBatch) {
  Lookups lookups = readAgain();
  lookups.begin(20);
  EXPECT_TRUE(lookups.isBehind("a", eventAt(Kind::replace, 15)));
  lookups.begin(30);
  EXPECT_FALSE(lookups.isBehind("a", eventAt(Kind::replace, 25)));
}

TEST(Lookups, WhatWasLookedUpForTheBatchIsBehindWhatIsReadAgainInIt) {
  Lookups lookups = readAgain();
  EXPECT_TRUE(lookups.isBehind("a", eventAt(Kind::update, 7)));
  EXPECT_FALSE(lookups.isBehind("a", eventAt(Kind::remove, 8)));
  EXPECT_FALSE(lookups.isBehind("b", eventAt(Kind::update, 9)));
  lookups.begin(20);
  EXPECT_FALSE(lookups.isBehind("a", eventAt(Kind::update, 15)));
}

TEST(Lookups, WhatIsFoundAsTheEventHasItIsCaughtUp) {
  Lookups lookups = readAgain();
  lookups.readAgain("a", eventAt(Kind::replace, 6, 9), 9);
  EXPECT_FALSE(lookups.isBehind("a", eventAt(Kind::replace, 7)));
  lookups.begin(20);
  EXPECT_FALSE(lookups.isBehind("a", eventAt(Kind::replace, 8)));
}

TEST(Lookups, WithoutTimesOfTheServerAllIsReadAgainUntilItIsCaughtUp) {
  Lookups lookups;
  lookups.begin(0);
  EXPECT_FALSE(lookups.isBehind("a", eventAt(Kind::update, 0)));
  lookups.begin(0);
  EXPECT_TRUE(lookups.isBehind("a", eventAt(Kind::replace, 0)));
  EXPECT_TRUE(lookups.isBehind("a", eventAt(Kind::replace, 99)));
  lookups.readAgain("a", eventAt(Kind::replace, 99, 9), 9);
  EXPECT_FALSE(lookups.isBehind("a", eventAt(Kind::replace, 0)));
}

TEST(Lookups, AnUpdateIsLookedUpAndSoNeverCaughtUp) {
  Lookups lookups = readAgain();
  EXPECT_TRUE(lookups.isBehind("a", eventAt(Kind::update, 7, 9)));
  lookups.readAgain("a", eventAt(Kind::update, 7, 9), 9);
  EXPECT_TRUE(lookups.isBehind("a", eventAt(Kind::replace, 8)));
}

}  // namespace
}  // namespace mb::own_changes
