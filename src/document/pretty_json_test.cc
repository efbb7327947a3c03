#include "document/pretty_json.h"

#include <gtest/gtest.h>

#include "document/json.h"

namespace mb::doc {
namespace {

TEST(PrettyJson, HasAMemberALine) {
  const struct {
    std::string_view compact, pretty;
  } cases[] = {
      {"null", "null"},
      {"\"a\\nb\"", "\"a\\nb\""},
      {"[]", "[]"},
      {"{}", "{}"},
      {"[1,[],{}]", "[\n  1,\n  [],\n  {}\n]"},
      {R"({"a":{"b":[true,null]},"c\"":1.5})",
       "{\n  \"a\": {\n    \"b\": [\n      true,\n      null\n    ]\n  },\n  \"c\\\"\": 1.5\n}"},
  };
  for (const auto& each : cases) {
    const auto value = parseJsonValue(each.compact);
    ASSERT_TRUE(value);
    EXPECT_EQ(toPrettyJson(value->view().begin()->value), each.pretty);
  }
}

}  // namespace
}  // namespace mb::doc
