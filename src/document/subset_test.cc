#include "document/subset.h"

#include <gtest/gtest.h>

#include "document/json.h"

namespace mb::doc {
namespace {

std::string wrongIn(std::string_view actual, std::string_view expected) {
  const Document a = *parseJsonValue(actual);
  const Document e = *parseJsonValue(expected);
  return mismatch("r", e.view().begin()->value, a.view().begin()->value).value_or("");
}

TEST(Subset, WhatIsExpectedIsThere) {
  struct Case {
    std::string_view actual, expected;
  };
  for (const auto& [actual, expected] : std::vector<Case>{
           {R"({"a":1,"b":2})", R"({"a":1})"},
           {R"({"a":{"b":[{"c":1,"d":2}]}})", R"({"a":{"b":[{"c":1}]}})"},
           {R"({"a":1})", "{}"},
           {"1", "1.0"},
           {R"({"a":null})", R"({"a":null})"},
           {"{}", R"({"a":null})"},
           {"null", "null"},
           {"[]", "[]"},
           {R"({"$date":"2026-01-31T09:30:00.000Z"})", R"("2026-01-31T09:30:00.000Z")"},
       }) {
    EXPECT_EQ(wrongIn(actual, expected), "") << actual << " " << expected;
  }
}

TEST(Subset, WhatIsMissingIsTold) {
  struct Case {
    std::string_view actual, expected, wrong;
  };
  for (const auto& [actual, expected, wrong] : std::vector<Case>{
           {"1", "2", "r is 1, not 2"},
           {"1", R"("1")", R"(r is 1, not "1")"},
           {"{}", R"({"a":1})", "r.a is not there, not 1"},
           {R"({"a":[1,2]})", R"({"a":[1,3]})", "r.a.1 is 2, not 3"},
           {R"({"a":[1,2]})", R"({"a":[1]})", "r.a has 2 elements, not 1"},
           {R"({"a":1})", R"({"a":{}})", "r.a is 1, not {}"},
           {R"({"a":false})", R"({"a":null})", "r.a is false, not null"},
           {"null", "{}", "r is null, not {}"},
           {"[]", "{}", "r is [], not {}"},
       }) {
    EXPECT_EQ(wrongIn(actual, expected), wrong) << actual << " " << expected;
  }
  EXPECT_EQ(mismatch("r", ValueView(), std::nullopt), std::nullopt);
  EXPECT_LT(wrongIn("\"" + std::string(1000, 'x') + "\"", "1").size(), 300u);
}

}  // namespace
}  // namespace mb::doc
