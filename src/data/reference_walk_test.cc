#include "data/reference_walk.h"

#include <fmt/format.h>

#include "data/data_fixture.h"

namespace mb::data {
namespace {

TEST(ReferenceWalkTest, GoesThroughDocumentsAndArrays) {
  const doc::Document document = json(R"({"a":[{"b":"1"},{"b":["2","3"]},{"c":"4"},"5"],"b":"6"})");
  std::vector<std::string> found;
  eachReference(document, "a.b", [&](std::string_view id, const std::string& pointer) {
    found.push_back(fmt::format("{} {}", id, pointer));
  });
  EXPECT_EQ(found, (std::vector<std::string>{"1 /a/0/b", "2 /a/1/b/0", "3 /a/1/b/1"}));
  EXPECT_EQ(R"({"a":[{},{"b":["2","3"]},{"c":"4"},"5"],"b":"6"})",
            doc::toJson(withoutReference(document, "a.b", "1", {0})));
  EXPECT_EQ(R"({"a":[{"b":"1"},{"b":["3"]},{"c":"4"},"5"],"b":"6"})",
            doc::toJson(withoutReference(document, "a.b", "2", {0})));
}

}  // namespace
}  // namespace mb::data
