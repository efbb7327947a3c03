// Random documents and filters: with any indexes, a query has the same result as a scan of all documents.
#include <random>
#include <set>

#include "base/testing.h"
#include "store/suite/store_suite.h"

namespace mb::store::suite {

namespace {

class RandomInput {
 public:
  RandomInput(uint64_t seed, bool exactDecimals) : engine_(seed), exactDecimals_(exactDecimals) {}
  int roll(int below) { return static_cast<int>(engine_() % static_cast<uint64_t>(below)); }
  const char* pick(std::initializer_list<const char*> of) { return of.begin()[roll(static_cast<int>(of.size()))]; }

  std::string scalar() {
    switch (roll(9)) {
      case 0:
        return pick({"null", "true", "false"});
      case 1:
        return pick({"1.5", "-2.25", "1e300", "9007199254740993", "9007199254740992", "-0.0"});
      case 2:
        return pick({R"("")", R"("a")", R"("ab")", R"("b\u0000c")", R"("b")"});
      case 3:
        return pick({R"({"$date":"2026-01-01T00:00:00Z"})", R"({"$date":"1969-01-01T00:00:00Z"})"});
      case 4:
        return pick({R"({"$numberDecimal":"1.5"})", exactDecimals_ ? R"({"$numberDecimal":"0.1"})" : "1.5", "0.1"});
      default:
        return std::to_string(roll(6) - 2);
    }
  }
  std::string value(int depth = 0) {
    const int kind = roll(10);
    if (kind == 0 && depth < 2) return fmt::format(R"({{"x":{},"y":{}}})", value(depth + 1), scalar());
    if (kind > 2 || depth > 1) return scalar();
    std::string array = "[";
    for (int i = roll(4); i > 0; --i) array += value(depth + 1) + (i > 1 ? "," : "");
    return array + "]";
  }
  // At most one of a and b is or contains an array, since one index covers both.
  std::string document(int id) {
    std::string text = fmt::format(R"({{"id":"{:03}")", id);
    const bool arrayInA = roll(2) == 0;
    if (roll(5) > 0) text += R"(,"a":)" + (arrayInA ? value() : scalar());
    if (roll(5) > 0) text += R"(,"b":)" + (arrayInA ? scalar() : value());
    if (roll(5) > 0) text += R"(,"c":)" + value();
    // Few single values, whose order an index can yield.
    if (roll(8) > 0) text += fmt::format(R"(,"n":{})", pick({"1", "2", "2.5", "3", "null", R"("n")", R"("no")"}));
    if (roll(8) > 0) text += fmt::format(R"(,"m":{})", roll(4));
    return text + "}";
  }
  std::string condition() {
    switch (roll(12)) {
      case 0:
        return fmt::format(R"({{"$gt":{}}})", scalar());
      case 1:
        return fmt::format(R"({{"$gte":{},"$lt":{}}})", scalar(), scalar());
      case 2:
        return fmt::format(R"({{"$lte":{}}})", scalar());
      case 3:
        return fmt::format(R"({{"$in":[{},{}]}})", scalar(), value());
      case 4:
        return fmt::format(R"({{"$ne":{}}})", scalar());
      case 5:
        return fmt::format(R"({{"$exists":{}}})", pick({"true", "false"}));
      case 6:
        return fmt::format(R"({{"$all":[{},{}]}})", scalar(), scalar());
      case 7:
        return fmt::format(R"({{"$elemMatch":{{"$gte":{},"$lte":{}}}}})", scalar(), scalar());
      case 8:
        return value();
      default:
        return scalar();
    }
  }
  // An object of one to three conditions, $and and $or among them.
  std::string filter(int depth = 0) {
    std::set<std::string> taken;
    std::string text = "{";
    for (int i = 1 + roll(2) + roll(2); i > 0; --i) {
      const bool nested = depth < 2 && roll(4) == 0;
      const char* path = nested ? pick({"$or", "$or", "$or", "$and", "$nor"})
                                : pick({"a", "b", "c", "a", "b", "c.x", "a.x", "c.0", "id", "n", "n", "m"});
      if (!taken.insert(path).second) continue;
      std::string operand = nested ? "[" : conditionOn(path);
      for (int branches = nested ? 1 + roll(3) : 0; branches > 0; --branches) {
        operand += filter(depth + 1) + (branches > 1 ? "," : "");
      }
      text += fmt::format(R"({}"{}":{}{})", text.size() > 1 ? "," : "", path, operand, nested ? "]" : "");
    }
    return text + "}";
  }
  std::string conditionOn(std::string_view path) {
    if (path == "n" && roll(3) == 0) return pick({R"({"$regex":"^n"})", R"({"$regex":"^n.*o"})", R"({"$in":[1,3]})"});
    if (path == "m" && roll(2) == 0) return pick({"1", "2", R"({"$in":[1,2]})", R"({"$gte":2})"});
    if (path == "id" && roll(2) == 0) return pick({R"({"$gt":"040"})", R"({"$lte":"080"})", R"({"$regex":"^0[0-4]"})"});
    return condition();
  }
  std::vector<std::string> include() {
    std::set<std::string> paths;
    for (int i = 1 + roll(4); i > 0; --i) paths.insert(pick({"a", "b", "c", "c.x", "a.x", "c.0", "n", "m", "id", "m"}));
    return {paths.begin(), paths.end()};
  }
  // Of a, b and c only one, since a document may have arrays in two of them, which are not sorted.
  std::vector<SortKey> sort() {
    const char* array = pick({"a", "b", "c"});
    std::vector<SortKey> keys;
    for (int i = 1 + roll(3); i > 0; --i) {
      keys.push_back({pick({"n", "m", "n", "m", array, "id"}), roll(2) == 0 ? 1 : -1});
    }
    return keys;
  }

