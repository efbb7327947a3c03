#include "api/run_message.h"

#include <gtest/gtest.h>

#include "document/json.h"

namespace mb::api {
namespace {

http::Request request(http::Method method, std::string_view path) {
  http::Request made;
  made.method = method;
  made.path = path;
  return made;
}

std::string bodyOf(std::string_view contentType, std::string_view body) {
  http::Request made = request(http::Method::post, "/api/v1/run/shop");
  if (!contentType.empty()) made.headers.push_back({"Content-Type", contentType});
  made.body = body;
  const auto read = runRequest(made, {}, {.service = ""});
  if (!read) return std::string(meaningOf(read.error().code()).wire);
  const doc::ValueView value = *read->view().find("body");
  std::string out = value.type() == doc::BsonType::binary ? "bytes " : "";
  doc::writeJsonValue(out, value);
  return out;
}

TEST(RunMessage, aPathIsWhatStandsBehindTheProject) {
  EXPECT_EQ("/", runPath("/api/v1/run/shop"));
  EXPECT_EQ("/a", runPath("/api/v1/run/shop/a"));
  EXPECT_EQ("/a%20b/c", runPath("/api/v1/run/shop/a%20b/c"));
}

TEST(RunMessage, tellsAllOfARequest) {
  http::Request made = request(http::Method::get, "/api/v1/run/shop/orders/a%20b");
  made.query = "q=1&q=2&empty=&plus=a+b";
  made.headers = {{"X-One", "1"}, {"x-one", "2"}, {"Cookie", "a=1"}, {"cookie", "b=2"}, {"X-Latin", "\xE4"}};
  const Captures params{{"id", "a b"}};
  EXPECT_EQ(R"({"type":"http","method":"GET","path":"/orders/a%20b","params":{"id":"a b"}})",
            doc::toJson(runEvent(made, params)));
  const auto read = runRequest(made, params, {.service = "https://api.example.com"});
  ASSERT_TRUE(read);
  EXPECT_EQ(R"({"method":"GET","path":"/orders/a%20b","service":"https://api.example.com","params":{"id":"a b"},)"
            R"("query":{"q":["1","2"],"empty":"","plus":"a b"},)"
            R"("headers":{"x-one":"1, 2","cookie":"a=1; b=2","x-latin":"ä"},"body":null})",
            doc::toJson(*read));
}

TEST(RunMessage, aTokenOfOursIsNotShown) {
  http::Request made = request(http::Method::get, "/api/v1/run/shop");
  made.headers = {{"Authorization", "Bearer x"}};
  EXPECT_EQ("Bearer x", runRequest(made, {}, {.service = ""})->view().findPath("headers.authorization")->asString());
  EXPECT_FALSE(runRequest(made, {}, {.service = "", .hideToken = true})->view().findPath("headers.authorization"));
}

TEST(RunMessage, aBodyIsWhatItSaysItIs) {
  EXPECT_EQ("null", bodyOf("application/json", ""));
  EXPECT_EQ(R"({"a":[1]})", bodyOf("application/json", R"({"a":[1]})"));
  EXPECT_EQ("3", bodyOf("Application/JSON; charset=utf-8", "3"));
  EXPECT_EQ(R"({"$date":"x"})", bodyOf("application/cloudevents+json", R"({"$date":"x"})"));
  EXPECT_EQ("INVALID_JSON", bodyOf("application/json", "{"));
  EXPECT_EQ("INVALID_JSON", bodyOf("application/json", R"({"a":1,"a":2})"));
  EXPECT_EQ("INVALID_JSON", bodyOf("application/json", std::string(200, '[') + std::string(200, ']')));
  EXPECT_EQ(R"("a=1")", bodyOf("application/x-www-form-urlencoded", "a=1"));
  EXPECT_EQ(R"("hi")", bodyOf("text/plain", "hi"));
  EXPECT_EQ(R"("hi")", bodyOf("", "hi"));
  EXPECT_EQ(R"(bytes "/w==")", bodyOf("", "\xFF"));
  EXPECT_EQ(R"(bytes "/w==")", bodyOf("text/plain", "\xFF"));
  EXPECT_EQ(R"(bytes "aGk=")", bodyOf("image/png", "hi"));
}

TEST(RunMessage, aBrokenQueryIsRefused) {
  http::Request made = request(http::Method::get, "/api/v1/run/shop");
  made.query = "a=%zz";
  const auto read = runRequest(made, {}, {.service = ""});
  ASSERT_FALSE(read);
  EXPECT_EQ(ErrorCode::invalidParam, read.error().code());
}

struct Sent {
  int status;
  const char* body;
  const char* contentType;
  const char* sent;
};

std::string responseHeader(const http::Response& response, std::string_view name) {
  for (const auto& [key, value] : response.headers) {
    if (key == name) return value;
  }
  return "";
}

TEST(RunMessage, ResponsesKeepTheirTypes) {
  const Sent cases[] = {
      {200, R"("hi")", "text/plain; charset=utf-8", "hi"},
      {200, R"({"a":1})", "application/json", R"({"a":1})"},
      {200, "[1,2]", "application/json", "[1,2]"},
      {200, "true", "application/json", "true"},
      {200, "null", "application/json", "null"},
      {404, "null", "application/json", "null"},
      {204, R"({"a":1})", "", ""},
      {304, "null", "", ""},
      {302, "null", "", ""},
      {200, R"({"$binary":{"base64":"/w==","subType":"00"}})", "application/octet-stream", "\xFF"},
  };
  for (const Sent& each : cases) {
    functions::HttpResult result;
    result.status = each.status;
    result.body = doc::Value(doc::parseJsonValue(each.body)->view().begin()->value);
    const http::Response response = runResponse(std::move(result), functions::Origin::shared, "run_1");
    EXPECT_EQ(each.status, response.status);
    EXPECT_EQ(each.contentType, response.contentType) << each.body;
    EXPECT_EQ(each.sent, response.body);
    EXPECT_EQ("sandbox allow-scripts allow-forms allow-popups", responseHeader(response, "content-security-policy"));
    EXPECT_EQ("nosniff", responseHeader(response, "x-content-type-options"));
  }
}

TEST(RunMessage, aTypeThatIsGivenStands) {
  functions::HttpResult result;
  result.headers = {{"content-type", "text/html"}, {"x-a", "1"}, {"x-content-type-options", "off"}};
  const http::Response response = runResponse(std::move(result), functions::Origin::shared, "run_1");
  EXPECT_EQ("text/html", response.contentType);
  EXPECT_EQ("1", responseHeader(response, "x-a"));
  EXPECT_EQ("nosniff", responseHeader(response, "x-content-type-options"));
  EXPECT_EQ("run_1", responseHeader(response, "x-service-run"));
}

TEST(RunMessage, anOriginOfItsOwnHasNoSandbox) {
  EXPECT_EQ("", responseHeader(runResponse({}, functions::Origin::own, "run_1"), "content-security-policy"));
  EXPECT_EQ("", responseHeader(runFailure(500, "function error", functions::Origin::own, "run_1"),
                               "content-security-policy"));
}

TEST(RunMessage, aFailureSaysNoMore) {
  const http::Response response = runFailure(504, "function timed out", functions::Origin::shared, "run_1");
  EXPECT_EQ(504, response.status);
  EXPECT_EQ(R"({"error":"function timed out"})", response.body);
  EXPECT_EQ("run_1", responseHeader(response, "x-service-run"));
}

}  // namespace
}  // namespace mb::api
