#include <gtest/gtest.h>

#include "document/filter.h"
#include "document/testing.h"

namespace mb::doc {
namespace {

// A filter with documents that match and documents that do not.
struct Match {
  std::string filter;
  std::vector<std::string> takes;
  std::vector<std::string> leaves;
};

class FilterMatch : public testing::TestWithParam<Match> {};

TEST_P(FilterMatch, TakesAndLeaves) {
  const auto& [text, takes, leaves] = GetParam();
  const auto filter = Filter::parse(fromJson(text));
  ASSERT_TRUE(filter) << text << ": " << filter.error().message();
  for (const std::string& document : takes) EXPECT_TRUE(filter->matches(fromJson(document))) << text << document;
  for (const std::string& document : leaves) EXPECT_FALSE(filter->matches(fromJson(document))) << text << document;
}

INSTANTIATE_TEST_SUITE_P(
    Equality, FilterMatch,
    testing::Values(
        Match{"{}", {"{}", R"({"a":1})"}, {}},
        Match{R"({"a":1})",
              {R"({"a":1})", R"({"a":1.0})", R"({"b":0,"a":1})", R"({"a":{"$numberLong":"1"}})",
               R"({"a":{"$numberDecimal":"1.00"}})", R"({"a":[2,1]})"},
              {"{}", R"({"a":2})", R"({"a":"1"})", R"({"a":true})", R"({"a":[[1]]})", R"({"a":{"b":1}})"}},
        Match{
            R"({"a":"x"})", {R"({"a":"x"})", R"({"a":["y","x"]})"}, {R"({"a":"X"})", R"({"a":"xx"})", R"({"a":null})"}},
        Match{R"({"a":null})",
              {R"({"a":null})", "{}", R"({"b":1})", R"({"a":[1,null]})"},
              {R"({"a":0})", R"({"a":""})", R"({"a":[]})", R"({"a":{}})"}},
        Match{R"({"a.b":null})",
              {"{}", R"({"a":{}})", R"({"a":1})", R"({"a":{"b":null}})", R"({"a":[{"b":1},{"c":2}]})"},
              {R"({"a":[]})", R"({"a":[1,2]})", R"({"a":{"b":1}})", R"({"a":[{"b":1}]})"}},
        Match{R"({"a":{"b":1}})",
              {R"({"a":{"b":1}})", R"({"a":{"b":1.0}})", R"({"a":[{"b":1}]})"},
              {R"({"a":{"b":1,"c":1}})", R"({"a":{}})", R"({"a":{"b":2}})"}},
        Match{R"({"a":{"b":1,"c":2}})", {R"({"a":{"b":1,"c":2}})"}, {R"({"a":{"c":2,"b":1}})"}},
        Match{R"({"a":{}})", {R"({"a":{}})", R"({"a":[{}]})"}, {R"({"a":{"b":1}})", "{}"}},
        Match{R"({"a":[1,2]})",
              {R"({"a":[1,2]})", R"({"a":[[1,2],3]})", R"({"a":[1.0,2]})"},
              {R"({"a":[2,1]})", R"({"a":[1,2,3]})", R"({"a":1})"}},
        Match{R"({"a":[]})", {R"({"a":[]})", R"({"a":[[]]})"}, {R"({"a":[1]})", "{}"}},
        Match{R"({"a":true})", {R"({"a":true})"}, {R"({"a":1})", R"({"a":false})"}},
        Match{R"({"a":{"$eq":1}})", {R"({"a":[1]})"}, {R"({"a":2})"}},
        Match{R"({"a":{"$ne":1}})",
              {"{}", R"({"a":2})", R"({"a":[2,3]})", R"({"a":"1"})"},
              {R"({"a":1})", R"({"a":[2,1]})"}},
        Match{R"({"a":{"$ne":null}})", {R"({"a":1})", R"({"a":[]})"}, {"{}", R"({"a":null})", R"({"a":[null]})"}},
        Match{R"({"a":1,"b":2})", {R"({"b":2,"a":1})"}, {R"({"a":1})", R"({"a":1,"b":3})"}},
        Match{R"({"a":{"$date":"2026-01-31T09:30:00Z"}})",
              {R"({"a":{"$date":"2026-01-31T10:30:00+01:00"}})"},
              {R"({"a":"2026-01-31T09:30:00Z"})"}},
        Match{R"({"a.b":5})",
              {R"({"a":{"b":5}})", R"({"a":[{"b":5}]})", R"({"a":[1,{"b":[4,5]}]})", R"({"a":{"b":[5]}})"},
              {R"({"a.b":5})", R"({"a":5})", R"({"a":[[{"b":5}]]})"}},
        Match{R"({"a.0":5})",
              {R"({"a":[5,6]})", R"({"a":{"0":5}})", R"({"a":[1,{"0":5}]})"},
              {R"({"a":[6,5]})", R"({"a":5})", R"({"a":[[5]]})"}},
        Match{R"({"a.0.b":5})", {R"({"a":[{"b":5}]})", R"({"a":{"0":{"b":5}}})"}, {R"({"a":[{"b":6},{"b":5}]})"}}));

INSTANTIATE_TEST_SUITE_P(
    Comparison, FilterMatch,
    testing::Values(
        Match{R"({"a":{"$gt":5}})",
              {R"({"a":6})", R"({"a":5.1})", R"({"a":[1,9]})", R"({"a":{"$numberDecimal":"5.1"}})"},
              {R"({"a":5})", R"({"a":"6"})", R"({"a":null})", "{}", R"({"a":true})", R"({"a":{"b":9}})"}},
        Match{R"({"a":{"$gte":5,"$lt":7}})",
              {R"({"a":5})", R"({"a":6.9})", R"({"a":[1,9]})"},
              {R"({"a":7})", R"({"a":4})"}},
        Match{R"({"a":{"$lt":5}})", {R"({"a":-1e300})"}, {R"({"a":5})", R"({"a":""})", "{}"}},
        Match{R"({"a":{"$lte":"b"}})", {R"({"a":"b"})", R"({"a":"a"})", R"({"a":""})"}, {R"({"a":"c"})", R"({"a":1})"}},
        Match{R"({"a":{"$gte":null}})", {"{}", R"({"a":null})", R"({"a":[null]})"}, {R"({"a":1})", R"({"a":[]})"}},
        Match{R"({"a":{"$lte":null}})", {"{}", R"({"a":null})"}, {R"({"a":0})"}},
        Match{R"({"a":{"$gt":null}})", {}, {"{}", R"({"a":null})", R"({"a":1})"}},
        Match{R"({"a":{"$gt":false}})", {R"({"a":true})"}, {R"({"a":1})", R"({"a":false})"}},
        Match{R"({"a":{"$gt":[1]}})",
              {R"({"a":[1,2]})", R"({"a":[2]})", R"({"a":[[2]]})"},
              {R"({"a":[1]})", R"({"a":2})"}},
        Match{R"({"a":{"$gt":{"b":1}}})", {R"({"a":{"b":2}})", R"({"a":{"c":0}})"}, {R"({"a":{"b":1}})", R"({"a":2})"}},
        Match{R"({"a":{"$gt":9007199254740992}})", {R"({"a":9007199254740993})"}, {R"({"a":9007199254740992.0})"}},
        Match{R"({"a":{"$in":[1,"x",null]}})",
              {R"({"a":1.0})", R"({"a":"x"})", R"({"a":null})", "{}", R"({"a":[5,"x"]})"},
              {R"({"a":2})", R"({"a":"1"})", R"({"a":[]})"}},
        Match{R"({"a":{"$in":[]}})", {}, {"{}", R"({"a":[]})", R"({"a":1})"}},
        Match{R"({"a":{"$in":[[1,2],{"b":1}]}})",
              {R"({"a":[1,2]})", R"({"a":{"b":1}})", R"({"a":[{"b":1}]})"},
              {R"({"a":1})", R"({"a":{"b":1,"c":1}})"}},
        Match{R"({"a":{"$in":[{"$regex":"^ab"},{"$regex":"Z","$options":"i"},7]}})",
              {R"({"a":"abc"})", R"({"a":"xyz"})", R"({"a":["q","abx"]})", R"({"a":7})"},
              {R"({"a":"xab"})", R"({"a":8})"}},
        Match{R"({"a":{"$nin":[1,null]}})", {R"({"a":2})", R"({"a":[]})"}, {R"({"a":1})", "{}", R"({"a":[2,1]})"}},
        Match{R"({"a":{"$nin":[]}})", {"{}", R"({"a":1})"}, {}}));

INSTANTIATE_TEST_SUITE_P(
    Logic, FilterMatch,
    testing::Values(
        Match{R"({"$or":[{"a":1},{"b":2}]})",
              {R"({"a":1})", R"({"b":2})", R"({"a":1,"b":2})"},
              {"{}", R"({"a":2,"b":1})"}},
        Match{R"({"$and":[{"a":{"$gt":1}},{"a":{"$lt":4}}]})",
              {R"({"a":2})", R"({"a":[0,9]})"},
              {R"({"a":1})", R"({"a":4})"}},
        Match{R"({"$nor":[{"a":1},{"b":2}]})", {"{}", R"({"a":2})"}, {R"({"a":1})", R"({"a":3,"b":2})"}},
        Match{R"({"$or":[{"a":1},{}]})", {"{}"}, {}}, Match{R"({"$nor":[{}]})", {}, {"{}"}},
        Match{R"({"$and":[{"$or":[{"a":1},{"a":2}]},{"$nor":[{"b":1}]}]})", {R"({"a":2})"}, {R"({"a":2,"b":1})", "{}"}},
        Match{R"({"a":{"$not":{"$gt":5}}})", {"{}", R"({"a":5})", R"({"a":"x"})"}, {R"({"a":6})", R"({"a":[1,6]})"}},
        Match{R"({"a":{"$not":{"$gt":1,"$lt":5}}})", {R"({"a":7})", "{}"}, {R"({"a":2})"}},
        Match{R"({"a":{"$not":{"$regex":"^x"}}})", {"{}", R"({"a":"yx"})", R"({"a":5})"}, {R"({"a":"xy"})"}},
        Match{R"({"a":{"$not":{"$not":{"$eq":1}}}})", {R"({"a":1})"}, {R"({"a":2})"}},
        Match{R"({"a":{"$not":{"$elemMatch":{"$gt":5}}}})", {"{}", R"({"a":[1]})"}, {R"({"a":[6]})"}}));

INSTANTIATE_TEST_SUITE_P(
    Element, FilterMatch,
    testing::Values(
        Match{R"({"a":{"$exists":true}})", {R"({"a":null})", R"({"a":[]})", R"({"a":1})"}, {"{}", R"({"b":1})"}},
        Match{R"({"a":{"$exists":false}})", {"{}"}, {R"({"a":null})", R"({"a":[]})"}},
        Match{R"({"a":{"$exists":1}})", {R"({"a":1})"}, {"{}"}},
        Match{R"({"a":{"$exists":0}})", {"{}"}, {R"({"a":1})"}},
        Match{R"({"a.b":{"$exists":true}})",
              {R"({"a":[{"b":1}]})", R"({"a":[1,{"b":null}]})"},
              {R"({"a":[]})", R"({"a":[1]})"}},
        Match{R"({"a.b":{"$exists":false}})", {R"({"a":[]})", R"({"a":[{"c":1}]})"}, {R"({"a":[{"b":1},{"c":1}]})"}},
        Match{R"({"a.1":{"$exists":true}})", {R"({"a":[1,2]})"}, {R"({"a":[1]})"}},
        Match{R"({"a":{"$type":"string"}})", {R"({"a":"x"})", R"({"a":[1,"x"]})"}, {R"({"a":1})", "{}"}},
        Match{R"({"a":{"$type":2}})", {R"({"a":"x"})"}, {R"({"a":1})"}},
        Match{R"({"a":{"$type":"number"}})",
              {R"({"a":1})", R"({"a":1.5})", R"({"a":5000000000})", R"({"a":{"$numberDecimal":"1"}})"},
              {R"({"a":"1"})"}},
        Match{R"({"a":{"$type":"int"}})", {R"({"a":1})"}, {R"({"a":1.0})", R"({"a":5000000000})"}},
        Match{R"({"a":{"$type":["null","bool",18]}})",
              {R"({"a":null})", R"({"a":false})", R"({"a":5000000000})"},
              {"{}", R"({"a":1})"}},
        Match{R"({"a":{"$type":"array"}})", {R"({"a":[]})", R"({"a":[1]})", R"({"a":[[]]})"}, {R"({"a":1})"}},
        Match{R"({"a":{"$type":"object"}})", {R"({"a":{}})", R"({"a":[{}]})"}, {R"({"a":[1]})"}},
        Match{R"({"a":{"$type":["date","objectId","binData","decimal"]}})",
              {R"({"a":{"$date":0}})", R"({"a":{"$oid":"0123456789abcdef01234567"}})", R"({"a":{"$binary":"AQ=="}})",
               R"({"a":{"$numberDecimal":"1"}})"},
              {R"({"a":"x"})"}},
        Match{R"({"a":{"$type":"symbol"}})", {}, {"{}", R"({"a":"x"})"}},
        Match{R"({"a":{"$type":-1}})", {}, {R"({"a":1})"}},
        Match{R"({"a":{"$mod":[4,0]}})",
              {R"({"a":8})", R"({"a":0})", R"({"a":4.5})", R"({"a":[3,4]})", R"({"a":{"$numberDecimal":"4.9"}})"},
              {R"({"a":5})", R"({"a":"4"})", "{}", R"({"a":1e300})", R"({"a":{"$numberDecimal":"1E+100"}})"}},
        Match{R"({"a":{"$mod":[4,-1]}})", {R"({"a":-5})"}, {R"({"a":3})"}},
        Match{R"({"a":{"$mod":[-1,0]}})", {R"({"a":-9223372036854775808})"}, {}},
        Match{R"({"a":{"$mod":[2.9,1.9]}})", {R"({"a":3})"}, {R"({"a":2})"}},
        Match{R"({"a":{"$regex":"^ab.c$"}})",
              {R"({"a":"abxc"})", R"({"a":["q","ab1c"]})"},
              {R"({"a":"abc"})", R"({"a":"ABxC"})", R"({"a":5})", "{}"}},
        Match{R"({"a":{"$regex":"b","$options":"i"}})", {R"({"a":"aBc"})"}, {R"({"a":"ac"})"}},
        Match{R"({"a":{"$options":"m","$regex":"^b"}})", {R"({"a":"a\nb"})"}, {R"({"a":"ab"})"}},
        Match{R"({"a":{"$regex":"^b"}})", {R"({"a":"b"})"}, {R"({"a":"a\nb"})"}},
        Match{R"({"a":{"$regex":"a.b"}})", {R"({"a":"axb"})"}, {R"({"a":"a\nb"})"}},
        Match{R"({"a":{"$regex":"a.b","$options":"s"}})", {R"({"a":"a\nb"})"}, {R"({"a":"ab"})"}},
        Match{R"({"a":{"$regex":"a b [ #]\\ c # comment\nd","$options":"x"}})",
              {R"({"a":"ab  cd"})", R"({"a":"ab# cd"})"},
              {R"({"a":"a b   c d"})"}},
        Match{R"({"a":{"$regex":"^ä.ü$"}})", {R"({"a":"äöü"})"}, {R"({"a":"äöxü"})"}},
        Match{R"({"a":{"$regex":"^a","$ne":"ab"}})", {R"({"a":"ac"})"}, {R"({"a":"ab"})", R"({"a":"b"})"}}));

INSTANTIATE_TEST_SUITE_P(
    Arrays, FilterMatch,
    testing::Values(
        Match{R"({"a":{"$size":2}})",
              {R"({"a":[1,2]})", R"({"a":[[],[]]})"},
              {R"({"a":[1]})", "{}", R"({"a":{"0":1,"1":1}})"}},
        Match{R"({"a":{"$size":0}})", {R"({"a":[]})"}, {"{}", R"({"a":null})"}},
        Match{R"({"a.b":{"$size":2.0}})", {R"({"a":[{"b":[1,2]}]})"}, {R"({"a":[{"b":[1]}]})"}},
        Match{R"({"a":{"$all":[1,2]}})", {R"({"a":[2,3,1]})"}, {R"({"a":[1]})", R"({"a":1})", "{}"}},
        Match{R"({"a":{"$all":[1]}})", {R"({"a":1})", R"({"a":[1]})"}, {R"({"a":[[1]]})"}},
        Match{R"({"a":{"$all":[]}})", {}, {"{}", R"({"a":[]})", R"({"a":[1]})"}},
        Match{R"({"a":{"$all":[[1,2]]}})", {R"({"a":[1,2]})", R"({"a":[[1,2]]})"}, {R"({"a":[2,1]})"}},
        Match{R"({"a":{"$all":[null]}})", {"{}", R"({"a":[null]})"}, {R"({"a":1})"}},
        Match{R"({"a.b":{"$all":[1,2]}})", {R"({"a":[{"b":1},{"b":2}]})"}, {R"({"a":[{"b":1}]})"}},
        Match{
            R"({"a":{"$all":[{"$regex":"^x"},"y"]}})", {R"({"a":["xx","y"]})"}, {R"({"a":["y"]})", R"({"a":["xx"]})"}},
        Match{R"({"a":{"$all":[{"$elemMatch":{"x":1,"y":2}},{"$elemMatch":{"x":2}}]}})",
              {R"({"a":[{"x":1,"y":2},{"x":2}]})"},
              {R"({"a":[{"x":1,"y":3},{"x":2}]})", R"({"a":[{"x":1,"y":2}]})"}},
        Match{R"({"a":{"$elemMatch":{"$gt":10,"$lte":20}}})",
              {R"({"a":[4,17]})"},
              {R"({"a":[4,33]})", R"({"a":17})", "{}"}},
        Match{R"({"a":{"$elemMatch":{"x":1,"y":{"$gt":5}}}})",
              {R"({"a":[{"x":1,"y":6}]})", R"({"a":[3,{"x":[1],"y":9}]})"},
              {R"({"a":[{"x":1,"y":2},{"x":2,"y":9}]})", R"({"a":{"x":1,"y":6}})"}},
        Match{R"({"a":{"$elemMatch":{"$or":[{"x":1},{"y":1}]}}})", {R"({"a":[{"y":1}]})"}, {R"({"a":[{"z":1}]})"}},
        Match{R"({"a":{"$elemMatch":{}}})", {R"({"a":[{}]})", R"({"a":[[]]})"}, {R"({"a":[]})", R"({"a":[1]})"}},
        Match{
            R"({"a":{"$elemMatch":{"$elemMatch":{"$gt":1}}}})", {R"({"a":[[2]]})"}, {R"({"a":[2]})", R"({"a":[[1]]})"}},
        Match{R"({"a":{"$elemMatch":{"$size":1}}})", {R"({"a":[[2]]})"}, {R"({"a":[2]})"}},
        Match{R"({"a":{"$elemMatch":{"$eq":1}}})", {R"({"a":[1]})"}, {R"({"a":[[1]]})"}},
        Match{R"({"a":{"$elemMatch":{"$ne":1}}})", {R"({"a":[1,2]})"}, {R"({"a":[1]})", R"({"a":[]})"}},
        Match{R"({"a":{"$elemMatch":{"$in":[1,2],"$exists":true}}})", {R"({"a":[2]})"}, {R"({"a":[3]})"}},
        Match{R"({"a":{"$elemMatch":{"$not":{"$gt":5}}}})", {R"({"a":[4,9]})"}, {R"({"a":[9]})"}},
        Match{R"({"a":{"$elemMatch":{"$exists":false}}})", {}, {R"({"a":[1]})", "{}"}},
        Match{R"({"a":{"$elemMatch":{"$all":[1]}}})", {R"({"a":[1]})"}, {R"({"a":[[1]]})", R"({"a":[2]})"}},
        Match{R"({"a":{"$elemMatch":{"0":5}}})", {R"({"a":[[5]]})", R"({"a":[{"0":5}]})"}, {R"({"a":[5]})"}},
        Match{R"({"a.b":{"$elemMatch":{"c":1}}})", {R"({"a":[{"b":[{"c":1}]}]})"}, {R"({"a":[{"b":{"c":1}}]})"}},
        Match{R"({"a":{"$elemMatch":{"b":null}}})", {R"({"a":[{"c":1}]})"}, {R"({"a":[{"b":1}]})", R"({"a":[]})"}}));

TEST(Filter, BothNeedsBoth) {
  const Filter a = Filter::parse(fromJson(R"({"a":1})")).value();
  const Filter either = Filter::parse(fromJson(R"({"$or":[{"b":1},{"c":1}]})")).value();
  const Filter both = Filter::both(a, either);
  EXPECT_TRUE(both.matches(fromJson(R"({"a":1,"c":1})")));
  EXPECT_FALSE(both.matches(fromJson(R"({"a":1})")));
  EXPECT_FALSE(both.matches(fromJson(R"({"b":1})")));
  EXPECT_TRUE(Filter::both(Filter(), Filter()).matchesAll());
  EXPECT_EQ(&Filter::both(Filter(), a).root(), &a.root());
}

TEST(Filter, EqualsFindsAField) {
  const Value value = valueFromJson("\"x\"");
  for (const Filter& filter : {Filter::equals("a.b", value), Filter::equals("a.b", "x")}) {
    EXPECT_TRUE(filter.matches(fromJson(R"({"a":{"b":"x"}})")));
    EXPECT_FALSE(filter.matches(fromJson(R"({"a":{"b":"y"}})")));
    EXPECT_FALSE(filter.matchesAll());
  }
}

// A document that can be walked in two ways at each step must not cost more than its size and the limit allow.
TEST(Filter, NumericStepsStayCheap) {
  std::string document = "1";
  for (int i = 0; i < 40; ++i) document = R"([{"0":)" + document + "}]";
  const auto filter = Filter::parse(fromJson(R"({"a.0.0.0.0.0.0.0.0":5})"));
  ASSERT_TRUE(filter);
  EXPECT_FALSE(filter->matches(fromJson("{\"a\":" + document + "}")));
}

}  // namespace
}  // namespace mb::doc
