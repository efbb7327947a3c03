#include "integrations/http_message.h"

#include <gtest/gtest.h>

#include "document/json.h"

namespace mb::integrations {
namespace {

std::string answered(std::vector<outbound::Header> headers, std::string body, int status = 200) {
  return doc::toJson(resultOf({status, std::move(headers), std::move(body), ""}));
}

TEST(HttpMessage, BodiesAreReadAsTheySay) {
  EXPECT_EQ(
      answered({{"content-type", "application/json"}, {"x-a", "1"}, {"x-a", "2"}}, R"({"a":[1,{"$oid":"x"}]})", 201),
      R"({"status":201,"headers":{"content-type":"application/json","x-a":"1, 2"},"body":{"a":[1,{"$oid":"x"}]}})");
  struct Case {
    std::string type, sent, body;
  };
  const std::string deep = std::string(80, '[') + std::string(80, ']');
  for (const auto& [type, sent, body] : std::vector<Case>{
           {"application/json; charset=utf-8", "[1]", "[1]"},
           {"APPLICATION/problem+JSON", "7", "7"},
           {"application/json", "null", "null"},
           {"application/json", "{", R"("{")"},
           {"application/json", R"({"a":1,"a":2})", R"("{\"a\":1,\"a\":2}")"},
           {"application/json", deep, "\"" + deep + "\""},
           {"text/plain", "[1]", R"("[1]")"},
           {"text/html", "<b>", R"("<b>")"},
           {"application/octet-stream", "abc", R"("YWJj")"},
           {"image/png", "\x89PNG", R"("iVBORw==")"},
           {"text/plain", "\xff", R"("/w==")"},
           {"", "", "null"},
           {"", "plain", R"("plain")"},
       }) {
    const std::string whole = answered({{"content-type", type}}, sent);
    EXPECT_TRUE(whole.ends_with(",\"body\":" + body + "}")) << type << " " << sent << ": " << whole;
  }
}

TEST(HttpMessage, HeadersOfTheOutsideCannotBreakTheAnswer) {
  EXPECT_EQ(answered({{"a b", "x"}, {"", "y"}, {"x-l", "caf\xe9"}, {"x-u", "café"}}, ""),
            R"({"status":200,"headers":{"x-l":"café","x-u":"café"},"body":null})");
}

TEST(HttpMessage, WhatIsSent) {
  const doc::Document values = *doc::parseJson(R"({"t":"a","o":{"b":[1,null]},"n":1.5,"b":true,"z":null,
      "y":{"$binary":{"base64":"AAE=","subType":"00"}},"d":{"$date":"2026-01-31T09:30:00.000Z"}})");
  const auto sent = [&](std::string_view key) {
    const SentBody body = sentBody(*values.view().find(key));
    return body.contentType + "|" + body.bytes;
  };
  EXPECT_EQ(sent("t"), "text/plain; charset=utf-8|a");
  EXPECT_EQ(sent("o"), R"(application/json|{"b":[1,null]})");
  EXPECT_EQ(sent("n"), "application/json|1.5");
  EXPECT_EQ(sent("b"), "application/json|true");
  EXPECT_EQ(sent("z"), "|");
  EXPECT_EQ(sent("y"), std::string("application/octet-stream|\0\1", 27));
  EXPECT_EQ(sent("d"), R"(application/json|"2026-01-31T09:30:00.000Z")");
}

}  // namespace
}  // namespace mb::integrations
