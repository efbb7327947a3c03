#include "store/suite/store_suite.h"
#include "store/testing/writing.h"

namespace mb::store::suite {

TEST_P(StoreSuite, WritesReadsChangesAndRemovesADocument) {
  const CollectionRef posts = makeCollection("posts");
  EXPECT_EQ(get(posts, "a"), "");
  ASSERT_TRUE(put(posts, R"({"id":"a","n":1})"));
  EXPECT_EQ(get(posts, "a"), R"({"id":"a","n":1})");
  ASSERT_TRUE(put(posts, R"({"id":"a","n":2})"));
  EXPECT_EQ(get(posts, "a"), R"({"id":"a","n":2})");
  EXPECT_EQ(must(store().stats(posts)).documents, 1u);
  ASSERT_TRUE(remove(posts, "a"));
  EXPECT_EQ(get(posts, "a"), "");
  EXPECT_EQ(must(store().stats(posts)).documents, 0u);
  EXPECT_EQ(must(store().stats(posts)).bytes, 0u);
  ASSERT_TRUE(remove(posts, "a"));
  EXPECT_EQ(must(store().stats(posts)).documents, 0u);
}

TEST_P(StoreSuite, CollectionsAndProjectsAreApart) {
  const CollectionRef one = makeCollection("one");
  const CollectionRef two = makeCollection("two");
  const ProjectNo other = must(store().allocateProject());
  ASSERT_TRUE(put(one, R"({"id":"a","in":"one"})"));
  EXPECT_EQ(get(two, "a"), "");
  EXPECT_EQ(get({other, one.number, one.version}, "a"), "");
  EXPECT_EQ(ids(two, "{}"), "");
  EXPECT_EQ(ids({other, one.number, one.version}, "{}"), "");
  EXPECT_EQ(put({other, one.number, one.version}, R"({"id":"a"})").error().code(), ErrorCode::staleCatalogue);
  EXPECT_EQ(put({other + 100, one.number, one.version}, R"({"id":"a"})").error().code(), ErrorCode::notFound);
}

TEST_P(StoreSuite, IdsThatBeginAlikeAreApart) {
  const CollectionRef posts = makeCollection("posts");
  const std::string nul("a\0b", 3);
  const std::string last = "\xF4\x8F\xBF\xBF";
  for (const std::string& id : {std::string("a"), std::string("ab"), last, last + last, nul}) {
    doc::BsonWriter writer;
    writer.appendString("id", id);
    ASSERT_TRUE(run(testing::put(store(), posts, id, writer.finish(), writeOptions())));
  }
  EXPECT_EQ(count(posts, "{}"), 5u);
  ASSERT_TRUE(remove(posts, "a"));
  EXPECT_EQ(find(posts, "{}").documents.size(), 4u);
  EXPECT_TRUE(engine().problems().empty());
}

TEST_P(StoreSuite, RefusesIdsThatAreNone) {
  const CollectionRef posts = makeCollection("posts");
  EXPECT_EQ(remove(posts, "").error().code(), ErrorCode::validation);
  EXPECT_EQ(remove(posts, std::string(5000, 'x')).error().code(), ErrorCode::validation);
}

TEST_P(StoreSuite, ACallbackThatRefusesHasSeenWhatIsThere) {
  const CollectionRef posts = makeCollection("posts");
  ASSERT_TRUE(put(posts, R"({"id":"a","n":1})"));
  Write write(writeOptions());
  const Target a = write.change(posts, "a");
  const Target b = write.change(posts, "b");
  const auto refused = run(store().write(std::move(write), [a, b](const PreImages& before, Changes&) -> Result<> {
    return fail(ErrorCode::forbidden, text(*before[a]) + (before[b] ? "there" : "missing"));
  }));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::forbidden);
  EXPECT_EQ(refused.error().message(), R"({"id":"a","n":1}missing)");
  EXPECT_EQ(get(posts, "a"), R"({"id":"a","n":1})");
}

TEST_P(StoreSuite, KeepingEverythingChangesNothing) {
  const CollectionRef posts = makeCollection("posts");
  ASSERT_TRUE(put(posts, R"({"id":"a","n":1})"));
  const uint64_t position = engine().feed().lastPosition(project_);
  Write write(writeOptions());
  write.change(posts, "a");
  must(store().write(std::move(write), [](const PreImages&, Changes&) -> Result<> { return {}; }));
  EXPECT_EQ(engine().feed().lastPosition(project_), position);
}

