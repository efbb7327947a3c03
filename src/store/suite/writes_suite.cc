// The guarantees of a Write: its accesses, its inserts, and callbacks that may run several times.
#include <latch>

#include "store/suite/store_suite.h"

namespace mb::store::suite {

namespace {

int64_t numberIn(const std::optional<doc::Document>& document, std::string_view field) {
  const auto value = document ? document->view().find(field) : std::nullopt;
  return value ? value->toInteger().value_or(0) : 0;
}

doc::Document withNumber(std::string_view id, int64_t n) {
  return json(fmt::format(R"({{"id":"{}","n":{}}})", id, n));
}

Insert entry(ProjectNo project, std::string_view id) {
  return {{project, kAudit, 0}, json(fmt::format(R"({{"id":"{}"}})", id))};
}

// Switches `own` off if `other` is on.
Task<> switchOff(DocumentStore& store, CollectionRef collection, std::string own, std::string other) {
  Write write(writeOptions());
  const Target mine = write.change(collection, own);
  const Target held = write.hold(collection, other);
  CO_RETURN_IF_ERROR(
      co_await store.write(std::move(write), [own, mine, held](const PreImages& before, Changes& changes) -> Result<> {
        if (numberIn(before[held], "n") > 0) changes.put(mine, withNumber(own, 0));
        return {};
      }));
  co_return Result<>();
}

}  // namespace

TEST_P(StoreSuite, ACallbackSeesItsDocumentsAndNamesWhatItChanges) {
  const CollectionRef posts = makeCollection("posts");
  ASSERT_TRUE(put(posts, R"({"id":"a","n":1})"));
  ASSERT_TRUE(put(posts, R"({"id":"b","n":2})"));
  ASSERT_TRUE(put(posts, R"({"id":"c","n":3})"));
  Write write(writeOptions());
  const Target a = write.change(posts, "a");
  const Target b = write.change(posts, "b");
  const Target c = write.change(posts, "c");
  const Target d = write.change(posts, "d");
  must(store().write(std::move(write), [=](const PreImages& before, Changes& changes) -> Result<> {
    EXPECT_EQ(numberIn(before[b], "n"), 2);
    EXPECT_FALSE(before[d].has_value());
    changes.put(d, withNumber("d", numberIn(before[a], "n") + numberIn(before[c], "n")));
    changes.remove(b);
    return {};
  }));
  EXPECT_EQ(ids(posts, "{}"), "a c d");
  EXPECT_EQ(get(posts, "d"), R"({"id":"d","n":4})");
  EXPECT_EQ(engine().feed().lastPosition(project_), 5u);
}

TEST_P(StoreSuite, AnErrorOfTheCallbackIsTheWritesAndChangesNothing) {
  const CollectionRef posts = makeCollection("posts");
  Write write(writeOptions());
  const Target a = write.change(posts, "a");
  write.insert(entry(project_, "e1"));
  const auto refused = run(store().write(std::move(write), [a](const PreImages&, Changes& changes) -> Result<> {
    changes.put(a, withNumber("a", 1));
    return fail(ErrorCode::forbidden, "no");
  }));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::forbidden);
  EXPECT_EQ(refused.error().violation(), nullptr);
  EXPECT_EQ(count(posts, "{}"), 0u);
  EXPECT_EQ(count({project_, kAudit, 0}, "{}"), 0u);
}

TEST_P(StoreSuite, InsertsGoWithAChangeAndOnlyWithOne) {
  const CollectionRef posts = makeCollection("posts");
  const CollectionRef audit{project_, kAudit, 0};
  const auto removing = [&](const std::string& id, const std::string& audited) {
    Write write(writeOptions());
    const Target target = write.change(posts, id);
    write.insert(entry(project_, audited));
    must(store().write(std::move(write), [target](const PreImages&, Changes& changes) -> Result<> {
      changes.remove(target);
      return {};
    }));
  };
  removing("a", "nothing-was-there");
  EXPECT_EQ(count(audit, "{}"), 0u);
  ASSERT_TRUE(put(posts, R"({"id":"a"})"));
  removing("a", "removed");
  EXPECT_EQ(ids(audit, "{}"), "removed");

  Write alone(writeOptions());
  alone.insert(entry(project_, "alone"));
  must(store().write(std::move(alone), nullptr));
  EXPECT_EQ(ids(audit, "{}"), "alone removed");
}

