#include "functions/function_rules.h"

#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "document/json.h"

namespace mb::functions {
namespace {

std::vector<std::string> pathsOf(std::string_view text) {
  const auto function = doc::decode<NewFunction>(*doc::parseJson(text));
  if (!function) return {"undecodable: " + function.error().message()};
  std::vector<std::string> paths;
  for (const ErrorDetail& each : problemsOf(*function)) paths.push_back(each.path);
  return paths;
}

std::string with(std::string_view fields) {
  return fmt::format(R"({{"name":"greet","code":"x",{}}})", fields);
}

constexpr std::string_view kHttp = R"("trigger":{"type":"http","method":"GET","path":"/a/:b"})";
constexpr std::string_view kDatabase = R"("trigger":{"type":"database","collection":"orders","events":["insert"]})";

TEST(FunctionRules, WhatIsRightHasNoProblem) {
  for (const std::string& fields : {
           std::string(kHttp),
           std::string(kDatabase),
           fmt::format(R"({},"timing":"pre","timeoutMs":100)", kDatabase),
           fmt::format(R"({},"timing":"post","timeoutMs":60000,"enabled":false)", kDatabase),
           std::string(R"("trigger":{"type":"auth","event":"userCreated"})"),
           std::string(R"("trigger":{"type":"storage","event":"fileUploaded"})"),
           std::string(R"("trigger":{"type":"cron","schedule":"*/5 * * * *"})"),
           std::string(R"("trigger":{"type":"cron","schedule":"@daily"})"),
           std::string(R"("trigger":{"type":"cron","schedule":"@daily","timezone":"Europe/Zurich"})"),
           fmt::format(R"({},"retry":{{"attempts":1,"backoffSeconds":1}})", kDatabase),
           fmt::format(R"({},"timing":"post","retry":{{"attempts":10,"backoffSeconds":3600}})", kHttp),
           fmt::format(R"({},"tests":[{{"name":"a","event":{{}},"expect":{{"status":"success","result":1}}}},
             {{"name":"b","event":{{}},"auth":null,"seed":{{"orders":[{{"x":1}}]}},"stubs":{{"mail.send":{{}}}},
               "expect":{{"status":201,"error":"x","documents":{{"orders":[]}},"calls":[{{"op":"send"}}]}}}}])",
                       kHttp),
       }) {
    EXPECT_EQ(pathsOf(with(fields)), std::vector<std::string>{}) << fields;
  }
}

TEST(FunctionRules, EveryProblemIsReported) {
  struct Case {
    std::string body;
    std::vector<std::string> paths;
  };
  const auto trigger = [](std::string_view text) { return with(fmt::format(R"("trigger":{})", text)); };
  const auto http = [](std::string_view text) { return with(fmt::format("{},{}", kHttp, text)); };
  const std::vector<Case> cases = {
      {R"({"name":"G","code":"x","trigger":{"type":"auth","event":"userCreated"}})", {"/name"}},
      {R"({"name":"g","code":"x","trigger":{"type":"auth","event":"userCreated"}})", {"/name"}},
      {R"({"name":"stats","code":"x","trigger":{"type":"auth","event":"userCreated"}})", {"/name"}},
      {R"({"name":"a_b","code":"x","trigger":{"type":"auth","event":"userCreated"}})", {"/name"}},
      {R"({"name":"9ab","trigger":{}})", {"/name", "/trigger/type", "/code"}},
      {trigger(R"({"type":"Database"})"), {"/trigger/type"}},
      {trigger(R"({"type":"database"})"), {"/trigger/collection", "/trigger/events"}},
      {trigger(R"({"type":"database","collection":"__users","events":[]})"),
       {"/trigger/collection", "/trigger/events"}},
      {trigger(R"({"type":"database","collection":"users","events":["insert"]})"), {"/trigger/collection"}},
      {trigger(R"({"type":"database","collection":"a","events":["replace","insert","insert"]})"),
       {"/trigger/events/0", "/trigger/events/2"}},
      {trigger(R"({"type":"database","collection":"a","events":"insert"})"), {"/trigger/events"}},
      {trigger(R"({"type":"database","collection":"a","events":["insert"],"event":"x"})"), {"/trigger/event"}},
      {trigger(R"({"type":"auth","event":"login"})"), {"/trigger/event"}},
      {trigger(R"({"type":"storage","event":"userCreated"})"), {"/trigger/event"}},
      {trigger(R"({"type":"http","method":"get","path":"a"})"), {"/trigger/method", "/trigger/path"}},
      {trigger(R"({"type":"http","method":"HEAD","path":"/1/2/3/4/5/6/7/8/9"})"), {"/trigger/method", "/trigger/path"}},
      {trigger(R"({"type":"cron","schedule":"every day"})"), {"/trigger/schedule"}},
      {trigger(R"({"type":"cron","schedule":5})"), {"/trigger/schedule"}},
      {trigger(R"({"type":"cron","schedule":"@daily","timezone":"Mars/Olympus"})"), {"/trigger/timezone"}},
      {trigger(R"({"type":"cron","schedule":"@daily","timezone":"+01:00"})"), {"/trigger/timezone"}},
      {trigger(R"({"type":"cron","schedule":"@daily","timezone":""})"), {"/trigger/timezone"}},
      {trigger(R"({"type":"cron","timezone":null})"), {"/trigger/schedule", "/trigger/timezone"}},
      {trigger(R"({"type":"auth","event":"userCreated","timezone":"UTC"})"), {"/trigger/timezone"}},
      {http(R"("retry":{"attempts":0,"backoffSeconds":0})"), {"/retry/attempts", "/retry/backoffSeconds"}},
      {http(R"("retry":{"attempts":11,"backoffSeconds":3601})"), {"/retry/attempts", "/retry/backoffSeconds"}},
      {with(fmt::format(R"({},"timing":"pre","retry":{{"attempts":2,"backoffSeconds":1}})", kDatabase)), {"/retry"}},
      {http(R"("timing":"pre")"), {"/timing"}},
      {http(R"("timing":"during")"), {"/timing"}},
      {http(R"("timeoutMs":99)"), {"/timeoutMs"}},
      {http(R"("timeoutMs":60001)"), {"/timeoutMs"}},
      {fmt::format(R"({{"name":"ok","flow":{{}},{},"timing":"pre"}})", kDatabase), {"/timing"}},
      {http(R"("tests":[{}])"), {"/tests/0/name", "/tests/0/event", "/tests/0/expect"}},
      {http(R"("tests":[{"name":"a","event":{},"expect":{}},{"name":"a","event":1,"expect":[],"more":1}])"),
       {"/tests/1/event", "/tests/1/expect", "/tests/1/more", "/tests/1/name"}},
      {http(R"("tests":[{"name":"","event":{},"auth":7,"seed":{"__x":[],"a":{},"b":[1]},"stubs":{"x":1,".y":2},
                         "expect":{"status":"ok","error":1,"documents":[],"calls":{},"x":1}}])"),
       {"/tests/0/name", "/tests/0/auth", "/tests/0/seed/__x", "/tests/0/seed/a", "/tests/0/seed/b/0",
        "/tests/0/stubs/x", "/tests/0/stubs/.y", "/tests/0/expect/status", "/tests/0/expect/error",
        "/tests/0/expect/documents", "/tests/0/expect/calls", "/tests/0/expect/x"}},
  };
  for (const Case& each : cases) EXPECT_EQ(pathsOf(each.body), each.paths) << each.body;
}

