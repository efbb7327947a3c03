// Mutated documents: each is either refused as a whole, or imported completely.
#include "configuration/random_configuration_fixture.h"

namespace mb::configuration {
namespace {

class Mutation : public RandomConfigurationFixture {
 protected:
  // The strings, numbers and words of a JSON text, with the blanks and punctuation between them.
  static std::vector<Text> tokensOf(std::string_view text) {
    std::vector<Text> tokens;
    for (size_t at = 0; at < text.size();) {
      size_t end = at + 1;
      if (text[at] == '"') {
        while (text[end] != '"') end += text[end] == '\\' ? 2 : 1;
        ++end;
      } else if (!isMark(text[at])) {
        while (end < text.size() && !isMark(text[end]) && text[end] != '"') ++end;
      }
      tokens.emplace_back(text.substr(at, end - at));
      at = end;
    }
    return tokens;
  }
  static bool isMark(char c) { return std::string_view("{}[]:,").contains(c); }

  Text damaged(const std::vector<Text>& tokens, std::mt19937& chance) {
    static const std::vector<Text> kOdd = {"null",
                                           "5",
                                           "-1",
                                           "1.5",
                                           "true",
                                           "{}",
                                           "[]",
                                           "\"\"",
                                           "\"a.b\"",
                                           "\"$auth\"",
                                           R"({"name":"x"})",
                                           R"({"$date":"2026-01-31T09:30:00Z"})",
                                           R"("clientSecret")",
                                           R"("\u0000")",
                                           "\"name\"",
                                           "\"*\"",
                                           "\"unique\"",
                                           "[[1]]"};
    const auto below = [&](size_t n) { return std::uniform_int_distribution<size_t>(0, n - 1)(chance); };
    std::vector<Text> changed = tokens;
    for (size_t i = 0, count = 1 + below(2); i < count; ++i) {
      size_t at = below(changed.size());
      while (isMark(changed[at][0])) at = below(changed.size());
      const Text& other = tokens[below(tokens.size())];
      changed[at] = below(2) == 0 || isMark(other[0]) ? kOdd[below(kOdd.size())] : other;
    }
    Text text;
    for (const Text& token : changed) text += token;
    return text;
  }
};

TEST_F(Mutation, IsRefusedAsAWholeOrImportedToTheEnd) {
  std::mt19937 chance(4711);
  int refused = 0;
  int imported = 0;
  for (uint32_t seed = 1; seed <= 40; ++seed) {
    const store::ProjectNo source = made(seed, seed);
    const std::vector<Text> tokens = tokensOf(exported(source));
    for (int i = 0; i < 60; ++i) {
      const Text text = damaged(tokens, chance);
      const auto document = doc::parseJson(text);
      if (!document) continue;
      const store::ProjectNo copy = project();
      const auto planned = run(configuration_->plan(target(copy), *document, mode_));
      if (!planned) {
        ++refused;
        ASSERT_EQ(codeOf(planned), "VALIDATION") << text;
        ASSERT_FALSE(planned.error().details().empty());
      } else {
        ++imported;
        const auto done = run(configuration_->import(target(copy), *document, mode_));
        ASSERT_TRUE(done) << done.error().message() << "\n" << text;
        ASSERT_TRUE(summary(run(configuration_->plan(target(copy), *document, mode_))).starts_with("0 0 ")) << text;
        ASSERT_TRUE(summary(plan(copy, exported(copy))).starts_with("0 0 ")) << text;
      }
      forget(copy);
    }
    forget(source);
  }
  EXPECT_GT(refused, 300);
  EXPECT_GT(imported, 100);
}

}  // namespace
}  // namespace mb::configuration
