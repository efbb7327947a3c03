#include "cli/wire.h"

#include <gtest/gtest.h>

#include "document/json.h"

namespace mb::cli {
namespace {

TEST(Wire, ARequestComesAsItWent) {
  const Request sent{"backup", {{"to", "/backups/a \"b\"\n"}, {"with-secret", "true"}}};
  const std::string line = encodeRequest(sent);
  EXPECT_EQ(std::count(line.begin(), line.end(), '\n'), 1);
  const auto got = decodeRequest(line);
  ASSERT_TRUE(got);
  EXPECT_EQ(got->command, sent.command);
  EXPECT_EQ(got->arguments, sent.arguments);
}

TEST(Wire, WhatIsNoRequestIsRefused) {
  const std::vector<std::string> lines = {
      "",
      "\n",
      "backup\n",
      "[]\n",
      "{}\n",
      R"({"version":1,"command":"check"})",
      R"({"version":2,"command":"check","arguments":{}})",
      R"({"version":1,"command":7,"arguments":{}})",
      R"({"version":1,"command":"check","arguments":{"to":1}})",
      R"({"version":1,"command":"check","arguments":{"a":{"b":"c"}}})",
      R"({"version":1,"command":"check","arguments":{},"more":1})",
      R"({"version":1,"command":"check","arguments":{)",
      std::string("\xff\xfe{}\n"),
      std::string(1000, '{'),
  };
  for (const auto& line : lines) EXPECT_FALSE(decodeRequest(line)) << line;
  Request many{"check", {}};
  for (int i = 0; i < 33; ++i) many.arguments["a" + std::to_string(i)] = "x";
  EXPECT_FALSE(decodeRequest(encodeRequest(many)));
}

TEST(Wire, MessagesComeAsTheyWent) {
  const Step step{"copying", 3, 1LL << 40};
  const auto gotStep = decodeMessage(encodeMessage(step));
  ASSERT_TRUE(gotStep);
  EXPECT_EQ(std::get<Step>(*gotStep), step);

  const auto gotOutcome = decodeMessage(encodeMessage(Outcome{1, "a\nb", *doc::parseJson(R"({"n":[1,{"x":null}]})")}));
  ASSERT_TRUE(gotOutcome);
  EXPECT_EQ(std::get<Outcome>(*gotOutcome).exitCode, 1);
  EXPECT_EQ(std::get<Outcome>(*gotOutcome).text, "a\nb");
  EXPECT_EQ(doc::toJson(std::get<Outcome>(*gotOutcome).result), R"({"n":[1,{"x":null}]})");

  const auto gotFailure = decodeMessage(encodeMessage(failureOf(Error(ErrorCode::notFound, "no such thing"))));
  ASSERT_TRUE(gotFailure);
  EXPECT_EQ(std::get<Failure>(*gotFailure).code, "NOT_FOUND");
  EXPECT_EQ(std::get<Failure>(*gotFailure).exitCode(), 1);
  EXPECT_EQ(failureOf(Error(ErrorCode::invalidParam, "x")).exitCode(), 2);
}

TEST(Wire, WhatIsNoMessageIsRefused) {
  for (const auto* line :
       {"", "{}", "null", R"({"progress":{"step":"x"}})", R"({"outcome":null})", R"({"failure":1})"}) {
    EXPECT_FALSE(decodeMessage(line)) << line;
  }
}

}  // namespace
}  // namespace mb::cli
