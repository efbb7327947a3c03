// The results of runs: of a pre-hook, of an http function, and compared with a stored test's expectations.
#include <gtest/gtest.h>

#include "document/json.h"
#include "functions/expected_documents.h"
#include "functions/hook_result.h"
#include "functions/http_result.h"

namespace mb::functions {
namespace {

doc::Value value(std::string_view json) {
  auto parsed = doc::parseJsonValue(json);
  EXPECT_TRUE(parsed) << json;
  return doc::Value(parsed->view().begin()->value);
}
std::string text(doc::ValueView value) {
  std::string out;
  doc::writeJsonValue(out, value);
  return out;
}

// ---- hooks

struct Hook {
  const char* result;
  const char* means;  // "allow", "abort <reason>", "document <json>", "refused"
};

TEST(HookResult, isOneOfThree) {
  const Hook cases[] = {
      {"null", "allow"},
      {"true", "allow"},
      {"[]", "allow"},
      {R"("abort")", "allow"},
      {"{}", "allow"},
      {R"({"abort":false})", "allow"},
      {R"({"abort":null,"reason":"x"})", "allow"},
      {R"({"abort":0})", "allow"},
      {R"({"abort":true})", "abort "},
      {R"({"abort":true,"reason":"no"})", "abort no"},
      {R"({"abort":1,"reason":7})", "abort "},
      {R"({"abort":"yes"})", "abort "},
      {R"({"abort":true,"document":{"a":1}})", "abort "},
      {R"({"document":null})", "allow"},
      {R"({"document":{"a":1}})", R"(document {"a":1})"},
      {R"({"document":{}})", "document {}"},
      {R"({"document":[1]})", "refused"},
      {R"({"document":"x"})", "refused"},
  };
  for (const Hook& each : cases) {
    const auto answer = hookResult(value(each.result));
    std::string means = "allow";
    if (!answer) {
      means = "refused";
    } else if (answer->abort) {
      means = "abort " + *answer->abort;
    } else if (answer->document) {
      means = "document " + doc::toJson(*answer->document);
    }
    EXPECT_EQ(each.means, means) << each.result;
  }
}

TEST(HookResult, aReasonIsTruncatedAtACharacter) {
  const auto answer = hookResult(value(fmt::format(R"({{"abort":true,"reason":"{}é"}})", std::string(499, 'x'))));
  EXPECT_EQ(std::string(499, 'x'), answer->abort);
}

TEST(HookResult, keepsTypesOfWhatStayedTheSame) {
  const auto before = doc::parseJson(
      R"({"oid":{"$oid":"507f1f77bcf86cd799439011"},"dec":{"$numberDecimal":"1.50"},"real":2.0,)"
      R"("nested":{"list":[{"dec":{"$numberDecimal":"3"}},1]},"gone":1,"other":{"$oid":"507f1f77bcf86cd799439011"}})");
  const auto returned = doc::parseJson(
      R"({"oid":"507f1f77bcf86cd799439011","dec":"1.50","real":2,"nested":{"list":[{"dec":"3"},2,"new"]},)"
      R"("other":"507f1f77bcf86cd799439012","added":true})");
  const doc::Document merged = withOriginalTypes(*before, *returned);
  const doc::DocumentView view = merged;
  EXPECT_EQ(doc::BsonType::objectId, view.find("oid")->type());
  EXPECT_EQ(doc::BsonType::decimal, view.find("dec")->type());
  EXPECT_EQ(doc::BsonType::real, view.find("real")->type());
  EXPECT_EQ(doc::BsonType::string, view.find("other")->type());
  EXPECT_FALSE(view.find("gone"));
  EXPECT_EQ(R"({"list":[{"dec":"3"},2,"new"]})", doc::toJson(view.find("nested")->asDocument()));
  EXPECT_EQ(
      doc::BsonType::decimal,
      view.findPath("nested")->asDocument().find("list")->asDocument().find("0")->asDocument().find("dec")->type());
}

// ---- http

struct Http {
  const char* result;
  const char* answer;  // "<status> <body> <header>=<value>…", or "refused"
};

std::string shown(const Result<HttpResult>& answer) {
  if (!answer) return "refused";
  std::string out = fmt::format("{} {}", answer->status, text(answer->body));
  for (const auto& [name, content] : answer->headers) out += fmt::format(" {}={}", name, content);
  return out;
}

TEST(HttpResult, isAResponseOrAValue) {
  const Http cases[] = {
      {"null", "200 null"},
      {R"("hi")", R"(200 "hi")"},
      {"[1]", "200 [1]"},
      {"{}", "200 {}"},
      {R"({"a":1})", R"(200 {"a":1})"},
      {R"({"status":201})", "201 null"},
      {R"({"body":{"a":1}})", R"(200 {"a":1})"},
      {R"({"status":404,"body":"no"})", R"(404 "no")"},
      {R"({"status":"active"})", R"(200 {"status":"active"})"},
      {R"({"status":200,"other":1})", R"(200 {"status":200,"other":1})"},
      {R"({"headers":"x"})", R"(200 {"headers":"x"})"},
      {R"({"status":100})", "refused"},
      {R"({"status":600})", "refused"},
      {R"({"status":200.5})", "refused"},
      {R"({"headers":{"X-A":"1","x-list":["1","2"],"x-n":3,"x-b":true,"x-null":null,"x-o":{}}})",
       "200 null x-a=1 x-list=1 x-list=2 x-n=3 x-b=true"},
      {R"({"headers":{"Content-Type":"text/html","Set-Cookie":"a=b","Connection":"close","Content-Length":"3",)"
       R"("Access-Control-Allow-Origin":"*","X-Request-Id":"x","Transfer-Encoding":"chunked","Date":"now"}})",
       "200 null content-type=text/html"},
      {R"({"headers":{"x y":"1","":"1","x:":"1","x-v":"a\r\nset-cookie: b","x-w":"a\u0000","x-u":"ä"}})",
       "200 null x-u=ä"},
  };
  for (const Http& each : cases) EXPECT_EQ(each.answer, shown(httpResult(value(each.result), Origin::shared)));
}

TEST(HttpResult, anOriginOfItsOwnMaySetCookies) {
  EXPECT_EQ("200 null set-cookie=a=b", shown(httpResult(value(R"({"headers":{"set-cookie":"a=b"}})"), Origin::own)));
}

TEST(HttpResult, cookiesAreOfTheirHostAlone) {
  const std::pair<const char*, const char*> cases[] = {
      {"a=b; Domain=example.com", "a=b"},
      {"a=b;domain=.example.com;Path=/; DOMAIN = x ;HttpOnly", "a=b;Path=/;HttpOnly"},
      {R"(a=b;\t domain\t=x; domain; domains=1)", "a=b; domains=1"},
      {"domain=a; Path=/domain=b", "domain=a; Path=/domain=b"},
      {R"(a=\"x; domain=y\")", "a=\"x"},
      {"a=b;", "a=b;"},
  };
  for (const auto& [given, sent] : cases) {
    const doc::Value result = value(fmt::format(R"({{"headers":{{"Set-Cookie":"{}"}}}})", given));
    EXPECT_EQ(fmt::format("200 null set-cookie={}", sent), shown(httpResult(result, Origin::own)));
  }
  for (const Origin origin : {Origin::own, Origin::shared}) {
    EXPECT_EQ("200 null", shown(httpResult(value(R"({"headers":{"Service-Worker-Allowed":"/"}})"), origin)));
  }
}

TEST(HttpResult, headersAreBounded) {
  std::string many = R"({"headers":{"x":[)";
  for (int i = 0; i < 65; ++i) many += i == 0 ? R"("v")" : R"(,"v")";
  EXPECT_EQ("refused", shown(httpResult(value(many + "]}}"), Origin::shared)));
  const std::string large = fmt::format(R"({{"headers":{{"x":"{}"}}}})", std::string(17 << 10, 'x'));
  EXPECT_EQ("refused", shown(httpResult(value(large), Origin::shared)));
}

// ---- expectations

TEST(ExpectedDocuments, eachExpectedHasADocumentOfItsOwn) {
  const auto unmatched = [](std::vector<const char*> expected, std::vector<const char*> actual) {
    std::vector<doc::Value> values;
    std::vector<doc::ValueView> left, right;
    for (const char* each : expected) values.push_back(value(each));
    for (const char* each : actual) values.push_back(value(each));
    for (size_t i = 0; i < values.size(); ++i) (i < expected.size() ? left : right).push_back(values[i].view());
    ExpectedDocuments all(left);
    for (const doc::ValueView each : right) all.offer(each);
    return all.firstUnmatched();
  };
  EXPECT_EQ(std::nullopt, unmatched({}, {R"({"a":1})"}));
  EXPECT_EQ(std::nullopt, unmatched({R"({"a":1})"}, {R"({"b":1})", R"({"a":1,"c":1})"}));
  // The first matches both, and must leave the only one that the second matches.
  EXPECT_EQ(std::nullopt, unmatched({"{}", R"({"a":1})"}, {R"({"a":1})", R"({"b":1})"}));
  EXPECT_EQ(1, unmatched({R"({"a":1})", R"({"a":1})"}, {R"({"a":1})"}));
  EXPECT_EQ(0, unmatched({R"({"a":2})"}, {}));
  // Each matches the first two; the third is left for the last.
  EXPECT_EQ(std::nullopt, unmatched({"{}", "{}", R"({"b":1})"}, {"{}", "{}", R"({"b":1})", "{}"}));
}

}  // namespace
}  // namespace mb::functions
