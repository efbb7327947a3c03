#include "document/filter_write.h"

#include "document/testing.h"

namespace mb::doc {
namespace {

std::string written(const Filter& filter) {
  std::string text;
  writeJson(text, filterDocument(filter));
  return text;
}

Filter parsed(std::string_view text) {
  auto filter = Filter::parse(fromJson(text));
  EXPECT_TRUE(filter) << text << ": " << (filter ? "" : filter.error().message());
  return filter ? *std::move(filter) : Filter();
}

TEST(FilterWrite, KeepsTheFormInWhichFiltersAreWritten) {
  for (const char* text : {R"({})",
                           R"({"a":1})",
                           R"({"a.b":"x","c":null})",
                           R"({"a":{"b":[1,2]}})",
                           R"({"a":{"$gt":1,"$lte":5}})",
                           R"({"a":{"$eq":1,"$exists":true}})",
                           R"({"a":{"$ne":1}})",
                           R"({"a":{"$nin":[1,2]}})",
                           R"({"a":{"$in":[1,"x"]}})",
                           R"({"a":{"$in":[1,{"$regex":"^b","$options":"i"}]}})",
                           R"({"$or":[{"a":1},{"b":2,"c":3},{}]})",
                           R"({"x":1,"$nor":[{"a":1}],"$or":[{"$or":[{"b":1},{"c":1}]},{"d":2}]})",
                           R"({"a":{"$type":"string"}})",
                           R"({"a":{"$type":["number","object"]}})",
                           R"({"a":{"$type":13}})",
                           R"({"a":{"$all":[1,2]}})",
                           R"({"a":{"$all":[]}})",
                           R"({"a":{"$all":[1,{"$regex":"x"}]}})",
                           R"({"a":{"$all":[{"$elemMatch":{"b":1}},{"$elemMatch":{"$gt":2}}]}})",
                           R"({"a":{"$elemMatch":{"b":1,"$or":[{"c":1},{"d.e":2}]}}})",
                           R"({"a":{"$elemMatch":{"$gt":1,"$ne":3}}})",
                           R"({"a":{"$elemMatch":{}}})",
                           R"({"a":{"$size":2}})",
                           R"({"a":{"$mod":[4,-1]}})",
                           R"({"a":{"$regex":"x"}})",
                           R"({"a":{"$regex":"x","$options":"ms","$exists":true}})",
                           R"({"a":{"$not":{"$gt":1,"$lt":5}}})",
                           R"({"a":{"$not":{"$regex":"x","$options":"i"}}})",
                           R"({"a":{"$not":{"$not":{"$gt":1}}}})",
                           R"({"a":{"$not":{"$elemMatch":{"$in":[1]}}}})"}) {
    EXPECT_EQ(written(parsed(text)), text);
  }
}

TEST(FilterWrite, WritesAnEquivalentForm) {
  const std::vector<std::pair<const char*, const char*>> cases = {
      {R"({"$and":[{"a":1},{"$and":[{"b":2},{"c":3}]}]})", R"({"a":1,"b":2,"c":3})"},
      {R"({"$and":[{"a":{"$gt":1}},{"a":{"$lt":3}}]})", R"({"a":{"$gt":1,"$lt":3}})"},
      {R"({"$and":[{"a":1},{"a":2},{"a":3}]})", R"({"a":1,"$and":[{"a":2},{"a":3}]})"},
      {R"({"$and":[{"$or":[{"a":1}]},{"$or":[{"b":1}]},{"$nor":[{"c":1}]}]})",
       R"({"$or":[{"a":1}],"$nor":[{"c":1}],"$and":[{"$or":[{"b":1}]}]})"},
      {R"({"a":{"$not":{"$eq":1}}})", R"({"a":{"$ne":1}})"},
      {R"({"a":{"$ne":1,"$not":{"$eq":2}}})", R"({"a":{"$ne":1},"$and":[{"a":{"$ne":2}}]})"},
      {R"({"a":{"$elemMatch":{"$ne":1,"$not":{"$eq":2}}}})", R"({"a":{"$elemMatch":{"$ne":1,"$not":{"$eq":2}}}})"},
      {R"({"a":{"$type":["number"]}})", R"({"a":{"$type":"number"}})"},
      {R"({"a":{"$in":[3,1,1]}})", R"({"a":{"$in":[1,3]}})"},
  };
  for (const auto& [text, expected] : cases) {
    EXPECT_EQ(written(parsed(text)), expected);
    EXPECT_EQ(written(parsed(expected)), expected) << "is read as it was written";
  }
}

// Random filters, read back from what was written of them.
class RandomFilters {
 public:
  std::string next() { return conditions(3); }
  std::string document() {
    return fmt::format(R"({{"a":{},"b":{},"c":{{"d":{}}}}})", value(), array(), pick(3) == 0 ? array() : value());
  }

