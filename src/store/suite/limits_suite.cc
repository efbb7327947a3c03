// Limits of a project's configuration (store/configuration_limits.h), which the commit checks.
#include <latch>

#include "store/configuration_limits.h"
#include "store/suite/store_suite.h"
#include "store/testing/writing.h"

namespace mb::store::suite {

namespace {

doc::Document ofBytes(std::string_view id, size_t bytes) {
  doc::BsonWriter out;
  out.appendString("id", id);
  out.appendString("text", std::string(bytes, 'x'));
  return out.finish();
}

// Saves as modules do: with a bump of the project's epoch.
Task<WriteOutcome> save(DocumentStore& store, CollectionRef collection, std::optional<doc::Document> document,
                        std::string id, bool bumps = true, bool logged = true) {
  WriteOptions options = writeOptions();
  if (bumps) options.bumpEpochs = {collection.project};
  options.logged = logged;
  if (!document) return testing::remove(store, collection, std::move(id), std::move(options));
  return testing::put(store, collection, std::move(id), *std::move(document), std::move(options));
}

struct Outcomes {
  std::atomic<int> committed{0};
  std::atomic<int> refused{0};
};

Task<> trySave(DocumentStore& store, CollectionRef collection, doc::Document document, ErrorCode refusal,
               Outcomes& outcomes) {
  const std::string id(document.view().stringOr("id"));
  const auto outcome = co_await save(store, collection, std::move(document), id);
  if (outcome) ++outcomes.committed;
  if (!outcome && outcome.error().code() == refusal) ++outcomes.refused;
  co_return Result<>();
}

// Saves documents of `bytes` concurrently.
void saveAll(Cores& cores, DocumentStore& store, CollectionRef collection, int count, size_t bytes, ErrorCode refusal,
             Outcomes& outcomes) {
  std::latch left(count);
  for (int i = 0; i < count; ++i) {
    asio::co_spawn(cores.at(i % cores.count()).get_executor(),
                   trySave(store, collection, ofBytes("d" + std::to_string(i), bytes), refusal, outcomes),
                   [&left](std::exception_ptr thrown, Result<>) {
                     EXPECT_FALSE(thrown);
                     left.count_down();
                   });
  }
  left.wait();
}

}  // namespace

TEST_P(StoreSuite, OfParallelCreatesAtALimitTheAllowedNumberWins) {
  const CollectionRef buckets{project_, kCounted, 0};
  Outcomes outcomes;
  saveAll(engine().cores(), store(), buckets, 150, 10, ErrorCode::conflict, outcomes);
  EXPECT_EQ(outcomes.committed, static_cast<int>(kMaxBuckets));
  EXPECT_EQ(outcomes.refused, 150 - static_cast<int>(kMaxBuckets));
  EXPECT_EQ(must(store().stats(buckets)).documents, kMaxBuckets);
  engine().reopen();
  const auto next = run(save(store(), buckets, ofBytes("more", 10), "more"));
  ASSERT_FALSE(next);
  EXPECT_EQ(next.error().code(), ErrorCode::conflict);
  EXPECT_NE(next.error().message().find("at most 100 buckets"), std::string::npos) << next.error().message();
  EXPECT_EQ(get(buckets, "more"), "");
  const std::string first(find(buckets, "{}").documents.front().view().stringOr("id"));
  EXPECT_TRUE(run(save(store(), buckets, ofBytes(first, 20), first)));
  EXPECT_TRUE(run(save(store(), buckets, std::nullopt, first)));
  EXPECT_TRUE(run(save(store(), buckets, ofBytes("more", 10), "more")));
  EXPECT_FALSE(run(save(store(), buckets, ofBytes(first, 10), first)));
  const CollectionRef others{must(store().allocateProject()), kCounted, 0};
  EXPECT_TRUE(run(save(store(), others, ofBytes("more", 10), "more")));
  EXPECT_TRUE(engine().problems().empty());
}

TEST_P(StoreSuite, OfParallelSavesThoseThatFitIntoTheConfigurationWin) {
  const CollectionRef functions{project_, kSized, 0};
  Outcomes outcomes;
  saveAll(engine().cores(), store(), functions, 12, 3 << 19, ErrorCode::payloadTooLarge, outcomes);
  EXPECT_EQ(outcomes.committed, 5);  // of 1.5 MiB each
  EXPECT_EQ(outcomes.refused, 7);
  engine().reopen();
  const auto next = run(save(store(), functions, ofBytes("more", 1 << 20), "more"));
  ASSERT_FALSE(next);
  EXPECT_EQ(next.error().code(), ErrorCode::payloadTooLarge);
  EXPECT_NE(next.error().message().find("functions 8.5 MiB"), std::string::npos) << next.error().message();
  // Collections count, too.
  CollectionRef posts = makeCollection("posts");
  const auto configure = [&](size_t bytes) {
    const auto altered = run(store().alterCollection(current(posts), {.name = {}, .config = ofBytes("c", bytes)}, {}));
    return altered ? "" : altered.error().message();
  };
  EXPECT_NE(configure(700 << 10).find("functions 7.5 MiB, collections 0.7 MiB"), std::string::npos);
  EXPECT_EQ(configure(400 << 10), "");
  EXPECT_FALSE(run(save(store(), functions, ofBytes("more", 200 << 10), "more")));
  EXPECT_FALSE(run(store().createCollection(project_, "more", ofBytes("c", 200 << 10), {})));
  engine().reopen();
  EXPECT_FALSE(run(save(store(), functions, ofBytes("more", 200 << 10), "more")));
  must(store().dropCollection(current(posts), {}));
  EXPECT_TRUE(run(save(store(), functions, ofBytes("more", 200 << 10), "more")));
  EXPECT_TRUE(engine().problems().empty());
}

TEST_P(StoreSuite, NoLimitRefusesUpkeep) {
  const CollectionRef functions{project_, kSized, 0};
  CollectionRef posts = makeCollection("posts");
  for (const char* id : {"a", "b", "c", "d", "e"}) {
    EXPECT_TRUE(run(save(store(), functions, ofBytes(id, 1'900'000), id, true, false)));
  }
  const auto grow = [&](Actor actor) {
    WriteOptions options = writeOptions();
    options.bumpEpochs = {project_};
    options.actor = std::move(actor);
    return run(testing::put(store(), functions, "a", ofBytes("a", 1'900'009), std::move(options)));
  };
  EXPECT_FALSE(grow({ActorKind::server, ""}));
  EXPECT_TRUE(grow(upkeepActor()));
  // The bindings of references do not count, the configured parts do.
  const auto configure = [&](std::string_view config) {
    return run(store().alterCollection(current(posts), {.name = {}, .config = json(config)}, {})).has_value();
  };
  EXPECT_FALSE(configure(R"({"policy":{}})"));
  EXPECT_TRUE(configure(R"({"refs":[{"name":"people","number":1000}]})"));
  EXPECT_TRUE(configure("{}"));
  EXPECT_TRUE(engine().problems().empty());
}

// The state that earlier versions and restores may leave.
TEST_P(StoreSuite, WhatIsAboveALimitStaysUsable) {
  const CollectionRef functions{project_, kSized, 0};
  const CollectionRef buckets{project_, kCounted, 0};
  for (const char* id : {"a", "b", "c", "d", "e", "f", "g", "h", "i"}) {
    EXPECT_TRUE(run(save(store(), functions, ofBytes(id, 2'000'000), id, true, false)));
  }
  for (int i = 0; i < 110; ++i) {
    const std::string id = std::to_string(i);
    EXPECT_TRUE(run(save(store(), buckets, ofBytes(id, 10), id, true, false)));
  }
  EXPECT_EQ(run(save(store(), functions, ofBytes("a", 2'000'001), "a")).error().code(), ErrorCode::payloadTooLarge);
  EXPECT_EQ(run(save(store(), buckets, ofBytes("more", 10), "more")).error().code(), ErrorCode::conflict);
  EXPECT_FALSE(run(store().createCollection(project_, "posts", {}, {})));
  // The same size, a smaller one, and a write that is not a save of configuration.
  EXPECT_TRUE(run(save(store(), functions, ofBytes("a", 2'000'000), "a")));
  EXPECT_TRUE(run(save(store(), functions, ofBytes("a", 1'900'000), "a")));
  EXPECT_TRUE(run(save(store(), functions, ofBytes("a", 1'900'009), "a", false)));
  EXPECT_TRUE(run(save(store(), buckets, std::nullopt, "5")));
  EXPECT_TRUE(run(store().dropProject(project_)));
}

TEST_P(StoreSuite, AProjectHasAtMostFiftyVectorConfigs) {
  const doc::Document config = json(R"({"vectors":{"fields":[]}})");
  CollectionRef last;
  for (uint64_t i = 0; i < kMaxVectorConfigs; ++i) {
    last = makeCollection("c" + std::to_string(i));
    EXPECT_TRUE(run(store().alterCollection(last, {.name = {}, .config = config}, {})));
  }
  const CollectionRef more = makeCollection("more");
  const auto refused = run(store().alterCollection(more, {.name = {}, .config = config}, {}));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::conflict);
  EXPECT_NE(refused.error().message().find("at most 50 vector configs"), std::string::npos);
  EXPECT_TRUE(run(store().alterCollection(current(last), {.name = {}, .config = config}, {})));
  EXPECT_TRUE(run(store().alterCollection(current(last), {.name = {}, .config = json("{}")}, {})));
  EXPECT_TRUE(run(store().alterCollection(more, {.name = {}, .config = config}, {})));
}

}  // namespace mb::store::suite
