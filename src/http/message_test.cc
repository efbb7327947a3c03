#include "http/message.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mb::http {
namespace {

using namespace std::string_view_literals;

using testing::ElementsAre;
using testing::Pair;

TEST(Message, PercentDecoding) {
  const std::pair<std::string_view, std::string> good[] = {
      {"", ""}, {"abc", "abc"}, {"a%20b", "a b"}, {"%C3%a9", "é"}, {"+", "+"}, {"%2B", "+"}, {"é", "é"}};
  for (const auto& [text, decoded] : good) EXPECT_EQ(percentDecode(text), decoded) << text;
  EXPECT_EQ(percentDecode("a+b%2B", true), "a b+");
  for (const std::string_view bad :
       {"%", "%2", "a%", "%zz", "%2g", "%00", "a%00b", "%ff", "%C3", "%c0%af", "%ed%a0%80"}) {
    EXPECT_FALSE(percentDecode(bad)) << bad;
  }
  EXPECT_FALSE(percentDecode("\0"sv));
  EXPECT_FALSE(percentDecode("\xff"));
}

TEST(Message, SplitsPaths) {
  EXPECT_THAT(splitPath("/").value(), ElementsAre());
  EXPECT_THAT(splitPath("/api/v1/x%2Fy").value(), ElementsAre("api", "v1", "x/y"));
  EXPECT_THAT(splitPath("/a/").value(), ElementsAre("a", ""));
  EXPECT_THAT(splitPath("//a").value(), ElementsAre("", "a"));
  EXPECT_THAT(splitPath("/a/../b").value(), ElementsAre("a", "..", "b"));
  EXPECT_THAT(splitPath("/%2e%2e").value(), ElementsAre(".."));
  EXPECT_THAT(splitPath("/a+b").value(), ElementsAre("a+b"));
  for (const std::string_view bad : {"", "*", "a", "/%", "/a/%00", "/%ff"}) {
    const auto path = splitPath(bad);
    ASSERT_FALSE(path) << bad;
    EXPECT_EQ(path.error().code(), ErrorCode::notFound);
  }
}

TEST(Message, ReadsQueries) {
  const auto params = QueryParams::parse("a=1&b=x+y%26&&flag&a=2&=nameless&c=p=q").value();
  EXPECT_EQ(params.get("a"), "1");
  EXPECT_EQ(params.get("b"), "x y&");
  EXPECT_EQ(params.get("flag"), "");
  EXPECT_EQ(params.get(""), "nameless");
  EXPECT_EQ(params.get("c"), "p=q");
  EXPECT_FALSE(params.get("d"));
  EXPECT_TRUE(QueryParams::parse(""));
  for (const std::string_view bad : {"a=%", "%zz=1", "a=%00", "a=%ff"}) {
    const auto query = QueryParams::parse(bad);
    ASSERT_FALSE(query) << bad;
    EXPECT_EQ(query.error().code(), ErrorCode::invalidParam);
  }
}

TEST(Message, HeadersAreFoundInAnyCase) {
  Request request;
  request.headers = {{"Content-Type", "a"}, {"X-Twice", "1"}, {"x-twice", "2"}};
  EXPECT_EQ(request.header("content-type"), "a");
  EXPECT_EQ(request.header("x-twice"), "1");
  EXPECT_FALSE(request.header("content"));
  EXPECT_TRUE(equalsIgnoreCase("GZip", "gzIP"));
  EXPECT_FALSE(equalsIgnoreCase("a[", "a{"));
}

TEST(Message, FailuresCarryWhatTheirCodeAsksFor) {
  const Response limited = Response::failure(Error(ErrorCode::rateLimited, "slow down").withRetryAfter(9));
  EXPECT_EQ(limited.status, 429);
  EXPECT_EQ(limited.contentType, "application/json");
  EXPECT_EQ(limited.body, R"({"error":{"code":"RATE_LIMITED","message":"slow down"}})");
  const auto nosniff = Pair("x-content-type-options", "nosniff");
  EXPECT_THAT(limited.headers, ElementsAre(nosniff, Pair("retry-after", "9")));
  for (const ErrorCode code : {ErrorCode::unauthenticated, ErrorCode::invalidCredentials}) {
    EXPECT_THAT(Response::failure(Error(code, "who?")).headers,
                ElementsAre(nosniff, Pair("www-authenticate", "Bearer")));
  }
  EXPECT_THAT(Response::failure(Error(ErrorCode::methodNotAllowed, "no").withAllow("GET, HEAD")).headers,
              ElementsAre(nosniff, Pair("allow", "GET, HEAD")));
  EXPECT_THAT(Response::failure(Error(ErrorCode::forbidden, "no")).headers, ElementsAre(nosniff));
}

}  // namespace
}  // namespace mb::http
