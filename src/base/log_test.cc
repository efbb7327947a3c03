#include "base/log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace mb {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;

class Log : public testing::Test {
 protected:
  void TearDown() override { configureLog(LogLevel::info, LogFormat::text); }
  // What `write` prints to standard error.
  template <class F>
  static std::string captured(F write) {
    testing::internal::CaptureStderr();
    write();
    return testing::internal::GetCapturedStderr();
  }
};

TEST_F(Log, JsonLinesHoldTimeLevelMessageAndFields) {
  configureLog(LogLevel::info, LogFormat::json);
  const std::string line = captured(
      [] { logInfo("request", {{"path", "/a"}, {"status", 200}, {"ms", 1.5}, {"ok", true}, {"size", size_t{7}}}); });
  EXPECT_THAT(line, MatchesRegex(R"rx(\{"time":"[-0-9]+T[0-9:.]+Z","level":"info","msg":"request",)rx"
                                 R"rx("path":"/a","status":200,"ms":1.500,"ok":true,"size":7\})rx"
                                 "\n"));
}

TEST_F(Log, JsonStaysJsonWhateverIsLogged) {
  configureLog(LogLevel::info, LogFormat::json);
  const std::string line = captured(
      [] { logWarn("a \"b\"\n", {{"bytes", "\xff\x01"}, {"number", std::numeric_limits<double>::quiet_NaN()}}); });
  EXPECT_THAT(line, HasSubstr(R"("msg":"a \"b\"\u000a","bytes":")"
                              "\xEF\xBF\xBD"
                              R"(\u0001","number":null})"));
  EXPECT_EQ(std::ranges::count(line, '\n'), 1);
}

TEST_F(Log, TextQuotesWhatIsNotPlain) {
  configureLog(LogLevel::info, LogFormat::text);
  const std::string line = captured(
      [] { logError("it broke\nbadly", {{"plain", "abc"}, {"spaced", "a b"}, {"evil", "\x1b[2J\n"}, {"empty", ""}}); });
  EXPECT_THAT(line, HasSubstr(R"(error it broke badly plain=abc spaced="a b" evil="\u001b[2J\u000a" empty="")"));
  EXPECT_EQ(std::ranges::count(line, '\n'), 1);
  EXPECT_THAT(line, Not(HasSubstr("\x1b"))) << "no colours outside a terminal";
}

TEST_F(Log, LevelsBelowTheLeastAreSilent) {
  configureLog(LogLevel::warn, LogFormat::text);
  EXPECT_FALSE(logEnabled(LogLevel::info));
  EXPECT_TRUE(logEnabled(LogLevel::error));
  EXPECT_EQ(captured([] {
              logDebug("no");
              logInfo("no");
            }),
            "");
  configureLog(LogLevel::off, LogFormat::text);
  EXPECT_EQ(captured([] { logError("no"); }), "");
  configureLog(LogLevel::debug, LogFormat::text);
  EXPECT_THAT(captured([] { logDebug("yes"); }), HasSubstr("yes"));
}

}  // namespace
}  // namespace mb
