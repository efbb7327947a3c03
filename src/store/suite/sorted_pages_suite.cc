// Pages in the order of sort keys: compared with a plain sort of all documents, while others change, and their cost.
#include <random>
#include <set>

#include "base/testing.h"
#include "store/plain_sort.h"
#include "store/suite/store_suite.h"

namespace mb::store::suite {

namespace {

class PageRandom {
 public:
  PageRandom(uint64_t seed, bool exactDecimals) : engine_(seed), exactDecimals_(exactDecimals) {}
  int below(int limit) { return static_cast<int>(engine_() % static_cast<uint64_t>(limit)); }
  const char* pick(std::initializer_list<const char*> of) { return of.begin()[below(static_cast<int>(of.size()))]; }

  std::string single() {
    switch (below(8)) {
      case 0:
        return pick({"null", "true", "false"});
      case 1:
        return pick({"1.5", "-2.25", "9007199254740993", "9007199254740992", "9223372036854775807", "-0.0"});
      case 2:
        return pick({R"("")", R"("a")", R"("ab")", R"("b\u0000c")", R"("b")", R"("ä")"});
      case 3:
        return pick({R"({"$date":"2026-01-01T00:00:00Z"})", R"({"x":1})", R"({"x":[1,{"y":null}]})", "{}"});
      case 4:
        return pick({R"({"$numberDecimal":"1.5"})", exactDecimals_ ? R"({"$numberDecimal":"0.1"})" : "1.5", "0.1"});
      case 5:
        return below(4) > 0 ? "1" : '"' + std::string(600, 'l') + pick({"", "a", "b"}) + '"';
      default:
        return std::to_string(below(4));
    }
  }
  std::string several() {
    std::string array = "[";
    for (int i = below(4); i > 0; --i) array += single() + (i > 1 ? "," : "");
    return array + "]";
  }
  std::string value() { return below(3) == 0 ? several() : single(); }
  // Arrays in at most one of a and b, which one index covers; n and m have few single values, so that many are equal.
  std::string document(const std::string& id) {
    std::string text = fmt::format(R"({{"id":"{}")", id);
    const bool arrayInA = below(2) == 0;
    if (below(5) > 0) text += R"(,"a":)" + (arrayInA ? value() : single());
    if (below(5) > 0) text += R"(,"b":)" + (arrayInA ? single() : value());
    if (below(4) > 0) text += fmt::format(R"(,"c":{{"x":{}}})", single());
    if (below(4) == 0) {
      text += below(6) == 0 ? R"(,"d":[])"
                            : fmt::format(R"(,"d":[{{"x":{},"y":{}}},{{"y":{}}}])", single(), single(), single());
    }
    if (below(8) > 0) text += fmt::format(R"(,"n":{})", pick({"1", "2", "2.5", "3", "null", R"("n")"}));
    if (below(8) > 0) text += fmt::format(R"(,"m":{})", below(4));
    return text + fmt::format(R"(,"u":{}}})", std::stoi(id) * 7 % 101);
  }
  std::vector<SortKey> sort() {
    std::vector<SortKey> keys;
    std::set<std::string> taken;
    for (int i = 1 + below(3); i > 0; --i) {
      const char* path = pick({"n", "m", "n", "m", "u", "a", "b", "c.x", "d.x", "d.y", "id"});
      if (taken.insert(path).second) keys.push_back({path, below(2) == 0 ? 1 : -1});
    }
    return keys;
  }
  std::string filter() {
    return pick({"{}", "{}", R"({"m":1})", R"({"m":{"$in":[1,2]}})", R"({"n":{"$gte":2}})", R"({"n":2})",
                 R"({"$or":[{"m":1},{"n":2}]})", R"({"m":{"$in":[0,1,2]},"n":{"$in":[1,2.5,null]}})",
                 R"({"a":{"$gt":0}})", R"({"id":{"$gt":"050"}})", R"({"u":{"$lt":60}})", R"({"a":1})",
                 R"({"$or":[{"m":1,"n":2},{"m":2},{"u":{"$lt":20}}]})"});
  }

