#include "http/conditional.h"

#include <gtest/gtest.h>

namespace mb::http {
namespace {

TEST(Conditional, NotModifiedWhereATagFits) {
  const std::pair<std::string_view, bool> cases[] = {
      {R"("a1")", true},
      {R"(W/"a1")", true},
      {R"("b2", "a1")", true},
      {R"("b2",W/"a1" , "c")", true},
      {"*", true},
      {R"("a")", false},
      {R"("a1,b")", false},
      {R"("x,"a1",")", false},
      {"a1", false},
      {R"("a1)", false},
      {"", false},
      {R"(")", false},
      {R"("b2", "c3")", false},
      {R"("", "a1")", true},
  };
  for (const auto& [value, fits] : cases) {
    Request request;
    request.headers.push_back({"If-None-Match", value});
    EXPECT_EQ(isNotModified(request, R"("a1")"), fits) << value;
    EXPECT_EQ(isNotModified(request, R"(W/"a1")"), fits) << value;
  }
  EXPECT_FALSE(isNotModified(Request(), R"("a1")"));
}

// The tags of if-match as "a" or W"a", "*" for any, "bad" for an error, "-" without the header.
std::string tagsIn(const std::vector<std::string_view>& values) {
  Request request;
  for (const std::string_view value : values) request.headers.push_back({"If-Match", value});
  const auto list = entityTags(request, "if-match");
  if (!list) {
    EXPECT_EQ(list.error().code(), ErrorCode::invalidParam);
    return "bad";
  }
  if (!*list) return "-";
  std::string text = (*list)->any ? "*" : "";
  for (const EntityTagList::Tag& tag : (*list)->tags) text += std::string(tag.weak ? "W" : "") + std::string(tag.text);
  return text;
}

TEST(Conditional, ReadsListsOfTags) {
  EXPECT_EQ(tagsIn({}), "-");
  EXPECT_EQ(tagsIn({"*"}), "*");
  EXPECT_EQ(tagsIn({R"("a")"}), R"("a")");
  EXPECT_EQ(tagsIn({R"(W/"a")"}), R"(W"a")");
  EXPECT_EQ(tagsIn({R"("a", W/"b,c" ,, "")"}), R"("a"W"b,c""")");
  EXPECT_EQ(tagsIn({"\t\"a\"\t,\"b\","}), R"("a""b")");
  EXPECT_EQ(tagsIn({R"("a")", R"("b")"}), R"("a""b")");
  for (const std::string_view malformed :
       {"", " ", ",", "a", R"("a)", R"(")", R"("a""b")", R"("a" "b")", R"("a" b)", R"(w/"a")", R"(W/)", R"(W/ "a")",
        R"(*, "a")", R"("a", *)", "**", R"("a b")", "\"a\x7F\"", "'a'"}) {
    EXPECT_EQ(tagsIn({malformed}), "bad") << malformed;
  }
  EXPECT_EQ(tagsIn({"*", "*"}), "bad");
  EXPECT_EQ(tagsIn({"*", R"("a")"}), "bad");
  EXPECT_EQ(tagsIn({R"("a")", "*"}), "bad");
}

}  // namespace
}  // namespace mb::http