TEST_P(StoreSuite, SeveralTargetsChangeTogetherOrNotAtAll) {
  CollectionRef posts = makeCollection("posts");
  makeIndex(posts, uniqueIndex({{"slug", 1}}));
  ASSERT_TRUE(put(posts, R"({"id":"taken","slug":"x"})"));
  const auto refused = putAll(posts, {R"({"id":"a","slug":"y"})", R"({"id":"b","slug":"x"})"});
  EXPECT_EQ(refusingIndex(refused), "slug_1");
  EXPECT_EQ(refused.error().violation()->target, 1u);
  EXPECT_EQ(ids(posts, "{}"), "taken");
  ASSERT_TRUE(putAll(posts, {R"({"id":"a","slug":"y"})", R"({"id":"b","slug":"z"})"}));
  EXPECT_EQ(ids(posts, "{}"), "a b taken");
}

TEST_P(StoreSuite, OneWriteMayTouchSystemAndUserCollections) {
  const CollectionRef posts = makeCollection("posts");
  Write write(writeOptions());
  const Target post = write.change(posts, "p");
  const Target audit1 = write.change({project_, kAudit, 0}, "audit1");
  const Target audit2 = write.change({kControlProject, kAudit, 0}, "audit2");
  must(store().write(std::move(write), [=](const PreImages&, Changes& changes) -> Result<> {
    changes.put(post, json(R"({"id":"p"})"));
    changes.put(audit1, json(R"({"id":"audit1"})"));
    changes.put(audit2, json(R"({"id":"audit2"})"));
    return {};
  }));
  EXPECT_EQ(get(posts, "p"), R"({"id":"p"})");
  EXPECT_EQ(get({project_, kAudit, 0}, "audit1"), R"({"id":"audit1"})");
  EXPECT_EQ(get({kControlProject, kAudit, 0}, "audit2"), R"({"id":"audit2"})");
  EXPECT_TRUE(engine().problems().empty());
}

TEST_P(StoreSuite, RefusesADocumentOverOneMebibyte) {
  const CollectionRef posts = makeCollection("posts");
  const auto sized = [](size_t bytes) { return R"({"id":"a","text":")" + std::string(bytes, 'x') + R"("})"; };
  EXPECT_EQ(put(posts, sized(1 << 20)).error().code(), ErrorCode::payloadTooLarge);
  EXPECT_TRUE(put(posts, sized((1 << 20) - 100)));
  EXPECT_TRUE(put({project_, kThings, 0}, sized((2 << 20) - 100)));
  EXPECT_EQ(put({project_, kThings, 0}, sized(2 << 20)).error().code(), ErrorCode::payloadTooLarge);
}

TEST_P(StoreSuite, TalliesByAField) {
  const CollectionRef things{project_, kThings, 0};
  const auto thing = [](std::string_view id, std::string_view owner) {
    return fmt::format(R"({{"id":"{}","email":"{}","owner":{}}})", id, id, owner);
  };
  const auto of = [&](std::string value) {
    const CollectionStats stats = must(store().statsByField(things, std::move(value)));
    return fmt::format("{} {}", stats.documents, stats.bytes);
  };
  EXPECT_EQ(of("ann"), "0 0");
  ASSERT_TRUE(putAll(things, {thing("a", R"("ann")"), thing("b", R"("ann")"), thing("c", "null"), thing("d", "7")}));
  const size_t each = json(thing("a", R"("ann")")).size();
  EXPECT_EQ(of("ann"), fmt::format("2 {}", 2 * each));
  EXPECT_EQ(of(""), "0 0");
  EXPECT_EQ(must(store().statsByField({project_, kAudit, 0}, "ann")).documents, 0u);
  ASSERT_TRUE(put(things, thing("a", R"("bob")")));
  ASSERT_TRUE(put(things, thing("b", R"("ann","more":true)")));
  const std::string more = fmt::format("1 {}", json(thing("b", R"("ann","more":true)")).size());
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(of("ann"), more);
    EXPECT_EQ(of("bob"), fmt::format("1 {}", each));
    EXPECT_TRUE(engine().problems().empty());
    engine().reopen();
  }
  std::vector<std::string> jsons;
  for (int i = 0; i < 50; ++i) jsons.push_back(thing(std::to_string(i), R"("many")"));
  ASSERT_TRUE(putAll(things, std::move(jsons)));
  EXPECT_EQ(must(store().statsByField(things, "many")).documents, 50u);
  for (int i = 0; i < 50; ++i) ASSERT_TRUE(remove(things, std::to_string(i)));
  ASSERT_TRUE(remove(things, "b"));
  EXPECT_EQ(of("many"), "0 0");
  EXPECT_EQ(of("ann"), "0 0");
  EXPECT_TRUE(engine().problems().empty());
}

