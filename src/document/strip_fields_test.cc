#include "document/strip_fields.h"

#include <gtest/gtest.h>

#include <random>

#include "base/work_budget.h"
#include "document/json.h"

namespace mb::doc {
namespace {

// Random documents and sets over a few names, some of them positions.
class Random {
 public:
  std::string object(int depth) {
    std::string out = "{";
    for (const char* name : {"a", "bb", "0", "1", "c"}) {
      if (below(3) == 0) continue;
      out += fmt::format("{}\"{}\":{}", out.size() > 1 ? "," : "", name, value(depth));
    }
    return out + "}";
  }
  FieldSet fields() {
    std::vector<std::string> paths;
    for (size_t count = 1 + below(3); count > 0; --count) {
      std::string path = step();
      while (below(2) == 0 && path.size() < 8) path += "." + step();
      paths.push_back(std::move(path));
    }
    return FieldSet(std::move(paths));
  }

 private:
  size_t below(size_t n) { return random_() % n; }
  std::string step() {
    constexpr const char* kSteps[] = {"a", "bb", "0", "1", "9", "10", "c"};
    return kSteps[below(std::size(kSteps))];
  }
  std::string value(int depth) {
    switch (depth > 0 ? below(5) : 2 + below(3)) {
      case 0:
        return object(depth - 1);
      case 1: {
        std::string out = "[";
        for (size_t count = below(14); count > 0; --count) out += value(depth - 1) + (count > 1 ? "," : "");
        return out + "]";
      }
      case 2:
        return "null";
      case 3:
        return fmt::format("\"{}\"", std::string(below(20), 'x'));
      default:
        return std::to_string(below(100));
    }
  }
  std::mt19937 random_{7};
};

TEST(StripFields, LeavesWhatIsWrittenWithoutThem) {
  Random random;
  for (int i = 0; i < 20'000; ++i) {
    const Document document = *parseJson(random.object(4));
    const FieldSet fields = random.fields();
    std::string expected;
    writeJson(expected, document, &fields);
    std::string bytes = document.bytes();
    stripFields(fields, bytes);
    const auto stripped = Document::fromUntrusted(bytes);
    ASSERT_TRUE(stripped) << toJson(document) << " " << fmt::format("{}", fmt::join(fields.paths(), " "));
    // The same bytes as of a document that never had the fields: the keys of arrays have no gaps.
    ASSERT_EQ(toJson(*stripped), expected) << toJson(document);
    ASSERT_EQ(bytes, parseJson(expected)->bytes()) << toJson(document);
  }
}

TEST(StripFields, WhatIsLeftOutCostsAndHoldsNothing) {
  const FieldSet fields({"secret", "in.list"});
  int64_t costs[2];
  for (int large = 0; large < 2; ++large) {
    const std::string secret(large ? 500'000 : 1, 'x');
    std::string bytes =
        parseJson(fmt::format(R"({{"a":1,"secret":"{}","in":{{"list":["{}",2],"b":2}}}})", secret, secret))->bytes();
    const WorkBudget work(kCoreWork);
    stripFields(fields, bytes);
    costs[large] = work.spent();
    EXPECT_EQ(toJson(Document::fromTrusted(bytes)), R"({"a":1,"in":{"b":2}})");
    EXPECT_LT(bytes.capacity(), 2000u);
  }
  EXPECT_GT(costs[0], 0);
  EXPECT_EQ(costs[0], costs[1]);
}

}  // namespace
}  // namespace mb::doc
