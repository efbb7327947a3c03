#include "configuration/bundle.h"
#include "functions/flow_compiler.h"
#include "functions/functions_fixture.h"
#include "functions/http_routes.h"

namespace mb::functions {
namespace {

class FunctionKindTest : public FunctionsFixture {
 protected:
  static std::string document(std::string_view functions) {
    return fmt::format(R"({{"formatVersion":1,"functions":{}}})", functions);
  }
  template <class T>
  static std::vector<std::string> paths(const Result<T>& result) {
    std::vector<std::string> found;
    if (result) return found;
    for (const ErrorDetail& each : result.error().details()) found.push_back(each.path);
    return found;
  }
  using Paths = std::vector<std::string>;

  // The section of an export.
  std::string section(store::ProjectNo project) {
    const auto whole = json(exported(project));
    std::string out;
    doc::writeJsonValue(out, *whole.view().find("functions"));
    return out;
  }
};

constexpr std::string_view kGreet =
    R"({"name":"greet","trigger":{"type":"http","method":"GET","path":"/hi"},"code":"export default () => 1;"})";

TEST_F(FunctionKindTest, AnExportIsTheSameAfterAnImport) {
  NewFunction plain = function("plain");
  plain.timeoutMs = 500;
  plain.timing = "pre";
  plain.enabled = false;
  plain.tests = {json(R"({"name":"a","event":{"at":{"$date":"2026-01-31T09:30:00Z"}},"expect":{}})")};
  ASSERT_TRUE(create(plain));
  NewFunction flowing = function("flowing", kHttp);
  flowing.code.reset();
  flowing.flow = flow();
  ASSERT_TRUE(create(flowing));
  const std::string before = exported(shop_);
  EXPECT_TRUE(section(shop_).starts_with(R"([{"name":"flowing","trigger":{"type":"http",)")) << section(shop_);
  EXPECT_TRUE(section(shop_).contains(
      R"({"name":"plain","trigger":{"type":"database","collection":"orders","events":["insert"]},"timing":"pre",)"
      R"("code":"export default async () => 1;\n","enabled":false,"timeoutMs":500,"tests":[{)"))
      << section(shop_);
  const store::ProjectNo other = project();
  ASSERT_EQ(summary(import(other, before)), "2 0 0");
  EXPECT_EQ(section(other), section(shop_));
  EXPECT_EQ(summary(plan(other, before)), "0 0 2");
  EXPECT_EQ(summary(plan(shop_, before)), "0 0 2");
  // Through the files of a bundle as well.
  const auto text = doc::parseJson(before, {.maxDepth = 100, .extended = doc::ExtendedJson::refuse});
  const auto files = configuration::bundleOf(*text);
  ASSERT_TRUE(files) << files.error().message();
  const auto joined = configuration::documentOf(*files);
  ASSERT_TRUE(joined) << joined.error().message();
  EXPECT_EQ(summary(plan(shop_, doc::toJson(*joined))), "0 0 2");
}

TEST_F(FunctionKindTest, AbsentFieldsKeepTheirValueOrGetDefaults) {
  ASSERT_EQ(summary(import(shop_, document(fmt::format("[{}]", kGreet)))), "1 0 0");
  EXPECT_TRUE(view("greet").enabled);
  EXPECT_EQ(view("greet").timing, "post");
  ASSERT_TRUE(change("greet", R"({"enabled":false,"timeoutMs":900})"));
  EXPECT_EQ(summary(import(shop_, document(fmt::format("[{}]", kGreet)))), "0 0 1");
  EXPECT_FALSE(view("greet").enabled);
  EXPECT_EQ(view("greet").timeoutMs.value, 900);
  std::string cleared(kGreet);
  cleared.insert(cleared.size() - 1, R"(,"timeoutMs":null,"enabled":true)");
  EXPECT_EQ(summary(import(shop_, document(fmt::format("[{}]", cleared)))), "0 1 0");
  EXPECT_EQ(view("greet").timeoutMs.value, std::nullopt);
  EXPECT_TRUE(view("greet").enabled);
}

TEST_F(FunctionKindTest, RetriesAndTimeZonesAreInItWhereTheyAreSet) {
  ASSERT_EQ(summary(import(shop_, document(R"([
      {"name":"nightly","trigger":{"timezone":"Europe/Zurich","type":"cron","schedule":"@daily"},"code":"x",
       "retry":{"backoffSeconds":30,"attempts":4}},
      {"name":"plain","trigger":{"type":"cron","schedule":"@daily"},"code":"x"}])"))),
            "2 0 0");
  const std::string whole = section(shop_);
  EXPECT_EQ(
      whole,
      R"([{"name":"nightly","trigger":{"type":"cron","schedule":"@daily","timezone":"Europe/Zurich"},)"
      R"("timing":"post","code":"x\n","enabled":true,"timeoutMs":null,"retry":{"attempts":4,"backoffSeconds":30}},)"
      R"({"name":"plain","trigger":{"type":"cron","schedule":"@daily"},"timing":"post","code":"x\n",)"
      R"("enabled":true,"timeoutMs":null}])");
  EXPECT_EQ(summary(plan(shop_, document(whole))), "0 0 2");
  // Absent means none.
  EXPECT_EQ(summary(import(shop_, document(R"([
      {"name":"nightly","trigger":{"type":"cron","schedule":"@daily"},"code":"x"}])"))),
            "0 1 0");
  EXPECT_FALSE(view("nightly").retry);
  EXPECT_EQ(paths(import(shop_, document(R"([
      {"name":"aa","trigger":{"type":"cron","schedule":"@daily","timezone":"Here"},"code":"x"},
      {"name":"bb","trigger":{"type":"cron","schedule":"@daily"},"code":"x","retry":{"attempts":99,"backoffSeconds":1}},
      {"name":"cc","trigger":{"type":"database","collection":"orders","events":["insert"]},"timing":"pre","code":"x",
       "retry":{"attempts":2,"backoffSeconds":1}}])"))),
            (Paths{"/functions/0/trigger/timezone", "/functions/1/retry/attempts", "/functions/2/retry"}));
}

TEST_F(FunctionKindTest, UnchangedCodeIsNotCheckedAgain) {
  ASSERT_EQ(summary(import(shop_, document(fmt::format("[{}]", kGreet)))), "1 0 0");
  const int before = executor_.checks;
  EXPECT_EQ(summary(import(shop_, document(fmt::format("[{}]", kGreet)))), "0 0 1");
  EXPECT_EQ(before, 1);
  EXPECT_EQ(executor_.checks, before);
  executor_.unavailable = true;
  EXPECT_EQ(
      codeOf(import(shop_, document(R"([{"name":"new","trigger":{"type":"cron","schedule":"@daily"},"code":"x"}])"))),
      "UNAVAILABLE");
}

TEST_F(FunctionKindTest, AFlowsCodeIsCompiledWhateverTheDocumentSays) {
  const std::string entry =
      fmt::format(R"([{{"name":"flowing","trigger":{{"type":"cron","schedule":"@daily"}},"code":"edited","flow":{}}}])",
                  doc::toJson(flow()));
  ASSERT_EQ(summary(import(shop_, document(entry))), "1 0 0");
  EXPECT_TRUE(view("flowing").code.starts_with(kFlowHeader));
  EXPECT_EQ(summary(plan(shop_, document(entry))), "0 0 1");
  // Without its flow it has code by hand.
  ASSERT_EQ(
      summary(import(shop_,
                     document(R"([{"name":"flowing","trigger":{"type":"cron","schedule":"@daily"},"code":"mine"}])"))),
      "0 1 0");
  EXPECT_EQ(view("flowing").code, "mine\n");
  ASSERT_EQ(summary(import(shop_, document(entry))), "0 1 0");
  EXPECT_TRUE(view("flowing").flow.value);
}

TEST_F(FunctionKindTest, EveryProblemIsReportedAndNothingIsDone) {
  ASSERT_TRUE(create(function("taken", R"({"type":"http","method":"GET","path":"/a/:b"})")));
  const auto refused = import(shop_, document(R"([
      {"name":"Bad","trigger":{"type":"cron","schedule":"@daily"},"code":"x"},
      {"name":"broken","trigger":{"type":"cron","schedule":"@daily"},"code":"\nsyntax!"},
      {"name":"none","trigger":{"type":"cron","schedule":"never"}},
      {"name":"twice","trigger":{"type":"cron","schedule":"@daily"},"code":"x"},
      {"name":"twice","trigger":{"type":"cron","schedule":"@daily"},"code":"x"},
      {"name":"route","trigger":{"type":"http","method":"GET","path":"/a/:c"},"code":"x"},
      {"name":"one","trigger":{"type":"http","method":"PUT","path":"/x"},"code":"x"},
      {"name":"two","trigger":{"type":"http","method":"PUT","path":"/x"},"code":"x"},
      {"name":"flow","trigger":{"type":"cron","schedule":"@daily"},"flow":{"nodes":[],"edges":[]},"more":1},
      {"name":"flow-b","trigger":{"type":"cron","schedule":"@daily"},"flow":{"nodes":[],"edges":[]}},
      7])"));
  EXPECT_EQ(paths(refused),
            (Paths{"/functions/0/name", "/functions/1/code", "/functions/2/trigger/schedule", "/functions/2/code",
                   "/functions/4/name", "/functions/8/more", "/functions/9/flow/nodes", "/functions/10",
                   "/functions/5/trigger/path", "/functions/7/trigger/path"}));
  EXPECT_EQ(functions_.list(*snapshot(shop_)).size(), 1u);
}

TEST_F(FunctionKindTest, RoutesChangeHands) {
  const auto http = [](std::string_view name, std::string_view path) {
    return fmt::format(R"({{"name":"{}","trigger":{{"type":"http","method":"GET","path":"{}"}},"code":"x"}})", name,
                       path);
  };
  ASSERT_EQ(
      summary(import(shop_, document(fmt::format("[{},{},{}]", http("aa", "/1"), http("bb", "/2"), http("cc", "/3"))))),
      "3 0 0");
  const std::string turned = document(fmt::format("[{},{},{}]", http("aa", "/2"), http("bb", "/1"), http("dd", "/3")));
  EXPECT_EQ(codeOf(plan(shop_, turned)), "VALIDATION");
  const std::string whole =
      document(fmt::format("[{},{},{},{}]", http("aa", "/2"), http("bb", "/1"), http("cc", "/4"), http("dd", "/3")));
  const auto done = import(shop_, whole);
  ASSERT_EQ(summary(done), "1 3 0");
  EXPECT_EQ(summary(import(shop_, whole)), "0 0 4");
  const auto& routes = *snapshot(shop_)->get(functions_.slot()).routes;
  const std::vector<std::string> one = {"1"};
  EXPECT_EQ(routes.match("GET", one).function->name(), "bb");
}

TEST_F(FunctionKindTest, AChangeTakesThePermission) {
  const auto reader = callerWith({"config:manage"});
  EXPECT_EQ(codeOf(import(shop_, document(fmt::format("[{}]", kGreet)), reader)), "FORBIDDEN");
  ASSERT_TRUE(import(shop_, document(fmt::format("[{}]", kGreet)), callerWith({"functions:manage"})));
  EXPECT_TRUE(import(shop_, document(fmt::format("[{}]", kGreet)), reader));
}

TEST_F(FunctionKindTest, FieldsInFlowsAndTestsMayBeCalledAnything) {
  const std::string entry = R"([{"name":"greet","trigger":{"type":"cron","schedule":"@daily"},"code":"x",
      "tests":[{"name":"a","event":{"clientSecret":"x"},"expect":{}}]}])";
  EXPECT_EQ(summary(import(shop_, document(entry))), "1 0 0");
  EXPECT_EQ(codeOf(import(shop_, document(R"([{"name":"b","clientSecret":"x"}])"))), "VALIDATION");
}

}  // namespace
}  // namespace mb::functions
