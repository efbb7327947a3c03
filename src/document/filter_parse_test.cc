#include <gtest/gtest.h>

#include "document/filter.h"
#include "document/schema.h"
#include "document/testing.h"

namespace mb::doc {
namespace {

class FilterRefused : public testing::TestWithParam<std::string> {};

TEST_P(FilterRefused, IsAnInvalidFilter) {
  const auto filter = Filter::parse(fromJson(GetParam()));
  ASSERT_FALSE(filter) << GetParam();
  EXPECT_EQ(filter.error().code(), ErrorCode::invalidFilter);
}

INSTANTIATE_TEST_SUITE_P(
    Filters, FilterRefused,
    testing::Values(
        // Unknown operators, and known ones in invalid positions.
        R"({"$where":"1"})", R"({"$expr":{"$gt":[1,2]}})", R"({"$text":{"$search":"x"}})", R"({"$jsonSchema":{}})",
        R"({"$comment":"x"})", R"({"$not":{"a":1}})", R"({"$gt":5})", R"({"$foo":1})", R"({"a":{"$foo":1}})",
        R"({"a":{"$where":"x"}})", R"({"a":{"$function":{}}})", R"({"a":{"$geoWithin":{}}})",
        R"({"a":{"$near":[1,2]}})", R"({"a":{"$and":[{"b":1}]}})", R"({"a":{"$or":[]}})", R"({"a":{"$bitsAllSet":1}})",
        // Operators mixed with fields, or instead of values.
        R"({"a":{"$gt":1,"b":2}})", R"({"a":{"b":2,"$gt":1}})", R"({"a":{"b":{"$gt":1}}})",
        R"({"a":{"$eq":{"$gt":1}}})", R"({"a":{"$in":[{"$gt":1}]}})", R"({"a":[{"$gt":1}]})",
        R"({"a":{"$ne":{"b":[{"$x":1}]}}})", R"({"a":{"$gt":{"$regex":"x"}}})", R"({"a":{"$all":[{"$gt":1}]}})",
        // Malformed arguments.
        R"({"$and":[]})", R"({"$and":{}})", R"({"$and":[1]})", R"({"$or":"x"})", R"({"$nor":[[]]})",
        R"({"a":{"$not":{}}})", R"({"a":{"$not":5}})", R"({"a":{"$not":{"b":1}}})", R"({"a":{"$in":5}})",
        R"({"a":{"$nin":{}}})", R"({"a":{"$all":5}})", R"({"a":{"$all":[{"$elemMatch":{"x":1}},5]}})",
        R"({"a":{"$all":[{"$elemMatch":{"x":1},"y":1}]}})", R"({"a":{"$elemMatch":5}})", R"({"a":{"$elemMatch":[]}})",
        R"({"a":{"$elemMatch":{"$gt":1,"b":1}}})", R"({"a":{"$elemMatch":{"$foo":1}}})", R"({"a":{"$size":-1}})",
        R"({"a":{"$size":1.5}})", R"({"a":{"$size":"1"}})", R"({"a":{"$size":null}})", R"({"a":{"$mod":[4]}})",
        R"({"a":{"$mod":[4,0,0]}})", R"({"a":{"$mod":[0,0]}})", R"({"a":{"$mod":[0.5,0]}})",
        R"({"a":{"$mod":["4",0]}})", R"({"a":{"$mod":[4,null]}})", R"({"a":{"$mod":4}})", R"({"a":{"$mod":[1e300,0]}})",
        R"({"a":{"$mod":[]}})", R"({"a":{"$type":"strin"}})", R"({"a":{"$type":99}})", R"({"a":{"$type":[]}})",
        R"({"a":{"$type":1.5}})", R"({"a":{"$type":null}})", R"({"a":{"$regex":5}})", R"({"a":{"$regex":"("}})",
        R"({"a":{"$regex":"(a)\\1"}})", R"x({"a":{"$regex":"(?=a)"}})x", R"({"a":{"$regex":"a","$options":"g"}})",
        R"({"a":{"$regex":"a","$options":"ii"}})", R"({"a":{"$regex":"a","$options":5}})", R"({"a":{"$options":"i"}})",
        R"({"a":{"$regex":"a\u0000"}})", R"({"a":{"$in":[{"$regex":"("}]}})", R"({"a":{"$in":[{"$regex":"a","b":1}]}})",
        R"({"a":{"$regex":"x{1001}"}})", R"x({"a":{"$regex":"((((x{100}){100}){100}){100})"}})x",
        // Paths.
        R"({"":1})", R"({"a..b":1})", R"({".a":1})", R"({"a.":1})", R"({"a.$b":1})", R"({"a.$":1})",
        R"({"a.0.0.0.0.0.0.0.0.0":1})", R"({"a":{"$elemMatch":{"":1}}})"));

std::string repeated(std::string_view before, std::string_view each, int count, std::string_view after) {
  std::string text(before);
  for (int i = 0; i < count; ++i) {
    if (i > 0) text += ",";
    text += each;
  }
  return text + std::string(after);
}

TEST(FilterLimits, CountConditions) {
  const auto parses = [](const std::string& text) { return Filter::parse(fromJson(text)).has_value(); };
  EXPECT_TRUE(parses(repeated(R"({"$or":[)", R"({"a":1})", 100, "]}")));
  EXPECT_FALSE(parses(repeated(R"({"$or":[)", R"({"a":1})", 101, "]}")));
  EXPECT_FALSE(parses(repeated(R"({"$or":[)", "{}", 101, "]}")));
  EXPECT_TRUE(parses(repeated(R"({"a":{"$in":[)", "1", 1000, "]}}")));
  EXPECT_FALSE(parses(repeated(R"({"a":{"$in":[)", "1", 1001, "]}}")));
  EXPECT_TRUE(parses(repeated(R"({"a":{"$all":[)", "1", 100, "]}}")));
  EXPECT_FALSE(parses(repeated(R"({"a":{"$all":[)", "1", 101, "]}}")));
  EXPECT_FALSE(parses(repeated(R"({"a":{"$in":[)", R"({"$regex":"x"})", 100, "]}}")));
  EXPECT_FALSE(parses(R"({"a":{"$regex":")" + std::string(1001, 'x') + R"("}})"));
  EXPECT_FALSE(parses("{\"" + std::string(1025, 'x') + "\":1}"));
}

TEST(FilterLimits, CountDepth) {
  const auto nested = [](int depth) {
    std::string text = R"({"a":1})";
    for (int i = 1; i < depth; ++i) text = R"({"$and":[)" + text + "]}";
    return Filter::parse(fromJson(text)).has_value();
  };
  EXPECT_TRUE(nested(20));
  EXPECT_FALSE(nested(21));
  std::string negations = R"({"$eq":1})";
  for (int i = 0; i < 20; ++i) negations = R"({"$not":)" + negations + "}";
  EXPECT_FALSE(Filter::parse(fromJson("{\"a\":" + negations + "}")));
  std::string elements = R"({"$eq":1})";
  for (int i = 0; i < 20; ++i) elements = R"({"$elemMatch":)" + elements + "}";
  EXPECT_FALSE(Filter::parse(fromJson("{\"a\":" + elements + "}")));
}

struct Named {
  std::string filter;
  std::vector<std::string> paths;
};

class FilterPaths : public testing::TestWithParam<Named> {};

TEST_P(FilterPaths, AreAllThatConditionsName) {
  const auto filter = Filter::parse(fromJson(GetParam().filter));
  ASSERT_TRUE(filter);
  EXPECT_EQ(filter->paths(), GetParam().paths) << GetParam().filter;
}

INSTANTIATE_TEST_SUITE_P(
    Filters, FilterPaths,
    testing::Values(Named{"{}", {}}, Named{R"({"b":1,"a.c":{"$gt":1,"$lt":2}})", {"a.c", "b"}},
                    Named{R"({"$or":[{"a":1},{"$nor":[{"b":1},{"c":{"$not":{"$ne":1}}}]}]})", {"a", "b", "c"}},
                    Named{R"({"a":{"$elemMatch":{"b":1,"c":{"$elemMatch":{"d":1}}}}})", {"a", "a.b", "a.c", "a.c.d"}},
                    Named{R"({"a":{"$elemMatch":{"$gt":1}}})", {"a"}},
                    Named{R"({"a":{"$all":[{"$elemMatch":{"b":1}},{"$elemMatch":{"c":1}}]}})", {"a", "a.b", "a.c"}},
                    Named{R"({"a":{"$not":{"$elemMatch":{"b":1}}}})", {"a", "a.b"}},
                    Named{R"({"a":{"$in":[{"$regex":"x"}]},"d.0.e":null})", {"a", "d.0.e"}}));

TEST(FilterTree, KeepsListsAscendingAndUnique) {
  const auto filter = Filter::parse(fromJson(R"({"a":{"$in":[3,1,2.0,"x",1,2]}})"));
  ASSERT_TRUE(filter);
  const FilterNode& node = *filter->root().children.front();
  ASSERT_EQ(node.operands.size(), 4u);
  EXPECT_EQ(node.operands[0].view().toInteger(), 1);
  EXPECT_EQ(node.operands[1].view().toInteger(), 2);
  EXPECT_EQ(node.operands[3].view().asString(), "x");
}

struct Prefix {
  std::string pattern;
  std::string options;
  std::string prefix;
};

class PatternPrefix : public testing::TestWithParam<Prefix> {};

TEST_P(PatternPrefix, IsWhatEveryMatchBeginsWith) {
  BsonWriter out;
  out.beginDocument("a");
  out.appendString("$regex", GetParam().pattern);
  out.appendString("$options", GetParam().options);
  out.end();
  const auto filter = Filter::parse(out.finish());
  ASSERT_TRUE(filter);
  EXPECT_EQ(filter->root().children.front()->patterns.front().prefix, GetParam().prefix) << GetParam().pattern;
}

INSTANTIATE_TEST_SUITE_P(
    Patterns, PatternPrefix,
    testing::Values(Prefix{"^abc", "", "abc"}, Prefix{"abc", "", ""}, Prefix{"^abc", "i", ""}, Prefix{"^abc", "m", ""},
                    Prefix{"^abc", "s", "abc"}, Prefix{"^ a b c", "x", "abc"}, Prefix{"^abc?d", "", "ab"},
                    Prefix{"^abc*", "", "ab"}, Prefix{"^abc+", "", "abc"}, Prefix{"^abc{0,2}", "", "ab"},
                    Prefix{"^ab|c", "", ""}, Prefix{"^ab(c|d)", "", "ab"}, Prefix{"^a\\.b", "", "a.b"},
                    Prefix{"^a\\d", "", "a"}, Prefix{"^", "", ""}, Prefix{"^*a", "", ""}, Prefix{"^aä?", "", "a"},
                    Prefix{"^a\\+?", "", "a"}, Prefix{"(?i)^a", "", ""}, Prefix{"^a$", "", "a"},
                    Prefix{"^a.*b", "", "a"}, Prefix{"^x\\Qa|b\\E", "", ""}, Prefix{"^ab[c|d]", "", ""},
                    Prefix{"^SQL", "", "SQL"}, Prefix{"^a\\[b\\|c", "", "a[b|c"}, Prefix{"^\\Aa", "", ""}));

TEST(FilterCoercion, ReadsDatesOfTheServer) {
  const auto filter = Filter::parse(
      fromJson(R"({"createdAt":{"$gte":"2026-01-31T09:30:00Z"},"a":"2026-01-31T09:30:00Z"})"), &defaultCoercion());
  ASSERT_TRUE(filter);
  EXPECT_TRUE(
      filter->matches(fromJson(R"({"createdAt":{"$date":"2026-02-01T00:00:00Z"},"a":"2026-01-31T09:30:00Z"})")));
  EXPECT_FALSE(
      filter->matches(fromJson(R"({"createdAt":{"$date":"2025-02-01T00:00:00Z"},"a":"2026-01-31T09:30:00Z"})")));
}

}  // namespace
}  // namespace mb::doc