TEST_P(StoreSuite, GetManyKeepsTheOrderAndRepeats) {
  const CollectionRef posts = makeCollection("posts");
  ASSERT_TRUE(putAll(posts, {R"({"id":"a"})", R"({"id":"b"})"}));
  const auto found = must(store().getMany(posts, {"b", "x", "a", "b"}));
  ASSERT_EQ(found.size(), 4u);
  EXPECT_EQ(text(*found[0]), R"({"id":"b"})");
  EXPECT_FALSE(found[1]);
  EXPECT_EQ(text(*found[2]), R"({"id":"a"})");
  EXPECT_EQ(text(*found[3]), R"({"id":"b"})");
  EXPECT_TRUE(must(store().getMany(posts, {})).empty());
}

TEST_P(StoreSuite, ListsInOrderOfIdWithSkipAndLimit) {
  const CollectionRef posts = makeCollection("posts");
  ASSERT_TRUE(putAll(posts, {R"({"id":"c"})", R"({"id":"a"})", R"({"id":"d"})", R"({"id":"b"})"}));
  struct Case {
    uint64_t skip, limit;
    std::string expected;
  };
  for (const Case& c : {Case{0, 50, "a b c d"}, {1, 2, "b c"}, {0, 0, ""}, {9, 5, ""}, {3, UINT64_MAX, "d"}}) {
    Query query;
    query.skip = c.skip;
    query.limit = c.limit;
    EXPECT_EQ(ids(posts, "{}", query), c.expected) << c.skip << " " << c.limit;
  }
}

TEST_P(StoreSuite, RefusesAnAnswerOverSixteenMebibytes) {
  const CollectionRef posts = makeCollection("posts");
  for (int i = 0; i < 18; ++i) {
    ASSERT_TRUE(
        put(posts, fmt::format(R"({{"id":"{:02}","n":{},"text":"{}"}})", i, 18 - i, std::string(1'000'000, 'x'))));
  }
  Query query;
  query.collection = posts;
  query.deadline = soon();
  auto refused = run(store().find(query));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::payloadTooLarge);
  EXPECT_NE(refused.error().message().find("limit"), std::string::npos);
  query.limit = 3;
  EXPECT_EQ(joinIds(must(store().find(query)).documents), "00 01 02");
  query.sort = {{"n", 1}};
  EXPECT_EQ(joinIds(must(store().find(query)).documents), "17 16 15");
}