TEST_P(StoreSuite, AnInsertOverADocumentIsAConflictOrLeftOut) {
  const CollectionRef audit{project_, kAudit, 0};
  Write first(writeOptions());
  first.insert(entry(project_, "one"));
  must(store().write(std::move(first), nullptr));

  Write again(writeOptions());
  again.insert(entry(project_, "two"));
  again.insert(entry(project_, "one"));
  const auto refused = run(store().write(std::move(again), nullptr));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::conflict);
  EXPECT_EQ(ids(audit, "{}"), "one");

  Write keeping(writeOptions());
  keeping.insert(entry(project_, "two"));
  Insert kept{audit, json(R"({"id":"one","other":true})"), Insert::IfPresent::keep};
  keeping.insert(std::move(kept));
  must(store().write(std::move(keeping), nullptr));
  EXPECT_EQ(ids(audit, "{}"), "one two");
  EXPECT_EQ(get(audit, "one"), R"({"id":"one"})");
}

TEST_P(StoreSuite, AUniqueIndexRefusesWithItsNameAndTheDocument) {
  CollectionRef posts = makeCollection("posts");
  makeIndex(posts, uniqueIndex({{"slug", 1}}));
  ASSERT_TRUE(put(posts, R"({"id":"a","slug":"x"})"));
  Write write(writeOptions());
  const Target b = write.change(posts, "b");
  const Target c = write.change(posts, "c");
  const auto refused = run(store().write(std::move(write), [=](const PreImages&, Changes& changes) -> Result<> {
    changes.put(b, json(R"({"id":"b","slug":"y"})"));
    changes.put(c, json(R"({"id":"c","slug":"x"})"));
    return {};
  }));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::conflict);
  ASSERT_NE(refused.error().violation(), nullptr);
  EXPECT_EQ(refused.error().violation()->kind, Violation::Kind::index);
  EXPECT_EQ(refused.error().violation()->name, "slug_1");
  EXPECT_EQ(refused.error().violation()->target, c.position());
  EXPECT_EQ(ids(posts, "{}"), "a");
}

TEST_P(StoreSuite, WhatTheLastRunOfACallbackReturnsIsReturned) {
  const CollectionRef posts = makeCollection("posts");
  for (int i = 1; i <= 3; ++i) {
    Write write(writeOptions());
    const Target a = write.change(posts, "a");
    const int64_t written = must(
        writeReturning(store(), std::move(write), [a](const PreImages& before, Changes& changes) -> Result<int64_t> {
          const int64_t next = numberIn(before[a], "n") + 1;
          changes.put(a, withNumber("a", next));
          return next;
        }));
    EXPECT_EQ(written, i);
  }
  EXPECT_EQ(get(posts, "a"), R"({"id":"a","n":3})");
}

TEST_P(StoreSuite, InsertsWithoutACallbackLeaveTheOtherDocumentsAlone) {
  const CollectionRef posts = makeCollection("posts");
  ASSERT_TRUE(put(posts, R"({"id":"a","n":1})"));
  Write write(writeOptions());
  write.hold(posts, "a");
  write.change(posts, "b");
  write.insert({posts, json(R"({"id":"c","n":3})")});
  must(store().write(std::move(write), nullptr));
  EXPECT_EQ(ids(posts, "{}"), "a c");
  EXPECT_EQ(get(posts, "a"), R"({"id":"a","n":1})");
}

TEST_P(StoreSuite, AWriteSaysWhereItEndsInTheChangeLog) {
  const CollectionRef posts = makeCollection("posts");
  EXPECT_EQ(put(posts, R"({"id":"a"})")->position, 1u);
  EXPECT_EQ(putAll(posts, {R"({"id":"b"})", R"({"id":"c"})"})->position, 3u);
  Write write(writeOptions());
  write.insert(entry(project_, "e"));
  EXPECT_EQ(must(store().write(std::move(write), nullptr)).position, 0u);
  EXPECT_EQ(engine().feed().lastPosition(project_), 3u);
}