 private:
  std::mt19937_64 engine_;
  const bool exactDecimals_;
};

uint64_t pageSeeds() {
  return randomCases("MB_SEEDS", 4);
}

std::string textOf(std::string_view filter, const std::vector<SortKey>& sort) {
  std::string text(filter);
  for (const SortKey& key : sort) text += fmt::format(", {} {}", key.path, key.direction);
  return text;
}

// Indexes that serve whole sorts, their first keys, ranges of them, and none.
std::vector<IndexSpec> pageIndexes() {
  IndexSpec covering = index({{"n", 1}, {"m", 1}});
  covering.covering = true;
  IndexSpec holding = index({{"m", 1}, {"n", -1}, {"u", 1}});
  holding.include = {"a"};
  return {index({{"a", 1}}),
          index({{"b", -1}, {"a", 1}}),
          index({{"c.x", 1}}),
          index({{"n", 1}}),
          index({{"m", -1}, {"n", 1}}),
          index({{"n", -1}, {"m", -1}}),
          covering,
          holding,
          uniqueIndex({{"u", 1}}),
          uniqueIndex({{"m", -1}, {"u", -1}})};
}

Query pageOf(const std::vector<SortKey>& sort, uint64_t limit, const std::string& after) {
  Query query;
  query.sort = sort;
  query.limit = limit;
  query.paged = true;
  query.seesMore = true;
  query.after = after;
  return query;
}

}  // namespace

TEST_P(StoreSuite, PagesEqualAPlainSortThroughWhateverIndexes) {
  for (uint64_t seed = 1; seed <= pageSeeds(); ++seed) {
    PageRandom random(seed, engine().comparesDecimalsExactly());
    project_ = must(store().allocateProject());
    CollectionRef collection = makeCollection("pages");
    std::vector<doc::Document> all;
    for (int i = 0; i < 100; ++i) {
      const std::string document = random.document(fmt::format("{:03}", i));
      ASSERT_TRUE(put(collection, document));
      all.push_back(json(document));
    }
    for (const bool indexed : {false, true}) {
      for (const IndexSpec& each : pageIndexes()) {
        if (indexed) makeIndex(collection, each);
      }
      for (int i = 0; i < 100; ++i) {
        const std::vector<SortKey> sort = random.sort();
        const std::string filter = random.filter();
        const std::string named = textOf(filter, sort);
        std::vector<doc::Document> matching;
        for (const doc::Document& each : all) {
          if (filterOf(filter).matches(each)) matching.push_back(each);
        }
        const auto expected = sortDocuments(sort, std::move(matching));
        const auto limit = static_cast<uint64_t>(1 + random.below(12));
        std::string after;
        size_t at = 0;
        while (true) {
          Query query = pageOf(sort, limit, after);
          query.collection = collection;
          query.filter = filterOf(filter);
          query.deadline = soon();
          const auto page = run(store().find(std::move(query)));
          if (!expected) {
            // Where an index yields the order of the first keys, the page that reaches the document fails.
            if (!page) EXPECT_EQ(page.error().code(), ErrorCode::validation) << named;
            if (!page) break;
            ASSERT_TRUE(page->more) << named;
            after = page->next;
            continue;
          }
          ASSERT_TRUE(page) << named << ": " << page.error().message();
          const size_t end = std::min<size_t>(at + limit, expected->size());
          ASSERT_EQ(page->documents.size(), end - at) << named << " through " << page->explain.index;
          for (const doc::Document& document : page->documents) {
            ASSERT_EQ(document.view().stringOr("id"), (*expected)[at++].document.view().stringOr("id"))
                << named << " through " << page->explain.index;
          }
          ASSERT_EQ(page->more, at < expected->size()) << named << " through " << page->explain.index;
          if (!page->more) break;
          after = page->next;
        }
      }
    }
    EXPECT_EQ(engine().problems(), std::vector<std::string>());
  }
}

// Odd documents stay; the others change, are removed and are inserted between the pages.
TEST_P(StoreSuite, PagesHoldWhatStaysOnceWhileOthersMove) {
  for (uint64_t seed = 1; seed <= pageSeeds(); ++seed) {
    PageRandom random(seed + 1000, engine().comparesDecimalsExactly());
    CollectionRef collection = makeCollection(fmt::format("moving{}", seed));
    std::vector<doc::Document> staying;
    const auto move = [&](int times) {
      for (int i = 0; i < times; ++i) {
        const std::string id = fmt::format("{:03}", random.below(60) * 2);
        if (random.below(4) == 0) {
          ASSERT_TRUE(remove(collection, id));
        } else {
          ASSERT_TRUE(put(collection, random.document(id)));
        }
      }
    };
    for (int i = 1; i < 100; i += 2) {
      const std::string document = random.document(fmt::format("{:03}", i));
      ASSERT_TRUE(put(collection, document));
      staying.push_back(json(document));
    }
    move(50);
    // Not the unique ones, for which the moved documents would clash.
    for (const IndexSpec& each : pageIndexes()) {
      if (!each.unique) makeIndex(collection, each);
    }
    for (int walk = 0; walk < 25; ++walk) {
      const std::vector<SortKey> sort = random.sort();
      const std::string filter = random.filter();
      std::vector<doc::Document> matching;
      for (const doc::Document& each : staying) {
        if (filterOf(filter).matches(each)) matching.push_back(each);
      }
      const auto sorted = sortDocuments(sort, std::move(matching));
      if (!sorted) continue;
      std::string expected;
      for (const SortedDocument& each : *sorted) {
        expected += std::string(each.document.view().stringOr("id")) + " ";
      }
      std::string seen;
      std::string after;
      bool more = true;
      while (more) {
        Query query = pageOf(sort, static_cast<uint64_t>(1 + random.below(9)), after);
        query.collection = collection;
        query.filter = filterOf(filter);
        query.deadline = soon();
        const auto page = run(store().find(std::move(query)));
        if (!page) {  // a document that came has the keys in two arrays
          ASSERT_EQ(page.error().code(), ErrorCode::validation) << page.error().message();
          break;
        }
        for (const doc::Document& document : page->documents) {
          const std::string id(document.view().stringOr("id"));
          if (std::stoi(id) % 2 == 1) seen += id + " ";
        }
        more = page->more;
        after = page->next;
        move(random.below(4));
      }
      if (!more) EXPECT_EQ(seen, expected) << textOf(filter, sort);
    }
  }
}

TEST_P(StoreSuite, ALatePageInTheOrderOfAnIndexCostsWhatTheFirstDoes) {
  if (!engine().plansQueries()) GTEST_SKIP() << "the plans are the server's";
  CollectionRef posts = makeCollection("posts");
  std::vector<std::string> jsons;
  for (int i = 0; i < 3000; ++i) {
    jsons.push_back(fmt::format(R"({{"id":"d{:04}","n":{},"m":{},"k":{}}})", i, i * 7 % 1000, i % 3, i % 500));
    if (jsons.size() == 100) {
      ASSERT_TRUE(putAll(posts, std::move(jsons)));
      jsons.clear();
    }
  }
  for (IndexSpec spec : {index({{"n", 1}}), index({{"m", 1}, {"k", 1}}), index({{"m", 1}, {"n", -1}}),
                         uniqueIndex({{"k", 1}, {"n", 1}, {"m", 1}})}) {
    makeIndex(posts, std::move(spec));
  }
  struct Case {
    const char* filter;
    std::vector<SortKey> sort;
  };
  const Case cases[] = {
      {"{}", {{"n", 1}}},
      {"{}", {{"n", -1}}},
      {"{}", {{"n", 1}, {"id", 1}}},
      {"{}", {{"n", -1}, {"id", -1}}},
      {"{}", {{"m", 1}, {"k", 1}}},
      {"{}", {{"m", -1}, {"k", -1}}},
      {"{}", {{"m", -1}, {"n", 1}}},
      {R"({"m":1})", {{"k", 1}}},
      {R"({"m":1})", {{"m", 1}, {"k", -1}}},
      {R"({"m":{"$in":[0,2]}})", {{"k", 1}}},
      {R"({"m":{"$in":[0,2]}})", {{"m", 1}, {"k", 1}}},
      {R"({"$or":[{"m":0},{"m":2}]})", {{"k", 1}}},
      {"{}", {{"k", 1}, {"n", 1}, {"m", 1}}},
      {"{}", {{"k", -1}, {"n", -1}, {"m", -1}}},
      {"{}", {{"n", 1}, {"k", 1}}},  // the first key alone; three documents have one value
  };
  for (const Case& each : cases) {
    const std::string named = textOf(each.filter, each.sort);
    uint64_t first = 0;
    uint64_t most = 0;
    size_t seen = 0;
    std::string after;
    bool more = true;
    for (int pages = 0; more && pages < 400; ++pages) {
      const QueryResult page = find(posts, each.filter, pageOf(each.sort, 20, after));
      const uint64_t cost = page.explain.keysExamined + page.explain.documentsExamined;
      if (pages == 0) first = cost;
      most = std::max(most, cost);
      seen += page.documents.size();
      more = page.more;
      after = page.next;
    }
    EXPECT_EQ(seen, count(posts, each.filter)) << named;
    EXPECT_LE(most, first + 8) << named;
    EXPECT_LE(first, 250u) << named;
  }
}

// Positions alone are kept where the documents that precede the page are too large together.
TEST_P(StoreSuite, ManyLargeDocumentsAreSkippedInMemory) {
  const CollectionRef posts = makeCollection("posts");
  for (int i = 0; i < 70; ++i) {
    ASSERT_TRUE(put(
        posts, fmt::format(R"({{"id":"d{:02}","m":{},"text":"{}"}})", i, 100 - i, std::string((1 << 20) - 100, 'x'))));
  }
  Query query = pageOf({{"m", 1}}, 3, "");
  query.skip = 60;
  const QueryResult page = find(posts, "{}", query);
  EXPECT_EQ(joinIds(page.documents), "d09 d08 d07");
  EXPECT_TRUE(page.more);
  Query next = pageOf({{"m", 1}}, 10, page.next);
  const QueryResult last = find(posts, "{}", next);
  EXPECT_EQ(joinIds(last.documents), "d06 d05 d04 d03 d02 d01 d00");
  EXPECT_FALSE(last.more);
}

TEST_P(StoreSuite, PositionsThatAreTooManyForMemoryAreRefused) {
  if (!engine().plansQueries()) GTEST_SKIP() << "the memory of sorts is the server's";
  const CollectionRef posts = makeCollection("posts");
  for (int i = 0; i < 70; ++i) {
    ASSERT_TRUE(put(posts, fmt::format(R"({{"id":"d{:02}","text":"{}{}"}})", i, std::string((1 << 20) - 100, 'x'), i)));
  }
  Query query = pageOf({{"text", 1}}, 3, "");
  query.skip = 60;
  query.collection = posts;
  query.deadline = soon();
  const auto refused = run(store().find(std::move(query)));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::payloadTooLarge);
}

