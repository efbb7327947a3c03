// The stored tests of functions before an import is applied.
#include "functions/function_kind.h"
#include "functions/functions_runtime_fixture.h"

namespace mb::functions {
namespace {

class FailingTests : public RunningFixture {
 protected:
  FailingTests() { collection("notes"); }
  // "<path>: <message>" of each failing test of the project with these entries changed.
  std::vector<std::string> failures(const std::vector<std::string>& entries = {}) {
    std::vector<configuration::Change> changes;
    for (const std::string& each : entries) {
      const doc::Document wrapped = json(R"({"":)" + each + "}");
      changes.push_back({std::string(wrapped.view().begin()->value.asDocument().stringOr("name")),
                         configuration::Action::create, std::nullopt, doc::Value(wrapped.view().begin()->value)});
    }
    FunctionKind kind(functions_, &running_.tests());
    const auto found = run(kind.failingTests(snapshot(shop_), std::move(changes), soon()));
    EXPECT_TRUE(found) << found.error().message();
    std::vector<std::string> texts;
    if (!found) return texts;
    for (const ErrorDetail& each : *found) texts.push_back(each.path + ": " + each.message);
    return texts;
  }
  static std::string entry(std::string_view name, std::string_view code, std::string_view tests) {
    return fmt::format(R"({{"name":"{}","trigger":{},"timing":"post","code":"{}","enabled":true,"timeoutMs":null{}}})",
                       name, kManual, code, tests.empty() ? "" : fmt::format(R"(,"tests":{})", tests));
  }
  using Texts = std::vector<std::string>;

  static constexpr std::string_view kManual = R"({"type":"cron","schedule":"@daily"})";
  static constexpr std::string_view kOne = R"([{"name":"one","event":{},"expect":{"result":1}}])";
  Functions functions_{{store_, snapshots_, dispatcher_, *data_, executor_, ids_, clock_, auditor_, variables_}};
};

TEST_F(FailingTests, ThoseOfAllFunctionsAsTheyWouldBe) {
  EXPECT_EQ(failures(), Texts{});
  define("code", kManual, fmt::format(R"({{"tests":{}}})", kOne));
  executor_.answer("code", {gives("1"), gives("2")});
  EXPECT_EQ(failures(), Texts{});
  EXPECT_EQ(failures(), Texts{R"(/functions/code/tests/0: test "one": result is 2, not 1)"});

  executor_.answer("good", {gives("1")});
  executor_.answer("bad", {gives("3")});
  EXPECT_EQ(failures({entry("code", "good", kOne)}), Texts{});
  EXPECT_EQ(failures({entry("code", "bad", kOne)}),
            Texts{R"(/functions/code/tests/0: test "one": result is 3, not 1)"});
  EXPECT_EQ(failures({entry("code", "bad", "")}), Texts{});
  EXPECT_EQ(failures({entry("code", "good", kOne), entry("more", "bad", kOne)}),
            Texts{R"(/functions/more/tests/0: test "one": result is 3, not 1)"});
  EXPECT_EQ(function("code")->record.code, "code");
}

TEST_F(FailingTests, RunAsOftenAsTheyAreAsked) {
  // Workers keep JS modules by their id, so a draft has one of its own.
  executor_.answer("good", {gives("1")});
  EXPECT_EQ(failures({entry("code", "good", kOne)}), Texts{});
  EXPECT_EQ(failures({entry("code", "good", kOne)}), Texts{});
  const auto requests = executor_.requests();
  ASSERT_EQ(requests.size(), 2);
  EXPECT_NE(requests[0].module->id, requests[1].module->id);
}

}  // namespace
}  // namespace mb::functions