 private:
  unsigned pick(unsigned n) {
    return static_cast<unsigned>((state_ = state_ * 6364136223846793005 + 1442695040888963407) >> 33) % n;
  }
  std::string value() {
    static constexpr std::array<const char*, 7> kValues = {"1", "2", "3", "\"x\"", "\"xy\"", "null", "[1,2]"};
    return kValues[pick(kValues.size())];
  }
  std::string array() { return fmt::format("[{},{{\"e\":{}}},{}]", value(), value(), value()); }
  std::string operators(int depth) {
    switch (pick(depth > 0 ? 12 : 9)) {
      case 0:
        return fmt::format(R"("$gt":{},"$lt":{})", value(), value());
      case 1:
        return fmt::format(R"("$in":[{},{}])", value(), value());
      case 2:
        return fmt::format(R"("$nin":[{},{{"$regex":"y"}}],"$not":{{"$in":[{}]}})", value(), value());
      case 3:
        return fmt::format(R"("$ne":{},"$not":{{"$eq":{}}})", value(), value());
      case 4:
        return fmt::format(R"("$exists":{},"$type":["number","array"])", pick(2) == 0 ? "true" : "false");
      case 5:
        return fmt::format(R"("$all":[{},{{"$regex":"^x"}}])", value());
      case 6:
        return R"("$size":3)";
      case 7:
        return R"("$mod":[2,1])";
      case 8:
        return R"("$regex":"X","$options":"i")";
      case 9:
        return fmt::format(R"("$not":{{{}}})", operators(depth - 1));
      case 10:
        return fmt::format(R"("$elemMatch":{{{}}})", operators(depth - 1));
      default:
        return fmt::format(R"("$elemMatch":{{"e":{{{}}}}})", operators(depth - 1));
    }
  }
  std::string conditions(int depth) {
    static constexpr std::array<const char*, 5> kPaths = {"a", "b", "c.d", "b.e", "b.1.e"};
    static constexpr std::array<const char*, 3> kLogical = {"$and", "$or", "$nor"};
    if (depth > 0 && pick(3) == 0) {
      return fmt::format(R"({{"{}":[{},{}],"{}":{}}})", kLogical[pick(3)], conditions(depth - 1), conditions(depth - 1),
                         kPaths[pick(5)], value());
    }
    const std::string path = kPaths[pick(5)];
    return pick(3) == 0 ? fmt::format(R"({{"{}":{}}})", path, value())
                        : fmt::format(R"({{"{}":{{{}}}}})", path, operators(depth));
  }
  uint64_t state_ = 42;
};

TEST(FilterWrite, MatchesTheSameDocuments) {
  RandomFilters random;
  std::vector<Document> documents;
  for (int i = 0; i < 60; ++i) documents.push_back(fromJson(random.document()));
  size_t matches = 0;
  for (int i = 0; i < 3000; ++i) {
    const std::string text = random.next();
    const Filter filter = parsed(text);
    const Document source = filterDocument(filter);
    const auto again = Filter::parse(source);
    ASSERT_TRUE(again) << text << " -> " << written(filter) << ": " << again.error().message();
    const std::vector<Filter> conditions = conditionsOf(filter);
    for (const Document& document : documents) {
      const bool expected = filter.matches(document);
      matches += expected ? 1 : 0;
      ASSERT_EQ(again->matches(document), expected) << text << " -> " << written(filter);
      ASSERT_EQ(std::ranges::all_of(conditions, [&](const Filter& each) { return each.matches(document); }), expected)
          << text;
    }
  }
  EXPECT_GT(matches, 10'000U);
}

TEST(FilterWrite, ListsConditions) {
  const Filter filter = parsed(R"({"a":{"$gt":1,"$lt":3},"$or":[{"b":1},{"c":1}],"$and":[{"d":1}]})");
  std::vector<std::string> texts;
  for (const Filter& each : conditionsOf(filter)) texts.push_back(each.root().path.dotted() + " " + written(each));
  EXPECT_EQ(texts, (std::vector<std::string>{R"(a {"a":{"$gt":1}})", R"(a {"a":{"$lt":3}})",
                                             R"( {"$or":[{"b":1},{"c":1}]})", R"(d {"d":1})"}));
  EXPECT_TRUE(conditionsOf(Filter()).empty());
}

}  // namespace
}  // namespace mb::doc
