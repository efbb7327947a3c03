#include "document/pattern.h"

#include <gtest/gtest.h>

#include "base/work_budget.h"
#include "document/testing.h"

namespace mb::doc {
namespace {

// 900 KB of a and b without a repeating order, and without c.
const std::string& longText() {
  static const std::string text = [] {
    std::string made(900'000, 'a');
    uint32_t state = 1;
    for (char& c : made) {
      state = state * 1'103'515'245 + 12'345;
      if ((state >> 16 & 1) != 0) c = 'b';
    }
    return made;
  }();
  return text;
}

Pattern pattern(std::string_view source) {
  return compilePattern(source, "", ErrorCode::invalidFilter).value();
}

// Each makes RE2 abandon its fast matcher on longText(), at once or after some time.
constexpr std::string_view kSlow[] = {"((a|b){1,40}){1,20}c", "[ab]{1000}c", "(a|b)*a(a|b){18}c", "a.{900}c"};

TEST(Pattern, WhatOnlyTheSlowMatcherCanMatchIsRefusedWhereItCannotBePaid) {
  for (const std::string_view source : kSlow) {
    const Pattern slow = pattern(source);
    const WorkBudget budget(100'000'000);
    EXPECT_FALSE(matchesPattern(slow, longText()));
    EXPECT_FALSE(budget.check()) << source;
  }
}

TEST(Pattern, ARefusedMatchLeavesThePatternUsable) {
  for (const std::string_view source : kSlow) {
    const Pattern slow = pattern(source);
    for (int i = 0; i < 3; ++i) {
      const WorkBudget budget(kCoreWork);
      matchesPattern(slow, longText());
      EXPECT_TRUE(WorkBudget::exceeded()) << source;
    }
    const WorkBudget budget(kCoreWork);
    EXPECT_FALSE(matchesPattern(slow, "ab"));
    EXPECT_TRUE(budget.check()) << source;
  }
}

TEST(Pattern, APlainPatternReadsALongTextWithinTheBudgetOfACore) {
  const WorkBudget budget(kCoreWork);
  EXPECT_FALSE(matchesPattern(pattern("[a-z]+@[a-z]+"), longText()));
  EXPECT_TRUE(budget.check());
}

TEST(Pattern, ManyMatchesShareOneBudget) {
  const Pattern plain = pattern("c$");
  const WorkBudget budget(kCoreWork);
  for (int i = 0; i < 60; ++i) EXPECT_FALSE(matchesPattern(plain, longText()));
  EXPECT_FALSE(budget.check());
}

TEST(Pattern, LargeProgramsMatchShortTextsWithinTheBudgetOfACore) {
  const std::string text(250, 'x');
  for (const std::string_view source :
       {"^.{1,300}$", "^.{1,600}$", "^[^ ]{1,500}$", "^[0-9a-z]{128,512}$", "^[\\p{L} ]{1,5}"}) {
    // Building states is charged by the thread's time, of which a busy machine may take more once.
    bool matched = false;
    for (int attempt = 0; attempt < 5 && !matched; ++attempt) {
      const Pattern large = pattern(source);
      const WorkBudget budget(kCoreWork);
      matched = matchesPattern(large, text) && budget.check();
    }
    EXPECT_TRUE(matched) << source;
  }
}

TEST(Pattern, WithoutABudgetTheSlowMatcherAnswers) {
  const Pattern slow = pattern("(a|b|ab|ba|aba|bab){20}c0");
  EXPECT_FALSE(matchesPattern(slow, longText().substr(0, 2'000)));
  EXPECT_TRUE(matchesPattern(slow, longText().substr(0, 2'000) + "c0"));
}

TEST(Pattern, ProgramsThatTakeLongToCompileAreRefused) {
  std::string classes;
  for (int i = 0; i < 17; ++i) classes += "\\pL";
  std::string repeated;
  for (int i = 0; i < 100; ++i) repeated += "a{1000}";
  for (const std::string& source : {classes, repeated, std::string("\\pL{15}c")}) {
    const auto refused = compilePattern(source, "", ErrorCode::invalidFilter);
    ASSERT_FALSE(refused) << source;
    EXPECT_EQ(refused.error().code(), ErrorCode::invalidFilter);
  }
}

TEST(Pattern, TheProgramsOfOneFilterAreBoundedTogether) {
  const auto parse = [](int patterns) {
    std::string text = "{\"$or\":[";
    for (int i = 0; i < patterns; ++i) {
      text +=
          std::string(i == 0 ? "" : ",") + R"({"t":{"$regex":"(a|b|ab|ba|aba|bab){200}c)" + std::to_string(i) + "\"}}";
    }
    return Filter::parse(fromJson(text + "]}"));
  };
  EXPECT_TRUE(parse(3));
  const auto refused = parse(60);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::invalidFilter);
}

TEST(Pattern, TheProgramsOfOneSchemaAreBoundedTogether) {
  const auto compile = [](int patterns) {
    std::string text = "{\"properties\":{";
    for (int i = 0; i < patterns; ++i) {
      text += fmt::format(R"({}"f{}":{{"pattern":"[ab]{{1000}}c{}"}})", i == 0 ? "" : ",", i, i);
    }
    return Schema::compile(fromJson(text + "}}"));
  };
  EXPECT_TRUE(compile(40));
  const auto refused = compile(60);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::validation);
}

TEST(Pattern, CompilingIsCharged) {
  const WorkBudget budget(kCoreWork);
  for (int i = 0; i < 20; ++i) pattern("[ab]{1000}c");
  EXPECT_FALSE(budget.check());
}

TEST(FilterWork, ConditionsOnManyElementsAreCharged) {
  std::string text = "{\"list\":[";
  for (int i = 0; i < 20'000; ++i) text += std::string(i == 0 ? "" : ",") + R"({"a":1})";
  const Document document = fromJson(text + "]}");
  std::string conditions = "{\"$and\":[";
  for (int i = 0; i < 90; ++i)
    conditions += std::string(i == 0 ? "" : ",") + R"({"list.a":{"$ne":)" + std::to_string(i + 2) + "}}";
  const Filter filter = Filter::parse(fromJson(conditions + "]}")).value();
  EXPECT_TRUE(filter.matches(document));
  const WorkBudget budget(kCoreWork);
  filter.matches(document);
  EXPECT_FALSE(budget.check());
}

TEST(FilterWork, AWideDocumentIsCharged) {
  std::string text = "{";
  for (int i = 0; i < 50'000; ++i) text += fmt::format("{}\"f{}\":1", i == 0 ? "" : ",", i);
  const Document document = fromJson(text + "}");
  std::string conditions = "{";
  for (int i = 0; i < 90; ++i) conditions += fmt::format("{}\"g{}\":{{\"$exists\":false}}", i == 0 ? "" : ",", i);
  const Filter filter = Filter::parse(fromJson(conditions + "}")).value();
  const WorkBudget budget(kCoreWork);
  filter.matches(document);
  EXPECT_FALSE(budget.check());
}

}  // namespace
}  // namespace mb::doc