 private:
  std::mt19937_64 engine_;
  const bool exactDecimals_;
};

uint64_t seeds() {
  return randomCases("MB_SEEDS", 4);
}

std::string textOf(const Query& query) {
  std::string text = fmt::format("skip {} limit {}", query.skip, query.limit);
  for (const SortKey& key : query.sort) text += fmt::format(", {} {}", key.path, key.direction);
  return text;
}

}  // namespace

TEST_P(StoreSuite, QueriesFindTheSameThroughWhateverIndexes) {
  for (uint64_t seed = 1; seed <= seeds(); ++seed) {
    RandomInput random(seed, engine().comparesDecimalsExactly());
    CollectionRef collection = makeCollection(fmt::format("random{}", seed));
    // The same documents without an index: the result of sorting in memory.
    const CollectionRef plain = makeCollection(fmt::format("plain{}", seed));
    std::map<std::string, std::string> model;
    const auto change = [&](int times) {
      for (int i = 0; i < times; ++i) {
        const int id = random.roll(120);
        const std::string document = random.document(id);
        const std::string name = fmt::format("{:03}", id);
        if (random.roll(5) == 0) {
          ASSERT_TRUE(remove(collection, name));
          ASSERT_TRUE(remove(plain, name));
          model.erase(name);
        } else {
          const auto written = put(collection, document);
          ASSERT_TRUE(written) << document << (written ? "" : written.error().message());
          ASSERT_TRUE(put(plain, document));
          model[name] = document;
        }
      }
    };
    change(100);
    IndexSpec sparse = index({{"c", 1}});
    sparse.sparse = true;
    sparse.name = "sparse";
    IndexSpec partial = index({{"b", 1}});
    partial.partialFilter = json(R"({"a":1})");
    partial.name = "partial";
    for (IndexSpec spec :
         {index({{"a", 1}}), index({{"b", -1}, {"a", 1}}), index({{"c.x", 1}}), index({{"c", -1}}), index({{"c.0", 1}}),
          index({{"n", 1}}), index({{"m", -1}, {"n", 1}}), index({{"n", -1}, {"m", -1}, {"a", 1}}), sparse, partial}) {
      spec.covering = random.roll(3) == 0;
      if (!spec.covering && random.roll(3) > 0) spec.include = random.include();
      makeIndex(collection, spec);
    }
    change(100);
    for (int i = 0; i < 300; ++i) {
      const std::string filter = random.filter();
      auto parsed = doc::Filter::parse(json(filter));
      if (!parsed) continue;
      std::string expected;
      uint64_t matches = 0;
      for (const auto& [id, document] : model) {
        if (!parsed->matches(json(document))) continue;
        ++matches;
        expected += (expected.empty() ? "" : " ") + id;
      }
      Query query;
      query.limit = 1000;
      const QueryResult found = find(collection, filter, query);
      EXPECT_EQ(joinIds(found.documents), expected) << filter << " through " << found.explain.index;
      for (const doc::Document& document : found.documents) {
        EXPECT_EQ(document, json(model[std::string(document.view().stringOr("id"))])) << found.explain.index;
      }
      EXPECT_EQ(count(collection, filter), matches) << filter << " through " << found.explain.index;
      Query part;
      part.skip = static_cast<uint64_t>(random.roll(5));
      part.limit = static_cast<uint64_t>(1 + random.roll(20));
      if (random.roll(4) > 0) part.sort = random.sort();
      const QueryResult some = find(collection, filter, part);
      EXPECT_EQ(joinIds(some.documents), ids(plain, filter, part))
          << filter << " " << textOf(part) << " through " << some.explain.index;
      part.projection = Projection::ids;
      const QueryResult named = find(collection, filter, part);
      EXPECT_EQ(joinIds(named.documents), joinIds(some.documents))
          << "ids of " << filter << " " << textOf(part) << " through " << named.explain.index;
      for (const doc::Document& document : named.documents) EXPECT_EQ(document.view().count(), 1u);
      Query keyed;
      keyed.limit = 1'000'000;
      keyed.projection = Projection::unorderedIds;
      const QueryResult unordered = find(collection, filter, keyed);
      std::set<std::string> all;
      for (const doc::Document& document : unordered.documents) all.emplace(document.view().stringOr("id"));
      if (unordered.known) {
        EXPECT_EQ(fmt::format("{}", fmt::join(all, " ")), expected) << filter << " through " << unordered.explain.index;
      } else {
        EXPECT_TRUE(all.empty());
      }
    }
    EXPECT_EQ(engine().problems(), std::vector<std::string>());
  }
}

}  // namespace mb::store::suite
