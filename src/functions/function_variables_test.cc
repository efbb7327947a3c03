#include "functions/function_variables.h"

#include <gmock/gmock.h>

#include "functions/functions_fixture.h"
#include "functions/functions_runtime_fixture.h"

namespace mb::functions {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(FunctionVariables, AreFoundWhereTheyAreNamed) {
  EXPECT_THAT(variablesIn(R"(ctx.variables.A + ctx.variables["B_1"] + ctx . variables . C
                             + ctx?.variables?.["D"] + ctx.variables?.E + ctx.variables['F'] + ctx.variables.A)",
                          std::nullopt),
              ElementsAre("A", "B_1", "C", "D", "E", "F"));
  for (const char* none : {"variables.A", "my.ctx.variables.A", "myctx.variables.A", "ctx.variables", "ctx.variables.a",
                           "ctx.variables[A]", "ctx.variables[\"A]", "ctx.variable.A", "ctx", "ctx.variables.${A}",
                           "ctx.variables[\"A_\" + b]"}) {
    EXPECT_THAT(variablesIn(none, std::nullopt), IsEmpty()) << none;
  }
  const auto flow = doc::parseJson(R"({"nodes":[{"data":{"message":"{{ ctx.variables.A }}"}}]})");
  EXPECT_THAT(variablesIn("", *flow), ElementsAre("A"));
}

class FunctionsWithVariables : public FunctionsFixture {
 protected:
  static NewFunction reading(std::string code) {
    NewFunction made = function("reader");
    made.code = std::move(code);
    return made;
  }
};

TEST_F(FunctionsWithVariables, ReadPlainOnes) {
  ASSERT_TRUE(setVariable("TOKEN", {"x", true, {}}));
  ASSERT_TRUE(setVariable("URL", {"x", {}, {}}));
  EXPECT_EQ(details(create(reading("export default (e, ctx) => ctx.variables.TOKEN;"))),
            "/code reads the secret variable TOKEN: ctx.variables holds plain ones only");
  ASSERT_TRUE(create(reading("export default (e, ctx) => ctx.variables.URL;")));
  EXPECT_THAT(details(change("reader", R"({"code":"export default (e, ctx) => ctx.variables.TOKEN;"})")),
              HasSubstr("/code reads the secret variable TOKEN"));
  EXPECT_THAT(details(setVariable("URL", {{}, true, {}})), HasSubstr("/secret does not fit functions/reader/code: "));
  EXPECT_EQ(codeOf(run(variables_.remove({admin(), snapshot(shop_), soon()}, "URL"))), "CONFLICT");
}

TEST_F(FunctionsWithVariables, AnImportListsNamesWithoutAValue) {
  const std::string document =
      R"({"formatVersion":1,"functions":[{"name":"reader","trigger":{"type":"cron","schedule":"@daily"},
          "code":"export default (e, ctx) => ctx.variables.URL;"}]})";
  EXPECT_THAT(details(plan(shop_, document)),
              HasSubstr("/functions/0/code names the variable URL, which has no value"));
  ASSERT_TRUE(setVariable("URL", {"x", {}, {}}));
  EXPECT_EQ(summary(import(shop_, document)), "1 0 0");
}

class RunsWithVariables : public RunningFixture {};

TEST_F(RunsWithVariables, TheContextHoldsPlainValues) {
  define("hello", R"({"type":"http","method":"GET","path":"/a"})");
  ASSERT_TRUE(setVariable("URL", {"https://a.example", {}, {}}));
  ASSERT_TRUE(setVariable("TOKEN", {"marked", true, {}}));
  ASSERT_TRUE(setVariable("EMPTY", {}));
  invoke("hello");
  EXPECT_THAT(doc::toJson(executor_.requests().at(0).context), HasSubstr(R"("variables":{"URL":"https://a.example"})"));
}

}  // namespace
}  // namespace mb::functions
