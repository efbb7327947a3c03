// Paged queries: how much fits, whether there is more, and where to continue.
#include "store/suite/store_suite.h"

namespace mb::store::suite {

namespace {

// Documents of about `kilobytes` each: "d00", "d01", …, with n = i % 4 and m descending.
std::vector<std::string> manyDocuments(int count, size_t kilobytes) {
  std::vector<std::string> jsons;
  for (int i = 0; i < count; ++i) {
    jsons.push_back(fmt::format(R"({{"id":"d{:02}","n":{},"m":{},"text":"{}"}})", i, i % 4, count - i,
                                std::string(kilobytes << 10, 'x')));
  }
  return jsons;
}

Query paged(std::vector<SortKey> sort, uint64_t limit, size_t maxBytes = 16 << 20) {
  Query query;
  query.sort = std::move(sort);
  query.limit = limit;
  query.paged = true;
  query.maxBytes = maxBytes;
  return query;
}

}  // namespace

TEST_P(StoreSuite, APageHoldsWhatFitsAndSaysThatThereIsMore) {
  const CollectionRef posts = makeCollection("posts");
  ASSERT_TRUE(putAll(posts, manyDocuments(20, 8)));
  const QueryResult page = find(posts, "{}", paged({}, 50, 40 << 10));
  EXPECT_EQ(joinIds(page.documents), "d00 d01 d02 d03");
  EXPECT_TRUE(page.more);
  const QueryResult all = find(posts, "{}", paged({}, 50));
  EXPECT_EQ(all.documents.size(), 20u);
  EXPECT_FALSE(all.more);
  // At least one, however small the page.
  const QueryResult one = find(posts, "{}", paged({}, 50, 1));
  EXPECT_EQ(joinIds(one.documents), "d00");
  EXPECT_TRUE(one.more);
  const QueryResult sorted = find(posts, "{}", paged({{"m", 1}}, 50, 40 << 10));
  EXPECT_EQ(joinIds(sorted.documents), "d19 d18 d17 d16");
  EXPECT_TRUE(sorted.more);
}

TEST_P(StoreSuite, AQueryThatIsNotPagedFailsPastItsBytes) {
  const CollectionRef posts = makeCollection("posts");
  ASSERT_TRUE(putAll(posts, manyDocuments(20, 8)));
  for (const std::vector<SortKey>& order : {std::vector<SortKey>(), std::vector<SortKey>{{"m", 1}}}) {
    Query query = paged(order, 50, 40 << 10);
    query.paged = false;
    query.collection = posts;
    query.filter = filterOf("{}");
    query.deadline = soon();
    const auto refused = run(store().find(query));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code(), ErrorCode::payloadTooLarge);
  }
}

TEST_P(StoreSuite, PagesOneAfterAnotherHoldEachDocumentOnce) {
  CollectionRef posts = makeCollection("posts");
  ASSERT_TRUE(putAll(posts, manyDocuments(40, 1)));
  const std::vector<std::vector<SortKey>> orders = {
      {}, {{"id", -1}}, {{"n", 1}}, {{"n", -1}, {"m", 1}}, {{"n", 1}, {"id", -1}}, {{"missing", 1}}, {{"m", 1}}};
  for (const bool indexed : {false, true}) {
    if (indexed) {
      makeIndex(posts, index({{"n", 1}}));
      makeIndex(posts, index({{"m", 1}}));
    }
    for (const std::vector<SortKey>& order : orders) {
      for (const std::string_view filter : {"{}", R"({"n":{"$lt":3}})"}) {
        Query whole = paged(order, 100);
        const std::string expected = joinIds(find(posts, filter, whole).documents);
        std::vector<doc::Document> gathered;
        Query query = paged(order, 7, 5 << 10);
        for (int pages = 0; pages < 50; ++pages) {
          QueryResult page = find(posts, filter, query);
          if (page.documents.empty()) break;
          ASSERT_NE(page.next, "");
          query.after = page.next;
          std::ranges::move(page.documents, std::back_inserter(gathered));
        }
        EXPECT_EQ(joinIds(gathered), expected) << order.size() << " keys, filter " << filter << ", " << indexed;
      }
    }
  }
}

