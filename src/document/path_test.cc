#include "document/path.h"

#include "document/testing.h"

namespace mb::doc {
namespace {

TEST(FieldPath, SplitsAtDots) {
  const auto path = FieldPath::parse("a.b.0.c d");
  ASSERT_TRUE(path);
  EXPECT_EQ(path->steps(), (std::vector<std::string>{"a", "b", "0", "c d"}));
  EXPECT_EQ(path->dotted(), "a.b.0.c d");
}

TEST(FieldPath, RefusesWhatIsNone) {
  using namespace std::string_literals;
  std::string long32 = "a";
  for (int i = 1; i < 32; ++i) long32 += ".a";
  EXPECT_TRUE(FieldPath::parse(long32));
  for (const std::string& bad :
       {""s, "."s, "a."s, ".a"s, "a..b"s, "$a"s, "a.$"s, "a.$[].b"s, "a\0b"s, long32 + ".a", std::string(1025, 'a')}) {
    const auto path = FieldPath::parse(bad);
    ASSERT_FALSE(path) << bad;
    EXPECT_EQ(path.error().code(), ErrorCode::validation);
  }
}

struct Walk {
  std::string document;
  std::string path;
  std::string whole;     // visited with wholeOnly, "-" for missing
  std::string elements;  // with elementsToo
};

class WalkPath : public testing::TestWithParam<Walk> {};

std::string visited(const Walk& walk, Leaf leaf) {
  const Document document = fromJson(walk.document);
  std::string seen;
  walkPath(document, FieldPath::parse(walk.path).value(), leaf, [&](std::optional<ValueView> value) {
    if (!seen.empty()) seen += " ";
    if (value) {
      writeJsonValue(seen, *value);
    } else {
      seen += "-";
    }
    return false;
  });
  return seen;
}

TEST_P(WalkPath, VisitsAsAQueryDoes) {
  EXPECT_EQ(visited(GetParam(), Leaf::wholeOnly), GetParam().whole) << GetParam().document << GetParam().path;
  EXPECT_EQ(visited(GetParam(), Leaf::elementsToo), GetParam().elements) << GetParam().document << GetParam().path;
}

INSTANTIATE_TEST_SUITE_P(
    Documents, WalkPath,
    testing::Values(
        Walk{R"({"n":7})", "n", "7", "7"}, Walk{R"({"n":7})", "m", "-", "-"}, Walk{R"({"n":7})", "n.k", "-", "-"},
        Walk{R"({"n":null})", "n.k", "-", "-"}, Walk{R"({"n":{"k":7}})", "n.k", "7", "7"},
        Walk{R"({"n":{"x":7}})", "n.k", "-", "-"},
        Walk{R"({"n":["p","q"]})", "n", R"(["p","q"])", R"("p" "q" ["p","q"])"}, Walk{R"({"n":[]})", "n", "[]", "[]"},
        // An array without a value for the path: missing is reported once.
        Walk{R"({"n":[]})", "n.k", "-", "-"}, Walk{R"({"n":["p",0]})", "n.k", "-", "-"},
        Walk{R"({"n":[[{"k":1}]]})", "n.k", "-", "-"}, Walk{R"({"n":["p"]})", "n.6", "-", "-"},
        // Each document in an array, with or without the field.
        Walk{R"({"n":[{"k":true},{"x":0},"p",{"k":["r","s"]}]})", "n.k", R"(true - ["r","s"])",
             R"(true - "r" "s" ["r","s"])"},
        // Positions: the element as a whole, and names of the same spelling in documents.
        Walk{R"({"n":["p","q"]})", "n.0", R"("p")", R"("p")"}, Walk{R"({"n":[[1,2],"q"]})", "n.0", "[1,2]", "[1,2]"},
        Walk{R"({"n":[{"0":"z"}]})", "n.0", R"("z" {"0":"z"})", R"("z" {"0":"z"})"},
        Walk{R"({"n":[{"k":"z"},8]})", "n.0.k", R"(- "z")", R"(- "z")"},
        Walk{R"({"n":[[{"k":"z"}]]})", "n.0.k", R"("z")", R"("z")"},
        Walk{R"({"n":[[{"k":["z"]}]]})", "n.0.k", R"(["z"])", R"("z" ["z"])"},
        Walk{R"({"n":[{"0":{"k":1}},{"k":2}]})", "n.0.k", "1 - -", "1 - -"},
        Walk{R"({"n":{"0":{"k":1}}})", "n.0.k", "1", "1"}, Walk{R"({"n":[10,[20,21]]})", "n.1.0", "20", "20"}));

TEST(WalkPath, StopsWhenTold) {
  int visits = 0;
  const Document document = fromJson(R"({"a":[1,2,3]})");
  EXPECT_TRUE(walkPath(document, FieldPath::parse("a").value(), Leaf::elementsToo,
                       [&](std::optional<ValueView>) { return ++visits == 2; }));
  EXPECT_EQ(visits, 2);
}

}  // namespace
}  // namespace mb::doc