TEST_P(StoreSuite, APositionOfAnotherOrderIsRefused) {
  const CollectionRef posts = makeCollection("posts");
  ASSERT_TRUE(put(posts, R"({"id":"a","n":1,"m":"text"})"));
  for (const std::string_view after :
       {std::string_view("a"), std::string_view("\x20text", 5), std::string_view("\x18", 1)}) {
    Query query = pageOf({{"n", 1}, {"m", 1}}, 3, std::string(after));
    query.collection = posts;
    query.deadline = soon();
    const auto refused = run(store().find(std::move(query)));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code(), ErrorCode::invalidParam);
  }
}

TEST_P(StoreSuite, PagesKeepTheFieldsThatAreAskedFor) {
  const CollectionRef posts = makeCollection("posts");
  for (int i = 0; i < 6; ++i) {
    ASSERT_TRUE(
        put(posts, fmt::format(R"({{"id":"d{}","n":{},"a":{{"b":1,"c":2}},"l":[{{"b":1,"c":{}}}],"text":"{}"}})", i,
                               6 - i, i, std::string(8 << 10, 'x'))));
  }
  for (const std::vector<SortKey>& sort : {std::vector<SortKey>{}, {{"id", -1}}, {{"n", 1}}}) {
    Query query = pageOf(sort, 2, "");
    query.fields = std::make_shared<const doc::FieldSet>(std::vector<std::string>{"a.b", "l.c"});
    query.hidden = std::make_shared<const doc::FieldSet>(std::vector<std::string>{"l"});
    query.maxBytes = 4 << 10;
    size_t seen = 0;
    for (bool more = true; more;) {
      const QueryResult page = find(posts, "{}", query);
      for (const doc::Document& each : page.documents) EXPECT_EQ(text(each), R"({"a":{"b":1}})");
      seen += page.documents.size();
      more = page.more;
      query.after = page.next;
    }
    EXPECT_EQ(seen, 6u);
  }
}

}  // namespace mb::store::suite
