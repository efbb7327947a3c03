// The cost limit of expressions, whatever they and the document contain.
#include "document/bson.h"
#include "policy/cel/cel_fixture.h"

namespace mb::cel {
namespace {

std::string documentWith(std::string_view field, size_t bytes) {
  return "{\"" + std::string(field) + "\": \"" + std::string(bytes, 'a') + "\"}";
}

TEST(CelCost, GrowthAndLoopsEnd) {
  std::string doubling = "'0123456789abcdef'";
  for (int i = 0; i < 40; ++i) doubling = "[" + doubling + "].map(a, a + a)[0]";
  std::string pairs = "[0]";
  for (int i = 0; i < 40; ++i) pairs += ".map(a, [a, a])";
  std::string nested = "1 / 0 > 0";
  for (int i = 0; i < 30; ++i) nested = "[0, 1].all(x, " + nested + ")";
  std::string lists = "[[0]]";
  for (int i = 0; i < 40; ++i) lists += ".map(a, a + a)";
  for (const std::string& source :
       {doubling + ".size() > 0", nested, lists + ".size() > 0", "(" + pairs + ") == (" + pairs + ")"}) {
    const Ran ran = run(source);
    EXPECT_EQ(ran.outcome, Outcome::error) << source.substr(0, 60);
    EXPECT_EQ(ran.message, "the cost limit is exceeded") << source.substr(0, 60);
  }
}

TEST(CelCost, AResultIsNotLargerThanItMayCost) {
  std::string pairs = "[document]";
  for (int i = 0; i < 40; ++i) pairs += ".map(a, [a, a])";
  const auto compiled = Expression::compile(pairs, plainEnvironment());
  ASSERT_TRUE(compiled);
  const auto document = doc::parseJson(documentWith("a", 1000));
  std::vector<Variable> variables(1);
  variables[0].name = "document";
  variables[0].value = document->view();
  EXPECT_FALSE((*compiled)->evaluate(variables));
}

TEST(CelCost, LongTextsCostByLength) {
  const std::string document = documentWith("a", 1'000'000);
  EXPECT_EQ(run("document.a.size() == 1000000", document).outcome, Outcome::yes);
  for (const std::string_view source :
       {"document.a.contains('aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab')", "document.a + document.a == ''",
        "document.a.matches('(a*)*b')", "document.a == document.a + ''", "[document.a].map(x, x + 'b').size() == 1"}) {
    EXPECT_EQ(run(source, document).outcome, Outcome::error) << source;
  }
}

TEST(CelCost, PatternsCostByTheirSizeAndAgainstWhatTheyRun) {
  const std::string document = documentWith("a", 100'000);
  EXPECT_EQ(run("document.a.matches('^[a-z]+$')", document).outcome, Outcome::yes);
  EXPECT_EQ(run("document.a.matches('(aaaaaaaaaaaaaaaaaaaab|[a-f0-9]{40}c){2}')", document).outcome, Outcome::error);
  EXPECT_EQ(run("[1, 2].all(n, 'a'.matches('a{0,' + string(n) + '}'))", document).outcome, Outcome::yes);
  EXPECT_EQ(
      run("[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12].all(n, 'a'.matches('a{0,' + string(n) + '}'))", document).outcome,
      Outcome::error);
}

TEST(CelCost, TheLimitIsNotAbsorbed) {
  EXPECT_EQ(run("true || true", "{}", 0).outcome, Outcome::error);
  EXPECT_EQ(run("[1, 2, 3].exists(a, [1, 2, 3].exists(b, a + b > 5)) || true", "{}", 10).outcome, Outcome::error);
  EXPECT_EQ(run("[1].all(a, a == 1)", "{}", 0).outcome, Outcome::error);
  EXPECT_EQ(run("true || true", "{}", -5).outcome, Outcome::error);
  EXPECT_EQ(run("true || true", "{}", 1).outcome, Outcome::yes);
}

TEST(CelCost, WideDocumentsCostByFieldsLookedAt) {
  std::string wide = "{";
  for (int i = 0; i < 50'000; ++i) wide += "\"f" + std::to_string(i) + "\": 1,";
  wide += "\"last\": 1}";
  EXPECT_EQ(run("document.last == 1", wide).outcome, Outcome::yes);
  EXPECT_EQ(run("document.last + document.last == 2", wide).outcome, Outcome::error);
  EXPECT_EQ(run("document.all(k, k != '')", wide).outcome, Outcome::error);
  EXPECT_EQ(run("document == document", wide).outcome, Outcome::error);
}

TEST(CelCost, DeepDocumentsDoNotExhaustTheStack) {
  std::string deep;
  for (int i = 0; i < 99; ++i) deep += "{\"a\":";
  deep += "1" + std::string(99, '}');
  EXPECT_EQ(run("document == document", deep).outcome, Outcome::yes);
}

}  // namespace
}  // namespace mb::cel
