#include "document/update.h"

#include "base/work_budget.h"
#include "document/testing.h"

namespace mb::doc {
namespace {

constexpr Timestamp kNow{1769851800000};  // 2026-01-31T09:30:00Z

struct Change {
  std::string before;
  std::string update;
  std::string after;
};

class UpdateApply : public testing::TestWithParam<Change> {};

TEST_P(UpdateApply, GivesTheDocument) {
  const auto& [before, text, after] = GetParam();
  const auto update = Update::parse(fromJson(text));
  ASSERT_TRUE(update) << text << ": " << update.error().message();
  const auto document = update->apply(fromJson(before), kNow);
  ASSERT_TRUE(document) << text << before << ": " << document.error().message();
  EXPECT_EQ(toJson(*document), after) << text << before;
  EXPECT_TRUE(Document::fromUntrusted(document->bytes())) << text << before;
}

INSTANTIATE_TEST_SUITE_P(
    Fields, UpdateApply,
    testing::Values(
        Change{R"({"a":1,"b":2,"c":3})", R"({"$set":{"b":5}})", R"({"a":1,"b":5,"c":3})"},
        Change{R"({"a":1})", R"({"$set":{"z":1,"y":[1,{"k":2}]}})", R"({"a":1,"y":[1,{"k":2}],"z":1})"},
        Change{"{}", R"({"$set":{"b":1,"10":1,"9":1,"a":1}})", R"({"9":1,"10":1,"a":1,"b":1})"},
        Change{R"({"a":{"b":1,"c":2}})", R"({"$set":{"a.c":3,"a.d":4}})", R"({"a":{"b":1,"c":3,"d":4}})"},
        Change{"{}", R"({"$set":{"a.b.c":1}})", R"({"a":{"b":{"c":1}}})"},
        Change{"{}", R"({"$set":{"a.0":1}})", R"({"a":{"0":1}})"},
        Change{R"({"a":[1,2,3]})", R"({"$set":{"a.1":9}})", R"({"a":[1,9,3]})"},
        Change{R"({"a":[1]})", R"({"$set":{"a.3":9}})", R"({"a":[1,null,null,9]})"},
        Change{R"({"a":[1]})", R"({"$set":{"a.1":8,"a.10":10,"a.2":9}})",
               R"({"a":[1,8,9,null,null,null,null,null,null,null,10]})"},
        Change{R"({"a":[]})", R"({"$set":{"a.1.b":9}})", R"({"a":[null,{"b":9}]})"},
        Change{R"({"a":[{"b":1},{"b":2}]})", R"({"$set":{"a.1.b":9,"a.0.c":1}})", R"({"a":[{"b":1,"c":1},{"b":9}]})"},
        Change{R"({"a":[[1,2],[3]]})", R"({"$set":{"a.0.1":9}})", R"({"a":[[1,9],[3]]})"},
        Change{R"({"a":1})", R"({"$set":{"a":{"$date":0}}})", R"({"a":"1970-01-01T00:00:00.000Z"})"},
        Change{R"({"a":1,"b":2})", R"({"$unset":{"a":""}})", R"({"b":2})"},
        Change{R"({"a":{"b":1,"c":2}})", R"({"$unset":{"a.b":"","x.y.z":""}})", R"({"a":{"c":2}})"},
        Change{R"({"a":[1,2,3]})", R"({"$unset":{"a.1":""}})", R"({"a":[1,null,3]})"},
        Change{R"({"a":[1]})", R"({"$unset":{"a.5":"","a.b":""}})", R"({"a":[1]})"},
        Change{R"({"a":5})", R"({"$unset":{"a.b":""}})", R"({"a":5})"},
        Change{R"({"a":5,"b":5,"c":"x"})", R"({"$min":{"a":3,"b":9,"c":1,"d":7}})", R"({"a":3,"b":5,"c":1,"d":7})"},
        Change{R"({"a":5,"b":5,"c":1})", R"({"$max":{"a":3,"b":9,"c":"x","d":7}})", R"({"a":5,"b":9,"c":"x","d":7})"},
        Change{R"({"a":5})", R"({"$min":{"a":5.0}})", R"({"a":5})"},
        Change{R"({"a":1})", R"({"$currentDate":{"a":true,"b.c":{"$type":"date"}}})",
               R"({"a":"2026-01-31T09:30:00.000Z","b":{"c":"2026-01-31T09:30:00.000Z"}})"},
        Change{"{}", R"({"$currentDate":{"a":{"$type":"timestamp"},"b":false}})",
               R"~({"a":"Timestamp(1769851800, 1)","b":"2026-01-31T09:30:00.000Z"})~"},
        Change{R"({"a":1})", R"({"$set":{},"$rename":{},"$push":{}})", R"({"a":1})"},
        Change{R"({"a":1})", R"({"$setOnInsert":{"a":2,"b.c":3}})", R"({"a":1})"},
        Change{R"({"a":1})", R"({"$setOnInsert":{"a.b":3}})", R"({"a":1})"},
        Change{R"({"a":1,"b":2})", R"({"$rename":{"a":"c"}})", R"({"b":2,"c":1})"},
        Change{R"({"a":1,"b":2})", R"({"$rename":{"a":"b"}})", R"({"b":1})"},
        Change{R"({"a":{"b":[1,{"x":1}]}})", R"({"$rename":{"a.b":"c.d"}})", R"({"a":{},"c":{"d":[1,{"x":1}]}})"},
        Change{R"({"a":1})", R"({"$rename":{"x":"y.z","q.r":"s"}})", R"({"a":1})"},
        Change{R"({"a":1,"x":{"y":1}})", R"({"$set":{"b":2},"$inc":{"x.y":1},"$unset":{"a":1}})",
               R"({"x":{"y":2},"b":2})"}));

INSTANTIATE_TEST_SUITE_P(
    Numbers, UpdateApply,
    testing::Values(
        Change{R"({"a":1})", R"({"$inc":{"a":2,"b":-3,"c.d":1.5}})", R"({"a":3,"b":-3,"c":{"d":1.5}})"},
        Change{R"({"a":2147483647})", R"({"$inc":{"a":1}})", R"({"a":2147483648})"},
        Change{R"({"a":1})", R"({"$inc":{"a":0.5}})", R"({"a":1.5})"},
        Change{R"({"a":{"$numberDecimal":"0.1"}})", R"({"$inc":{"a":{"$numberDecimal":"0.2"}}})", R"({"a":"0.3"})"},
        Change{R"({"a":{"$numberDecimal":"1.5"}})", R"({"$inc":{"a":1}})", R"({"a":"2.5"})"},
        Change{R"({"a":0.1})", R"({"$inc":{"a":{"$numberDecimal":"0.2"}}})", R"({"a":"0.3"})"},
        Change{R"({"a":{"$numberDecimal":"1"}})", R"({"$inc":{"a":0.30000000000000004}})", R"({"a":"1.3"})"},
        Change{R"({"a":{"$numberDecimal":"1"}})", R"({"$mul":{"a":1e20}})", R"({"a":"1.00000000000000E+20"})"},
        Change{R"({"a":3})", R"({"$mul":{"a":2.5,"b":7,"c":1.5}})", R"({"a":7.5,"b":0,"c":0})"},
        Change{R"({"a":65536})", R"({"$mul":{"a":65536}})", R"({"a":4294967296})"},
        Change{R"({"a":[1,2]})", R"({"$inc":{"a.1":5}})", R"({"a":[1,7]})"},
        Change{R"({"a":29})", R"({"$bit":{"a":{"and":11}}})", R"({"a":9})"},
        Change{R"({"a":9})", R"({"$bit":{"a":{"or":4},"b":{"xor":6}}})", R"({"a":13,"b":6})"},
        Change{R"({"a":12})", R"({"$bit":{"a":{"and":4,"or":1}}})", R"({"a":5})"},
        Change{R"({"a":1})", R"({"$bit":{"a":{"xor":{"$numberLong":"4294967296"}}}})", R"({"a":4294967297})"}));

INSTANTIATE_TEST_SUITE_P(
    Arrays, UpdateApply,
    testing::Values(
        Change{R"({"a":[1]})", R"({"$push":{"a":2,"b":3}})", R"({"a":[1,2],"b":[3]})"},
        Change{R"({"a":[1]})", R"({"$push":{"a":[2,3]}})", R"({"a":[1,[2,3]]})"},
        Change{R"({"a":[1]})", R"({"$push":{"a":{"$each":[2,3]}}})", R"({"a":[1,2,3]})"},
        Change{"{}", R"({"$push":{"a":{"$each":[]}}})", R"({"a":[]})"},
        Change{R"({"a":[1,2,3]})", R"({"$push":{"a":{"$each":[9],"$position":0}}})", R"({"a":[9,1,2,3]})"},
        Change{R"({"a":[1,2,3]})", R"({"$push":{"a":{"$each":[9,8],"$position":-1}}})", R"({"a":[1,2,9,8,3]})"},
        Change{R"({"a":[1,2]})", R"({"$push":{"a":{"$each":[9],"$position":-7}}})", R"({"a":[9,1,2]})"},
        Change{R"({"a":[1,2]})", R"({"$push":{"a":{"$each":[9],"$position":70}}})", R"({"a":[1,2,9]})"},
        Change{R"({"a":[1,2]})", R"({"$push":{"a":{"$each":[9],"$position":-9223372036854775808}}})",
               R"({"a":[9,1,2]})"},
        Change{R"({"a":["p"]})", R"({"$push":{"a":{"$each":["q","r"],"$slice":-2}}})", R"({"a":["q","r"]})"},
        Change{R"({"a":["p"]})", R"({"$push":{"a":{"$each":["q","r"],"$slice":2}}})", R"({"a":["p","q"]})"},
        Change{R"({"a":["p"]})", R"({"$push":{"a":{"$each":[1],"$slice":0}}})", R"({"a":[]})"},
        Change{R"({"a":["p"]})", R"({"$push":{"a":{"$each":[1],"$slice":-9223372036854775808}}})", R"({"a":["p",1]})"},
        Change{R"({"a":[7,-2,7.5]})", R"({"$push":{"a":{"$each":[0,7],"$sort":1}}})", R"({"a":[-2,0,7,7,7.5]})"},
        Change{R"({"a":[3,"x",null]})", R"({"$push":{"a":{"$each":[1.5],"$sort":-1}}})", R"({"a":["x",3,1.5,null]})"},
        Change{R"({"a":[{"k":"x","n":4},{"k":"y","n":9}]})",
               R"({"$push":{"a":{"$each":[{"k":"a","n":4},{"k":"b","n":1}],"$sort":{"n":-1,"k":1},"$slice":3}}})",
               R"({"a":[{"k":"y","n":9},{"k":"a","n":4},{"k":"x","n":4}]})"},
        Change{R"({"a":[{"b":{"c":2}},5,{"b":{"c":1}}]})", R"({"$push":{"a":{"$each":[],"$sort":{"b.c":1}}}})",
               R"({"a":[5,{"b":{"c":1}},{"b":{"c":2}}]})"},
        Change{R"({"a":[{"b":[2]},{"b":[1]},{"b":0}]})", R"({"$push":{"a":{"$each":[],"$sort":{"b.0":1}}}})",
               R"({"a":[{"b":0},{"b":[1]},{"b":[2]}]})"},
        Change{R"({"a":[1,2]})", R"({"$addToSet":{"a":2,"b":1}})", R"({"a":[1,2],"b":[1]})"},
        Change{R"({"a":[1,{"x":1,"y":2}]})", R"({"$addToSet":{"a":{"$each":[1.0,{"x":1,"y":2},{"y":2,"x":1},3,3]}}})",
               R"({"a":[1,{"x":1,"y":2},{"y":2,"x":1},3]})"},
        Change{R"({"a":["x"]})", R"({"$addToSet":{"a":["x"]}})", R"({"a":["x",["x"]]})"},
        Change{R"({"a":[2,2]})", R"({"$addToSet":{"a":{"$each":[3,1]}}})", R"({"a":[2,2,3,1]})"},
        Change{R"({"a":[1,2,3]})", R"({"$pop":{"a":1}})", R"({"a":[1,2]})"},
        Change{R"({"a":[1,2,3]})", R"({"$pop":{"a":-1,"b":1}})", R"({"a":[2,3]})"},
        Change{R"({"a":[]})", R"({"$pop":{"a":1}})", R"({"a":[]})"},
        Change{R"({"a":[1,2,1.0,"1",[1]]})", R"({"$pull":{"a":1}})", R"({"a":[2,"1",[1]]})"},
        Change{R"({"a":[1,5,8,"x"]})", R"({"$pull":{"a":{"$gte":5}}})", R"({"a":[1,"x"]})"},
        Change{R"({"a":["oak","elm","ash"]})", R"({"$pull":{"a":{"$in":["oak","ash","fir"]}}})", R"({"a":["elm"]})"},
        Change{R"({"a":["ab","cb"]})", R"({"$pull":{"a":{"$regex":"^a"}}})", R"({"a":["cb"]})"},
        Change{R"({"a":[{"t":"m","n":1},{"t":"k","n":2,"x":0},3]})", R"({"$pull":{"a":{"n":2,"t":"k"}}})",
               R"({"a":[{"t":"m","n":1},3]})"},
        Change{R"({"a":[{"b":1},{"b":2}]})", R"({"$pull":{"a":{"$or":[{"b":2},{"b":3}]}}})", R"({"a":[{"b":1}]})"},
        Change{R"({"a":[{"b":[1,2]},{"b":[3]}]})", R"({"$pull":{"a":{"b":{"$elemMatch":{"$gt":2}}}}})",
               R"({"a":[{"b":[1,2]}]})"},
        Change{R"({"a":[[1,2],[2,1]]})", R"({"$pull":{"a":[1,2]}})", R"({"a":[[2,1]]})"},
        Change{R"({"a":["x",7,7.0,"y"]})", R"({"$pullAll":{"a":[7,"x",null]}})", R"({"a":["y"]})"},
        Change{R"({"a":[1]})", R"({"$pullAll":{"a":[],"b":[1]},"$pull":{"c.d":1}})", R"({"a":[1]})"},
        Change{R"({"a":[1,2]})", R"({"$inc":{"a.$[]":10}})", R"({"a":[11,12]})"},
        Change{R"({"a":[{"b":[1]},{"b":[2,3]}]})", R"({"$inc":{"a.$[].b.$[]":1}})", R"({"a":[{"b":[2]},{"b":[3,4]}]})"},
        Change{R"({"a":[{"b":1},{"b":2}]})", R"({"$set":{"a.$[].c":0},"$unset":{"a.$[].b":1}})",
               R"({"a":[{"c":0},{"c":0}]})"},
        Change{R"({"a":[]})", R"({"$set":{"a.$[].c":0}})", R"({"a":[]})"}));

// Updates that are invalid whatever the document.
class UpdateRefused : public testing::TestWithParam<std::string> {};

TEST_P(UpdateRefused, IsInvalid) {
  const auto update = Update::parse(fromJson(GetParam()));
  ASSERT_FALSE(update) << GetParam();
  EXPECT_EQ(update.error().code(), ErrorCode::invalidUpdate);
}

INSTANTIATE_TEST_SUITE_P(
    Updates, UpdateRefused,
    testing::Values("{}", R"({"a":1})", R"({"$set":{"a":1},"b":1})", R"({"$set":5})", R"({"$set":[1]})",
                    R"({"$foo":{"a":1}})", R"({"$where":{"a":1}})", R"({"$pushAll":{"a":[1]}})",
                    // Paths.
                    R"({"$set":{"":1}})", R"({"$set":{"a..b":1}})", R"({"$set":{".a":1}})", R"({"$set":{"a.":1}})",
                    R"({"$set":{"$a":1}})", R"({"$set":{"a.$b":1}})", R"({"$set":{"$[]":1}})",
                    R"({"$set":{"$[].a":1}})", R"({"$set":{"a.$":1}})", R"({"$set":{"a.$[x]":1}})",
                    R"({"$set":{"a.$[":1}})", R"({"$set":{"a.b$[]..c":1}})",
                    R"({"$set":{"a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a":1}})",
                    // Conflicts.
                    R"({"$set":{"a":1,"a.b":2}})", R"({"$set":{"a.b":2,"a":1}})", R"({"$set":{"a":1},"$inc":{"a":1}})",
                    R"({"$set":{"a.b":1},"$unset":{"a":1}})", R"({"$set":{"a.$[].b":1,"a.0.b":1}})",
                    R"({"$set":{"a.$[]":1,"a":1}})", R"({"$rename":{"a":"a"}})", R"({"$rename":{"a":"a.b"}})",
                    R"({"$rename":{"a.b":"a"}})", R"({"$rename":{"a":"b"},"$set":{"b":1}})",
                    R"({"$rename":{"a":"b"},"$set":{"a.c":1}})", R"({"$rename":{"a":"c","b":"c"}})",
                    // Values that must not be stored.
                    R"({"$set":{"a":{"$b":1}}})", R"({"$set":{"a":[{"b.c":1}]}})", R"({"$set":{"a":{"":1}}})",
                    R"({"$push":{"a":{"$b":1}}})", R"({"$push":{"a":{"$each":[{"$b":1}]}}})",
                    R"({"$addToSet":{"a":{"b":{"c.d":1}}}})", R"({"$min":{"a":{"$x":1}}})",
                    R"({"$setOnInsert":{"a":{"x.y":1}}})", R"({"$push":{"a":{"$slice":1}}})",
                    // Arguments.
                    R"({"$inc":{"a":"1"}})", R"({"$inc":{"a":null}})", R"({"$mul":{"a":[2]}})",
                    R"({"$bit":{"a":{"and":1.5}}})", R"({"$bit":{"a":{"nand":1}}})", R"({"$bit":{"a":{}}})",
                    R"({"$bit":{"a":5}})", R"({"$currentDate":{"a":1}})", R"({"$currentDate":{"a":{"$type":"time"}}})",
                    R"({"$currentDate":{"a":{"$type":"date","x":1}}})", R"({"$rename":{"a":5}})",
                    R"({"$rename":{"a":""}})", R"({"$rename":{"a":"b.$[]"}})", R"({"$rename":{"a.$[]":"b"}})",
                    R"({"$rename":{"a":"$b"}})", R"({"$push":{"a":{"$each":5}}})",
                    R"({"$push":{"a":{"$each":[1],"$slice":"1"}}})", R"({"$push":{"a":{"$each":[1],"$slice":1.5}}})",
                    R"({"$push":{"a":{"$each":[1],"$position":null}}})", R"({"$push":{"a":{"$each":[1],"$sort":2}}})",
                    R"({"$push":{"a":{"$each":[1],"$sort":{"x":0}}}})", R"({"$push":{"a":{"$each":[1],"$sort":{}}}})",
                    R"({"$push":{"a":{"$each":[1],"$sort":{"x..y":1}}}})", R"({"$push":{"a":{"$each":[1],"$foo":1}}})",
                    R"({"$push":{"a":{"$each":[1],"x":1}}})", R"({"$addToSet":{"a":{"$each":5}}})",
                    R"({"$addToSet":{"a":{"$each":[1],"$slice":1}}})", R"({"$pop":{"a":2}})", R"({"$pop":{"a":"1"}})",
                    R"({"$pullAll":{"a":5}})", R"({"$pull":{"a":{"$foo":1}}})", R"({"$pull":{"a":{"b":{"$where":1}}}})",
                    R"({"$pull":{"a":{"$regex":"("}}})"));

// Updates that are invalid for these documents.
struct Clash {
  std::string before;
  std::string update;
  std::string names;  // text that the message must hold
};

class UpdateClash : public testing::TestWithParam<Clash> {};

TEST_P(UpdateClash, IsInvalidForTheDocument) {
  const auto& [before, text, names] = GetParam();
  const auto update = Update::parse(fromJson(text));
  ASSERT_TRUE(update) << text << ": " << update.error().message();
  const auto document = update->apply(fromJson(before), kNow);
  ASSERT_FALSE(document) << text << before << toJson(*document);
  EXPECT_EQ(document.error().code(), ErrorCode::invalidUpdate);
  EXPECT_NE(document.error().message().find(names), std::string::npos) << document.error().message();
}

INSTANTIATE_TEST_SUITE_P(
    Updates, UpdateClash,
    testing::Values(
        Clash{R"({"a":5})", R"({"$set":{"a.b":1}})", "a.b"}, Clash{R"({"a":null})", R"({"$set":{"a.b":1}})", "a.b"},
        Clash{R"({"a":{"b":"x"}})", R"({"$set":{"a.b.c.d":1}})", "a.b"},
        Clash{R"({"a":[1]})", R"({"$set":{"a.b":1}})", "a.b"}, Clash{R"({"a":[1]})", R"({"$set":{"a.00":1}})", "a.00"},
        Clash{R"({"a":[1]})", R"({"$set":{"a.-1":1}})", "a.-1"},
        Clash{R"({"a":[1]})", R"({"$set":{"a.0.b":1}})", "a.0"},
        Clash{R"({"a":[1]})", R"({"$set":{"a.1502":1}})", "1500"},
        Clash{R"({"a":[1]})", R"({"$set":{"a.99999999999999999999":1}})", "a.99999999999999999999"},
        Clash{R"({"a":"x"})", R"({"$inc":{"a":1}})", "\"a\""}, Clash{R"({"a":null})", R"({"$inc":{"a":1}})", "null"},
        Clash{R"({"a":9223372036854775807})", R"({"$inc":{"a":1}})", "too large"},
        Clash{R"({"a":9223372036854775807})", R"({"$mul":{"a":2}})", "too large"},
        Clash{R"({"a":1e308})", R"({"$mul":{"a":10}})", "too large"},
        Clash{R"({"a":{"$numberDecimal":"9E+6144"}})", R"({"$mul":{"a":10}})", "too large"},
        Clash{R"({"a":1.5})", R"({"$bit":{"a":{"or":1}}})", "\"a\""},
        Clash{R"({"a":"x"})", R"({"$bit":{"a":{"or":1}}})", "\"a\""},
        Clash{R"({"a":5})", R"({"$push":{"a":1}})", "\"a\""}, Clash{R"({"a":null})", R"({"$push":{"a":1}})", "\"a\""},
        Clash{R"({"a":{}})", R"({"$addToSet":{"a":1}})", "\"a\""}, Clash{R"({"a":1})", R"({"$pop":{"a":1}})", "\"a\""},
        Clash{R"({"a":1})", R"({"$pull":{"a":1}})", "\"a\""}, Clash{R"({"a":1})", R"({"$pullAll":{"a":[1]}})", "\"a\""},
        Clash{R"({"a":1})", R"({"$pull":{"a.b":1}})", "a.b"}, Clash{R"({"a":1})", R"({"$pop":{"a.b":1}})", "a.b"},
        Clash{R"({"a":[1]})", R"({"$rename":{"a.0":"b"}})", "a.0"},
        Clash{R"({"a":[{"c":1}],"b":1})", R"({"$rename":{"b":"a.0.c"}})", "a.0.c"},
        Clash{R"({"a":1})", R"({"$rename":{"a.b":"c"}})", "a.b"},
        Clash{R"({"a":1,"b":2})", R"({"$rename":{"a":"b.c"}})", "b.c"},
        Clash{"{}", R"({"$unset":{"a.$[].b":1}})", "a.$[]"}, Clash{"{}", R"({"$pull":{"a.b.$[]":1}})", "a.b.$[]"},
        Clash{R"({"a":1})", R"({"$unset":{"a.b.$[]":1}})", "a.b.$[]"},
        Clash{R"({"a":[]})", R"({"$unset":{"a.0.$[]":1}})", "a.0.$[]"},
        Clash{"{}", R"({"$set":{"a.$[].b":1}})", "a.$[]"}, Clash{R"({"a":1})", R"({"$set":{"a.$[]":1}})", "a.$[]"},
        Clash{R"({"a":{}})", R"({"$set":{"a.$[]":1}})", "a.$[]"},
        Clash{R"({"a":[1,{}]})", R"({"$set":{"a.$[].b":1}})", "a.$[]"}));

TEST(Update, PromotesNumbersAsItMust) {
  const auto type = [](const char* before, const char* text) {
    const auto update = Update::parse(fromJson(text));
    return update->apply(fromJson(before), kNow)->view().find("a")->type();
  };
  EXPECT_EQ(type(R"({"a":1})", R"({"$inc":{"a":1}})"), BsonType::int32);
  EXPECT_EQ(type(R"({"a":1})", R"({"$inc":{"a":{"$numberLong":"1"}}})"), BsonType::int64);
  EXPECT_EQ(type(R"({"a":{"$numberLong":"1"}})", R"({"$inc":{"a":1}})"), BsonType::int64);
  EXPECT_EQ(type(R"({"a":2147483647})", R"({"$inc":{"a":1}})"), BsonType::int64);
  EXPECT_EQ(type(R"({"a":1})", R"({"$inc":{"a":1.0}})"), BsonType::real);
  EXPECT_EQ(type(R"({"a":1.0})", R"({"$mul":{"a":{"$numberDecimal":"2"}}})"), BsonType::decimal);
  EXPECT_EQ(type("{}", R"({"$mul":{"a":{"$numberLong":"2"}}})"), BsonType::int64);
  EXPECT_EQ(type("{}", R"({"$mul":{"a":2.5}})"), BsonType::real);
  EXPECT_EQ(type("{}", R"({"$bit":{"a":{"or":2}}})"), BsonType::int32);
}

TEST(Update, SetsOnInsertOnlyThen) {
  const auto update = Update::parse(fromJson(R"({"$setOnInsert":{"a":2,"b.c":3},"$set":{"d":1}})"));
  ASSERT_TRUE(update);
  EXPECT_EQ(toJson(*update->apply(fromJson(R"({"a":1})"), kNow, true)), R"({"a":2,"b":{"c":3},"d":1})");
}

TEST(Update, SetWrapsFields) {
  const auto update = Update::set(fromJson(R"({"a":1,"b.c":2})"));
  ASSERT_TRUE(update);
  EXPECT_EQ(toJson(*update->apply(fromJson("{}"), kNow)), R"({"a":1,"b":{"c":2}})");
  EXPECT_EQ(update->paths(), (std::vector<std::string>{"a", "b.c"}));
  EXPECT_EQ(toJson(*Update::set(Document())->apply(fromJson(R"({"a":1})"), kNow)), R"({"a":1})");
  EXPECT_FALSE(Update::set(fromJson(R"({"$inc":{"a":1}})")));
}

TEST(Update, NamesItsPathsWithoutPositionalSteps) {
  const auto update =
      Update::parse(fromJson(R"({"$set":{"a.$[].b":1,"c.0.d":1},"$rename":{"x":"y.z"},"$setOnInsert":{"i":1}})"));
  ASSERT_TRUE(update);
  EXPECT_EQ(update->paths(), (std::vector<std::string>{"a.b", "c.0.d", "x", "y.z", "i"}));
}

TEST(Update, KeepsTheArrayFromGrowingTheDocumentWithoutBound) {
  std::string elements = "0";
  for (int i = 0; i < 20000; ++i) elements += ",0";
  const auto update = Update::parse(fromJson(R"({"$set":{"a.$[]":")" + std::string(10000, 'x') + R"("}})"));
  ASSERT_TRUE(update);
  const auto document = update->apply(fromJson("{\"a\":[" + elements + "]}"), kNow);
  ASSERT_FALSE(document);
  EXPECT_EQ(document.error().code(), ErrorCode::payloadTooLarge);
}

TEST(Update, HandlesManyFieldsAndElementsQuickly) {
  std::string fields;
  std::string elements;
  for (int i = 0; i < 30000; ++i) {
    fields += fmt::format("{}\"f{}\":1", i ? "," : "", i);
    elements += fmt::format("{}{}", i ? "," : "", i);
  }
  const auto set = Update::parse(fromJson("{\"$set\":{" + fields + "}}"));
  ASSERT_TRUE(set);
  EXPECT_EQ(set->apply(fromJson("{\"f5\":0}"), kNow)->view().count(), 30000u);
  const auto add = Update::parse(fromJson("{\"$addToSet\":{\"a\":{\"$each\":[" + elements + ",-1]}}}"));
  ASSERT_TRUE(add);
  EXPECT_EQ(add->apply(fromJson("{\"a\":[" + elements + "]}"), kNow)->view().find("a")->asDocument().count(), 30001u);
}

TEST(Update, RefusesWhatCostsTooMuch) {
  std::string fields;
  std::string elements;
  std::string renames;
  for (int i = 0; i < 30000; ++i) {
    fields += fmt::format("{}\"f{}\":1", i ? "," : "", i);
    elements += fmt::format("{}{{\"a\":{}}}", i ? "," : "", i);
    if (i >= 29000) renames += fmt::format("{}\"f{}\":\"g{}\"", i > 29000 ? "," : "", i, i);
  }
  const Document before = fromJson("{" + fields + "}");
  for (const std::string& text :
       {"{\"$rename\":{" + renames + "}}", R"({"$addToSet":{"a":{"$each":[)" + elements + "]}}}"}) {
    const auto update = Update::parse(fromJson(text));
    ASSERT_TRUE(update);
    EXPECT_TRUE(update->apply(before, kNow));
    const WorkBudget work(kCoreWork);
    const auto after = update->apply(before, kNow);
    ASSERT_FALSE(after) << text.substr(0, 50);
    EXPECT_EQ(after.error().code(), ErrorCode::queryTooCostly);
  }
}

TEST(Update, FindsEachOfManyPaths) {
  std::string fields;
  std::string paths;
  std::string expected;
  for (int i = 0; i < 100; ++i) {
    fields += fmt::format("{}\"f{}\":{}", i ? "," : "", i, i);
    expected += fmt::format("{}\"f{}\":{}", i ? "," : "", i, i % 2 ? i : -i);
    if (i % 2 == 0) paths += fmt::format("{}\"f{}\":{}", i ? "," : "", 98 - i, i - 98);
  }
  const auto update = Update::parse(fromJson("{\"$set\":{" + paths + "}}"));
  ASSERT_TRUE(update);
  EXPECT_EQ(toJson(*update->apply(fromJson("{" + fields + "}"), kNow)), "{" + expected + "}");
}

TEST(Update, RefusesValuesThatWouldNestTooDeeply) {
  const auto parses = [](const std::string& path, int depth) {
    std::string value = "1";
    for (int i = 0; i < depth; ++i) value = "{\"a\":" + value + "}";
    const auto source = parseJson(R"({"$set":{")" + path + "\":" + value + "}}", {.maxDepth = 200});
    return Update::parse(*source).has_value();
  };
  EXPECT_TRUE(parses("a", 99));
  EXPECT_FALSE(parses("a", 100));
  EXPECT_TRUE(parses("a.b", 98));
  EXPECT_FALSE(parses("a.b", 99));
}

// Positional steps.
Filter filterOf(std::string_view text) {
  return Filter::parse(fromJson(text)).value();
}

struct Positional {
  std::string before;
  std::string update;
  std::string query;
  std::vector<std::pair<std::string, std::string>> filters;
  std::string after;  // "" if the update is invalid for the document
};

class UpdatePositional : public testing::TestWithParam<Positional> {};

TEST_P(UpdatePositional, ChangesTheRightElements) {
  const Positional& given = GetParam();
  UpdateOptions options;
  options.positional = true;
  const Filter query = filterOf(given.query);
  options.query = &query;
  for (const auto& [name, filter] : given.filters) options.arrayFilters.emplace_back(name, filterOf(filter));
  const auto update = Update::parse(fromJson(given.update), options);
  ASSERT_TRUE(update) << update.error().message();
  const auto document = update->apply(fromJson(given.before), kNow);
  if (given.after.empty()) {
    ASSERT_FALSE(document);
    EXPECT_EQ(document.error().code(), ErrorCode::invalidUpdate);
    return;
  }
  ASSERT_TRUE(document) << document.error().message();
  EXPECT_EQ(toJson(*document), given.after);
  EXPECT_TRUE(Document::fromUntrusted(document->bytes()));
}

INSTANTIATE_TEST_SUITE_P(
    Updates, UpdatePositional,
    testing::Values(
        Positional{
            R"({"a":["p","q","q"]})", R"({"$set":{"a.$":"z"}})", R"({"x":1,"a":"q"})", {}, R"({"a":["p","z","q"]})"},
        Positional{R"({"a":[{"k":"p","n":1},{"k":"q","n":1}]})",
                   R"({"$inc":{"a.$.n":4}})",
                   R"({"a.k":"q"})",
                   {},
                   R"({"a":[{"k":"p","n":1},{"k":"q","n":5}]})"},
        Positional{R"({"a":[{"k":1,"n":9},{"k":9,"n":1},{"k":9,"n":9}]})",
                   R"({"$unset":{"a.$.k":1}})",
                   R"({"a":{"$elemMatch":{"k":{"$gt":5},"n":{"$gt":5}}}})",
                   {},
                   R"({"a":[{"k":1,"n":9},{"k":9,"n":1},{"n":9}]})"},
        Positional{R"({"x":{"a":[1,2]}})", R"({"$set":{"x.a.$":9}})", R"({"x.a":2})", {}, R"({"x":{"a":[1,9]}})"},
        Positional{R"({"a":[1,2]})", R"({"$set":{"a.$":9}})", R"({"b":1})", {}, ""},
        Positional{R"({"a":[1,2,3]})", R"({"$set":{"a.$":9,"a.0":7,"a.3":8}})", R"({"a":2})", {}, R"({"a":[7,9,3,8]})"},
        Positional{R"({"a":[{"k":1},{"k":2}]})",
                   R"({"$set":{"a.$.x":9,"a.1.y":7}})",
                   R"({"a.k":2})",
                   {},
                   R"({"a":[{"k":1},{"k":2,"x":9,"y":7}]})"},
        Positional{R"({"a":[1,2]})", R"({"$set":{"a.$":9,"a.1":7}})", R"({"a":2})", {}, ""},
        Positional{R"({"a":[1,2]})", R"({"$setOnInsert":{"b.$[].c":9}})", "{}", {}, ""},
        Positional{R"({"a":[-3,4,-1]})",
                   R"({"$set":{"a.$[low]":0}})",
                   "{}",
                   {{"low", R"({"low":{"$lt":0}})"}},
                   R"({"a":[0,4,0]})"},
        Positional{R"({"a":[{"k":"p"},{"k":"q"}]})",
                   R"({"$set":{"a.$[e].seen":true}})",
                   "{}",
                   {{"e", R"({"e.k":{"$ne":"p"}})"}},
                   R"({"a":[{"k":"p"},{"k":"q","seen":true}]})"},
        Positional{R"({"a":[{"l":[1,6]},{"l":[7]}]})",
                   R"({"$mul":{"a.$[].l.$[s]":10}})",
                   "{}",
                   {{"s", R"({"s":{"$gt":5}})"}},
                   R"({"a":[{"l":[1,60]},{"l":[70]}]})"},
        Positional{R"({"a":[{"x":1,"y":1}]})",
                   R"({"$set":{"a.$[i].x":5,"a.$[j].y":6}})",
                   "{}",
                   {{"i", R"({"i.x":1})"}, {"j", R"({"j.y":1})"}},
                   R"({"a":[{"x":5,"y":6}]})"},
        Positional{R"({"a":[{"x":1,"y":1}]})",
                   R"({"$set":{"a.$[i].x":5,"a.$[j].x":6}})",
                   "{}",
                   {{"i", R"({"i.x":1})"}, {"j", R"({"j.y":1})"}},
                   ""}));

TEST(UpdatePositional, NeedsItsFilters) {
  UpdateOptions options;
  options.positional = true;
  EXPECT_FALSE(Update::parse(fromJson(R"({"$set":{"a.$[x]":1}})"), options));
  EXPECT_FALSE(Update::parse(fromJson(R"({"$set":{"a.$":1}})"), options));
  options.arrayFilters.emplace_back("x", filterOf(R"({"x":1})"));
  EXPECT_TRUE(Update::parse(fromJson(R"({"$set":{"a.$[x]":1}})"), options));
  EXPECT_FALSE(Update::parse(fromJson(R"({"$set":{"a":1}})"), options)) << "an array filter that no path uses";
  EXPECT_FALSE(Update::parse(fromJson(R"({"$set":{"a.$[X]":1}})"), options));
  const Filter query = filterOf(R"({"a":1})");
  options.query = &query;
  const auto mixed = Update::parse(fromJson(R"({"$set":{"a.$":1,"a.$[x].b":1}})"), options);
  ASSERT_FALSE(mixed) << "a matched element beside filtered ones";
  EXPECT_NE(mixed.error().message().find("a.$\""), std::string::npos) << mixed.error().message();
}

TEST(ArrayFilters, TakeOneNameEach) {
  const auto filters = parseArrayFilters(
      fromJson(R"({"0":{"low":{"$lt":3}},"1":{"$or":[{"e.k":1},{"e.l":2}]},"2":{"x2Y.z":1,"x2Y.w":null}})"));
  ASSERT_TRUE(filters) << filters.error().message();
  ASSERT_EQ(filters->size(), 3u);
  EXPECT_EQ((*filters)[0].first, "low");
  EXPECT_EQ((*filters)[1].first, "e");
  EXPECT_EQ((*filters)[2].first, "x2Y");
  for (const char* text :
       {R"({"0":1})", R"({"0":{}})", R"({"0":{"a":1,"b":2}})", R"({"0":{"A":1}})", R"({"0":{"a_b":1}})",
        R"({"0":{"a":1},"1":{"a.b":2}})", R"({"0":{"a":{"$where":1}}})", R"({"0":{"$or":[]}})"}) {
    const auto refused = parseArrayFilters(fromJson(text));
    ASSERT_FALSE(refused) << text;
    EXPECT_EQ(refused.error().code(), ErrorCode::invalidUpdate) << text;
  }
}

}  // namespace
}  // namespace mb::doc