TEST_P(StoreSuite, ADocumentThatIsInsertedAndChangedIsRefused) {
  const CollectionRef posts = makeCollection("posts");
  Write write(writeOptions());
  const Target a = write.change(posts, "a");
  write.insert({posts, json(R"({"id":"a","n":1})")});
  const auto refused = run(store().write(std::move(write), [a](const PreImages&, Changes& changes) -> Result<> {
    changes.put(a, withNumber("a", 2));
    return {};
  }));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::internal);
  EXPECT_EQ(count(posts, "{}"), 0u);
}

TEST_P(StoreSuite, ManyDocumentsNamedAgainAreTheSameTargets) {
  const CollectionRef posts = makeCollection("posts");
  Write write(writeOptions());
  for (int round = 0; round < 2; ++round) {
    for (size_t i = 0; i < 100; ++i) {
      const std::string id = "d" + std::to_string(i);
      const Target target = round == 0 ? write.hold(posts, id) : write.change(posts, id);
      EXPECT_EQ(target.position(), i);
    }
  }
  ASSERT_EQ(write.targets().size(), 100u);
  EXPECT_EQ(write.targets()[42].access, Access::write);
}

TEST_P(StoreSuite, WhatIsOnlyReadIsNotChanged) {
  const CollectionRef posts = makeCollection("posts");
  ASSERT_TRUE(put(posts, R"({"id":"a","n":1})"));
  for (const bool held : {true, false}) {
    Write write(writeOptions());
    const Target a = held ? write.hold(posts, "a") : write.peek(posts, "a");
    const auto refused = run(store().write(std::move(write), [a](const PreImages&, Changes& changes) -> Result<> {
      changes.put(a, withNumber("a", 2));
      return {};
    }));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code(), ErrorCode::internal);
  }
  EXPECT_EQ(get(posts, "a"), R"({"id":"a","n":1})");
}

TEST_P(StoreSuite, ADocumentNamedAgainKeepsTheStrongerAccess) {
  const CollectionRef posts = makeCollection("posts");
  Write write(writeOptions());
  const Target peeked = write.peek(posts, "a");
  const Target held = write.hold(posts, "a");
  const Target other = write.change(posts, "b");
  const Target heldToo = write.hold(posts, "b");
  EXPECT_EQ(peeked.position(), held.position());
  EXPECT_EQ(other.position(), heldToo.position());
  EXPECT_EQ(write.targets()[held.position()].access, Access::hold);
  EXPECT_EQ(write.targets()[other.position()].access, Access::write);
}

TEST_P(StoreSuite, AWriteHoldsSixteenMebibytes) {
  CollectionRef posts = makeCollection("posts");
  const std::string text(1 << 20 >> 1, 'x');
  for (int i = 0; i < 33; ++i) ASSERT_TRUE(put(posts, fmt::format(R"({{"id":"d{}","text":"{}"}})", i, text)));
  const auto holding = [&](int count) {
    Write write(writeOptions());
    const Target changed = write.change(posts, "changed");
    for (int i = 0; i < count; ++i) write.hold(posts, fmt::format("d{}", i));
    return run(store().write(std::move(write), [changed](const PreImages&, Changes& changes) -> Result<> {
      changes.put(changed, json(R"({"id":"changed"})"));
      return {};
    }));
  };
  EXPECT_TRUE(holding(31));
  const auto refused = holding(33);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::payloadTooLarge);
}

// Each of two writes keeps the document that the other changes: without the hold both could be switched off.
TEST_P(StoreSuite, WhatAWriteHoldsStaysUntilItsCommit) {
  const CollectionRef switches = makeCollection("switches");
  for (int round = 0; round < 50; ++round) {
    ASSERT_TRUE(putAll(switches, {R"({"id":"left","n":1})", R"({"id":"right","n":1})"}));
    std::latch left(2);
    for (const bool side : {false, true}) {
      asio::co_spawn(engine().cores().at(side ? 1 : 0).get_executor(),
                     switchOff(store(), switches, side ? "left" : "right", side ? "right" : "left"),
                     [&left](std::exception_ptr exception, Result<> done) {
                       EXPECT_FALSE(exception);
                       EXPECT_TRUE(done);
                       left.count_down();
                     });
    }
    left.wait();
    EXPECT_EQ(count(switches, R"({"n":1})"), 1u) << "round " << round;
  }
}

}  // namespace mb::store::suite