// Descending order of ids, with plans that yield them in another order.
TEST_P(StoreSuite, PagesByDescendingIdContinueWhateverThePlan) {
  CollectionRef posts = makeCollection("posts");
  const std::vector<std::string> names = {"a", "b", "é", "z", "ß", "0", "中", "y", "~"};
  std::vector<std::string> jsons;
  for (const std::string& name : names) jsons.push_back(fmt::format(R"({{"id":"{}","n":1}})", name));
  ASSERT_TRUE(putAll(posts, jsons));
  makeIndex(posts, index({{"n", 1}}));
  for (const std::string& filter : {std::string("{}"), std::string(R"({"n":{"$lt":3}})"),
                                    fmt::format(R"({{"id":{{"$in":["{}"]}}}})", fmt::join(names, "\",\""))}) {
    const std::string expected = joinIds(find(posts, filter, paged({{"id", -1}}, 100)).documents);
    std::vector<doc::Document> gathered;
    Query query = paged({{"id", -1}}, 2);
    for (int pages = 0; pages < 10; ++pages) {
      QueryResult page = find(posts, filter, query);
      if (page.documents.empty()) break;
      query.after = page.next;
      std::ranges::move(page.documents, std::back_inserter(gathered));
    }
    EXPECT_EQ(joinIds(gathered), expected) << filter;
  }
}

TEST_P(StoreSuite, PagesNeitherRepeatNorMissWhatStaysWhileOthersComeAndGo) {
  const CollectionRef posts = makeCollection("posts");
  ASSERT_TRUE(putAll(posts, manyDocuments(20, 1)));
  Query query = paged({{"m", 1}}, 5);
  const QueryResult first = find(posts, "{}", query);
  EXPECT_EQ(joinIds(first.documents), "d19 d18 d17 d16 d15");
  // The last of the page is removed, one is inserted before it and one after it.
  ASSERT_TRUE(remove(posts, "d15"));
  ASSERT_TRUE(put(posts, R"({"id":"before","m":2.5})"));
  ASSERT_TRUE(put(posts, R"({"id":"behind","m":6.5})"));
  query.after = first.next;
  EXPECT_EQ(ids(posts, "{}", query), "d14 behind d13 d12 d11");
}

TEST_P(StoreSuite, APageOfHiddenFieldsIsMeasuredWithoutThem) {
  const CollectionRef posts = makeCollection("posts");
  ASSERT_TRUE(putAll(posts, manyDocuments(20, 8)));
  Query query = paged({{"text", 1}}, 50, 4 << 10);
  query.hidden = std::make_shared<const doc::FieldSet>(doc::FieldSet({"text"}));
  const QueryResult page = find(posts, "{}", query);
  EXPECT_EQ(page.documents.size(), 20u);
  EXPECT_FALSE(page.more);
}

// The place of a page's end is not read from what is left of its last document.
TEST_P(StoreSuite, PagesContinueWhereTheIdIsHidden) {
  const CollectionRef posts = makeCollection("posts");
  ASSERT_TRUE(putAll(posts, manyDocuments(7, 0)));
  const auto hidden = std::make_shared<const doc::FieldSet>(std::vector<std::string>{"id"});
  for (const std::vector<SortKey>& sort : {std::vector<SortKey>{}, {{"id", -1}}, {{"m", 1}}}) {
    size_t seen = 0;
    std::string after;
    for (int page = 0; page < 7; ++page) {
      Query query = paged(sort, 3);
      query.hidden = hidden;
      query.after = after;
      const QueryResult result = find(posts, "{}", std::move(query));
      if (result.documents.empty()) break;
      seen += result.documents.size();
      ASSERT_NE(result.next, after);
      after = result.next;
    }
    EXPECT_EQ(seen, 7u);
  }
}

TEST_P(StoreSuite, APageThatIsTooLargeToBeSortedIsASmallerOne) {
  const CollectionRef posts = makeCollection("posts");
  std::vector<std::string> order;
  for (int i = 0; i < 48; ++i) {
    ASSERT_TRUE(put(
        posts, fmt::format(R"({{"id":"d{:02}","m":{},"text":"{}"}})", i, 100 - i, std::string((1 << 20) - 100, 'x'))));
  }
  Query query = paged({{"m", 1}}, 48);
  int at = 47;
  for (int pages = 0; at >= 0 && pages < 48; ++pages) {
    const QueryResult page = find(posts, "{}", query);
    ASSERT_FALSE(page.documents.empty());
    for (const doc::Document& document : page.documents) {
      EXPECT_EQ(document.view().stringOr("id"), fmt::format("d{:02}", at--));
    }
    query.after = page.next;
  }
  EXPECT_EQ(at, -1);
}

}  // namespace mb::store::suite
