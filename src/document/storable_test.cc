#include "document/storable.h"

#include "document/testing.h"

namespace mb::doc {
namespace {

TEST(CheckStorable, TakesOrdinaryDocuments) {
  for (const char* text : {"{}", R"({"a":1,"b":{"c":[1,{"d":2}]},"a b":1,"ä":[],"a$":1})"}) {
    EXPECT_TRUE(checkStorable(fromJson(text))) << text;
  }
}

TEST(CheckStorable, PointsAtTheKeyAtFault) {
  const std::vector<std::pair<std::string, std::string>> kBad{{R"({"":1})", "/"},
                                                              {R"({"$a":1})", "/$a"},
                                                              {R"({"a.b":1})", "/a.b"},
                                                              {R"({"a":{"$b":1}})", "/a/$b"},
                                                              {R"({"a":[1,{"":1}]})", "/a/1/"},
                                                              {R"({"x/y":{"a~b":{"c.d":1}}})", "/x~1y/a~0b/c.d"}};
  for (const auto& [text, pointer] : kBad) {
    const auto result = checkStorable(fromJson(text));
    ASSERT_FALSE(result) << text;
    EXPECT_EQ(result.error().code(), ErrorCode::validation);
    EXPECT_EQ(result.error().details().front().path, pointer);
  }
}

TEST(CheckStorable, CountsNesting) {
  const auto storable = [&](int levels) {
    std::string text = "1";
    for (int i = 0; i < levels; ++i) text = "{\"a\":" + text + "}";
    return checkStorable(*parseJson(text, {.maxDepth = 300})).has_value();
  };
  EXPECT_TRUE(storable(100));
  EXPECT_FALSE(storable(101));
}

}  // namespace
}  // namespace mb::doc