TEST(FunctionRules, SizesAreBounded) {
  NewFunction function;
  function.name = "big";
  function.trigger = *doc::parseJson(R"({"type":"cron","schedule":"@daily"})");
  function.code = std::string(kMaxCodeBytes, 'x');
  EXPECT_TRUE(problemsOf(function).empty());
  function.code->push_back('x');
  EXPECT_EQ(problemsOf(function).at(0).path, "/code");
  function.code = std::string("a\0b", 3);
  EXPECT_EQ(problemsOf(function).at(0).path, "/code");
  function.code = "x";
  const auto test = [](size_t i, size_t bytes) {
    return *doc::parseJson(
        fmt::format(R"({{"name":"t{}","event":{{"x":"{}"}},"expect":{{}}}})", i, std::string(bytes, 'x')));
  };
  std::vector<doc::Document> tests;
  for (size_t i = 0; i < kMaxTests; ++i) tests.push_back(test(i, 10));
  function.tests = tests;
  EXPECT_TRUE(problemsOf(function).empty());
  function.tests->push_back(test(99, 10));
  EXPECT_EQ(problemsOf(function).at(0).path, "/tests");
  function.tests = std::vector{test(0, kMaxTestBytes)};
  EXPECT_EQ(problemsOf(function).at(0).path, "/tests");
}

TEST(FunctionRules, ATriggerHasOneForm) {
  const auto canonical = [](std::string_view text) { return doc::toJson(canonicalTrigger(*doc::parseJson(text))); };
  EXPECT_EQ(canonical(R"({"events":["delete","insert"],"collection":"a","type":"database"})"),
            R"({"type":"database","collection":"a","events":["insert","delete"]})");
  EXPECT_EQ(canonical(R"({"path":"/x","method":"GET","type":"http"})"),
            R"({"type":"http","method":"GET","path":"/x"})");
  EXPECT_EQ(routeOf(*doc::parseJson(R"({"type":"http","method":"GET","path":"/x/:y"})")), "GET /x/:");
  EXPECT_EQ(routeOf(*doc::parseJson(R"({"type":"cron","schedule":"@daily"})")), std::nullopt);
}

TEST(FunctionRules, ATestCaseHasOneForm) {
  const auto stored = canonicalTests({*doc::parseJson(
      R"({"expect":{"documents":{"b":[{"y":1,"x":2}],"a":[]},"result":{"d":1,"c":2},"status":"success"},
          "stubs":{"b.send":1,"a.send":{"z":1,"a":2}},"seed":{"b":[],"a":[{"k":1,"at":{"$date":"2026-01-31T09:30:00Z"}}]},
          "event":{"type":"manual","a":1},"name":"one"})")});
  ASSERT_TRUE(stored);
  EXPECT_EQ(doc::toJson(stored->front()),
            R"({"name":"one","event":{"type":"manual","a":1},)"
            R"("seed":{"a":[{"k":1,"at":{"$date":"2026-01-31T09:30:00.000Z"}}],"b":[]},)"
            R"("stubs":{"a.send":{"z":1,"a":2},"b.send":1},)"
            R"("expect":{"status":"success","result":{"d":1,"c":2},"documents":{"a":[],"b":[{"y":1,"x":2}]}}})");
}

}  // namespace
}  // namespace mb::functions