// The hidden bytes exceed the limits of results and sorts, so each access path shows whether they count.
TEST_P(StoreSuite, HiddenFieldsCountInNoLimit) {
  CollectionRef posts = makeCollection("posts");
  std::vector<std::string> all;
  for (int i = 0; i < 40; ++i) {
    all.push_back(fmt::format("{:02}", i));
    ASSERT_TRUE(put(posts, fmt::format(R"({{"id":"{}","n":{},"in":{{"secret":"{}","open":1}},"secret":{},"last":1}})",
                                       all.back(), 40 - i, std::string(900'000, 'x'), i)));
  }
  const std::string ascending = fmt::format("{}", fmt::join(all, " "));
  const std::string descending = fmt::format("{}", fmt::join(all.rbegin(), all.rend(), " "));
  Query query;
  query.collection = posts;
  query.deadline = soon();
  query.limit = 100;
  EXPECT_EQ(run(store().find(query)).error().code(), ErrorCode::payloadTooLarge);
  query.hidden = std::make_shared<const doc::FieldSet>(std::vector<std::string>{"secret", "in.secret"});
  const auto check = [&](std::string_view filter, std::vector<SortKey> sort, const std::string& expected) {
    SCOPED_TRACE(filter);
    query.sort = std::move(sort);
    const QueryResult found = find(posts, filter, query);
    EXPECT_EQ(joinIds(found.documents), expected);
    for (const doc::Document& each : found.documents) {
      const int64_t n = each.view().find("n")->asInteger();
      EXPECT_EQ(text(each), fmt::format(R"({{"id":"{:02}","n":{},"in":{{"open":1}},"last":1}})", 40 - n, n));
      EXPECT_LT(each.bytes().capacity(), 2000u);
    }
  };
  const std::string few = R"({"id":{"$in":["03","04"]}})";
  check("{}", {}, ascending);
  check("{}", {{"n", 1}}, descending);
  check("{}", {{"last", 1}, {"n", 1}}, descending);
  check(few, {{"n", 1}}, "04 03");
  // The filter sees the whole document.
  check(R"({"secret":{"$gte":38},"in.secret":{"$regex":"^x"}})", {}, "38 39");
  makeIndex(posts, index({{"n", 1}}));
  query.collection = posts;
  check(R"({"n":{"$gt":0}})", {{"n", 1}}, descending);
  check(R"({"n":{"$gt":0}})", {}, ascending);
  check(R"({"n":{"$gt":0},"last":1})", {{"last", -1}}, ascending);
  query.projection = Projection::ids;
  query.hidden = nullptr;
  query.sort = {{"last", 1}};
  EXPECT_EQ(ids(posts, "{}", query), ascending);

  EXPECT_EQ(run(store().getMany(posts, all)).error().code(), ErrorCode::payloadTooLarge);
  const auto hidden = std::make_shared<const doc::FieldSet>(std::vector<std::string>{"secret", "in"});
  const auto many = must(store().getMany(posts, {"39", "none", "39", "00"}, hidden));
  ASSERT_EQ(many.size(), 4u);
  EXPECT_EQ(text(*many[0]), R"({"id":"39","n":1,"last":1})");
  EXPECT_FALSE(many[1]);
  EXPECT_EQ(text(*many[2]), text(*many[0]));
  EXPECT_EQ(must(store().getMany(posts, all, hidden)).size(), 40u);
}

TEST_P(StoreSuite, SortsAsMongoDbDoes) {
  const CollectionRef posts = makeCollection("posts");
  ASSERT_TRUE(putAll(posts, {R"({"id":"a","n":2})", R"({"id":"b","n":1.5})", R"({"id":"c"})", R"({"id":"d","n":[0,9]})",
                             R"({"id":"e","n":"text"})", R"({"id":"f","n":[]})", R"({"id":"g","n":2,"m":1})"}));
  Query query;
  query.sort = {{"n", 1}};
  EXPECT_EQ(ids(posts, "{}", query), "f c d b a g e");
  query.sort = {{"n", -1}};
  EXPECT_EQ(ids(posts, "{}", query), "e d a g b c f");
  query.sort = {{"n", 1}, {"m", -1}};
  query.skip = 4;
  query.limit = 2;
  EXPECT_EQ(ids(posts, "{}", query), "g a");
}

TEST_P(StoreSuite, StaysAfterReopening) {
  CollectionRef posts = makeCollection("posts");
  makeIndex(posts, index({{"n", 1}}));
  for (int i = 0; i < 50; ++i) ASSERT_TRUE(put(posts, fmt::format(R"({{"id":"{:03}","n":{}}})", i, i % 5)));
  ASSERT_TRUE(remove(posts, "007"));
  ASSERT_TRUE(put({project_, kThings, 0}, R"({"id":"t","email":"a@b","owner":"o"})"));
  engine().reopen();
  EXPECT_EQ(must(store().stats(posts)).documents, 49u);
  EXPECT_EQ(count(posts, R"({"n":2})"), 9u);
  EXPECT_EQ(get(posts, "008"), R"({"id":"008","n":3})");
  EXPECT_EQ(ids({project_, kThings, 0}, R"({"email":"a@b"})"), "t");
  EXPECT_EQ(must(store().stats({project_, kThings, 0})).documents, 1u);
  EXPECT_EQ(refusingIndex(put({project_, kThings, 0}, R"({"id":"u","email":"a@b"})")), "email_1");
  ASSERT_TRUE(put(posts, R"({"id":"007","n":2})"));
  EXPECT_EQ(must(store().stats(posts)).documents, 50u);
  EXPECT_GT(must(store().allocateProject()), project_);
  EXPECT_TRUE(engine().problems().empty());
}

}  // namespace mb::store::suite
