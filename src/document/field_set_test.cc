#include "document/field_set.h"

#include "document/testing.h"

namespace mb::doc {
namespace {

struct Question {
  std::vector<std::string> set;
  std::string path;
  bool covers;
  bool touches;
};

class FieldSetPaths : public testing::TestWithParam<Question> {};

TEST_P(FieldSetPaths, AreMatched) {
  const auto& [set, path, covers, touches] = GetParam();
  EXPECT_EQ(FieldSet(set).covers(path), covers) << path;
  EXPECT_EQ(FieldSet(set).touches(path), touches) << path;
}

INSTANTIATE_TEST_SUITE_P(
    Paths, FieldSetPaths,
    testing::Values(Question{{}, "a", false, false}, Question{{"a"}, "a", true, true},
                    Question{{"a"}, "b", false, false}, Question{{"a"}, "ab", false, false},
                    Question{{"ab"}, "a", false, false}, Question{{"a"}, "a.b.c", true, true},
                    Question{{"a.b"}, "a", false, true}, Question{{"a.b"}, "a.b", true, true},
                    Question{{"a.b"}, "a.c", false, false}, Question{{"a.b"}, "b", false, false},
                    Question{{"a.b.c"}, "a.b", false, true}, Question{{"a", "a.b"}, "a.c", true, true},
                    // Positions are transparent.
                    Question{{"a.b"}, "a.0.b", true, true}, Question{{"a.b"}, "a.0.1.b", true, true},
                    Question{{"a.b"}, "a.0", false, true}, Question{{"a.b"}, "a.17.b.c", true, true},
                    Question{{"a.b"}, "a.0.c", false, false}, Question{{"a"}, "a.0", true, true},
                    Question{{"a"}, "0.a", true, true}, Question{{"a.b"}, "a.00.b", true, true},
                    // So are the positional steps of updates.
                    Question{{"a.b"}, "a.$[].b", true, true}, Question{{"a.b"}, "a.$.b", true, true},
                    Question{{"a.b"}, "a.$[x]", false, true},
                    // A number in the set is a position or a name.
                    Question{{"a.0"}, "a.0", true, true}, Question{{"a.0"}, "a.1", false, true},
                    Question{{"a.0"}, "a", false, true}, Question{{"a.0.b"}, "a.b", false, true},
                    Question{{"a.0.b"}, "a.0.b", true, true}, Question{{"a.0.b"}, "a.c", false, false},
                    Question{{"0"}, "0", true, true},
                    // Long sequences of numbers are matched in linear time.
                    Question{{"a.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.b"},
                             "a.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.c",
                             false,
                             false}));

TEST(FieldSet, IsSortedAndUnique) {
  EXPECT_EQ(FieldSet({"b", "a", "b"}).paths(), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(FieldSet({"b"}).unite(FieldSet({"a", "b"})).paths(), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(FieldSet().unite(FieldSet({"a"})).paths(), (std::vector<std::string>{"a"}));
  EXPECT_TRUE(FieldSet({"a"}).unite(FieldSet()).covers("a"));
}

TEST(FieldSet, TakesNumbersAsNamesWhereTold) {
  EXPECT_TRUE(FieldSet({"a.b"}).coversNames("a.b.c"));
  EXPECT_FALSE(FieldSet({"a.b"}).coversNames("a.0.b"));
  EXPECT_TRUE(FieldSet({"a.0"}).coversNames("a.0.b"));
  EXPECT_FALSE(FieldSet().coversNames("a"));
}

struct Change {
  std::string before;
  std::string after;
  std::vector<std::string> paths;
};

class ChangedPaths : public testing::TestWithParam<Change> {};

TEST_P(ChangedPaths, AreFound) {
  const auto& [before, after, paths] = GetParam();
  EXPECT_EQ(changedPaths(fromJson(before), fromJson(after)), paths) << before << after;
}

INSTANTIATE_TEST_SUITE_P(
    Documents, ChangedPaths,
    testing::Values(Change{"{}", "{}", {}}, Change{R"({"a":1,"b":2})", R"({"b":2,"a":1})", {}},
                    Change{R"({"a":1})", R"({"a":1.0})", {}}, Change{R"({"a":1})", R"({"a":2})", {"a"}},
                    Change{R"({"a":1})", "{}", {"a"}}, Change{"{}", R"({"a":null})", {"a"}},
                    Change{R"({"a":{"b":1,"c":2}})", R"({"a":{"b":1,"c":3}})", {"a.c"}},
                    Change{R"({"a":{"b":1}})", R"({"a":{"b":1.0}})", {}},
                    Change{R"({"a":{"b":1,"c":{"d":1}}})", "{}", {"a.b", "a.c.d"}},
                    Change{"{}", R"({"a":{"b":{"c":1}}})", {"a.b.c"}}, Change{"{}", R"({"a":{}})", {"a"}},
                    Change{R"({"a":{}})", R"({"a":{"b":1}})", {"a.b"}},
                    Change{R"({"a":5})", R"({"a":{"b":1}})", {"a", "a.b"}},
                    Change{R"({"a":{"b":1}})", R"({"a":[1]})", {"a", "a.b"}},
                    Change{R"({"a":[1,{"b":1}]})", R"({"a":[1,{"b":2}]})", {"a"}},
                    Change{R"({"a":[1]})", R"({"a":[1.0]})", {}},
                    Change{R"({"a":1,"x":{"y":1},"b":2})", R"({"x":{"y":2},"b":2,"c":3})", {"a", "x.y", "c"}}));

TEST(ChangedPaths, DoNotDependOnTheOrderOfManyFields) {
  BsonWriter there;
  BsonWriter back;
  for (int i = 0; i < 500; ++i) there.appendInteger(fmt::format("f{}", i), i);
  for (int i = 499; i >= 0; --i) back.appendInteger(fmt::format("f{}", i), i == 250 ? -1 : i);
  back.appendInteger("new", 1);
  const Document before = there.finish();
  const Document after = back.finish();
  EXPECT_EQ(changedPaths(before, after), (std::vector<std::string>{"f250", "new"}));
  EXPECT_EQ(changedPaths(before, before), std::vector<std::string>());
}

TEST(FieldSet, StripsManyFields) {
  std::vector<std::string> paths;
  BsonWriter out;
  for (int i = 0; i < 500; ++i) {
    out.appendInteger(fmt::format("f{}", i), i);
    if (i != 250) paths.push_back(fmt::format("f{}", i));
  }
  EXPECT_EQ(toJson(FieldSet(paths).strip(out.finish())), R"({"f250":250})");
}

TEST(ChangedPaths, AreLimited) {
  std::string before = "{\"x\":0";
  std::string after = "{\"x\":0";
  for (int i = 0; i < 30000; ++i) before += fmt::format(",\"k{}\":1", i);
  for (int i = 29999; i >= 0; --i) after += fmt::format(",\"k{}\":2", i);
  EXPECT_EQ(changedPaths(fromJson(before + "}"), fromJson(after + "}"), 100000).size(), 30000u);
  EXPECT_EQ(changedPaths(fromJson(before + "}"), fromJson(after + "}"), 10).size(), 10u);
}

}  // namespace
}  // namespace mb::doc
