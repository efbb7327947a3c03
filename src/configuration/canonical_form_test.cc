#include "configuration/canonical_form.h"

#include <gtest/gtest.h>

#include "document/json.h"

namespace mb::configuration {
namespace {

doc::Document shapeDocument(std::string_view text) {
  return *doc::parseJson(text);
}

struct Case {
  const char* given;
  const char* canonical;
};

TEST(CanonicalShape, SchemasKeepWhatOrderMeans) {
  const Case cases[] = {
      {R"({"type":"object","properties":{"b":{"type":"string","maxLength":3},"a":{}},"required":["b","a","b"]})",
       R"({"properties":{"a":{},"b":{"maxLength":3,"type":"string"}},"required":["a","b"],"type":"object"})"},
      {R"({"type":["string","null"]})", R"({"type":["null","string"]})"},
      {R"({"enum":["b","a",{"y":1,"x":2}]})", R"({"enum":["b","a",{"x":2,"y":1}]})"},
      {R"({"default":{"y":1,"x":2},"const":{"y":1,"x":2}})", R"({"const":{"x":2,"y":1},"default":{"y":1,"x":2}})"},
      {R"({"anyOf":[{"type":"string","pattern":"a"},{"type":"null"}]})",
       R"({"anyOf":[{"pattern":"a","type":"string"},{"type":"null"}]})"},
      {R"({"items":{"type":"object","properties":{"z":{},"required":{"type":["b","a"]}}}})",
       R"({"items":{"properties":{"required":{"type":["a","b"]},"z":{}},"type":"object"}})"},
      {R"({"properties":{"default":{"type":"string","maxLength":1}},"additionalProperties":false})",
       R"({"additionalProperties":false,"properties":{"default":{"maxLength":1,"type":"string"}}})"},
  };
  for (const Case& each : cases) EXPECT_EQ(doc::toJson(canonicalSchema(shapeDocument(each.given))), each.canonical);
}

TEST(CanonicalShape, PoliciesHaveTheirFixedOrder) {
  const Case cases[] = {
      {R"({"admin":{},"delete":{},"read":{},"create":{},"list":{},"update":{}})",
       R"({"read":{},"list":{},"create":{},"update":{},"delete":{},"admin":{}})"},
      {R"({"update":{"allowedWriteFields":["b","a"],"immutableFields":["y","x","y"],"validate":"true","filter":{}}})",
       R"({"update":{"filter":{},"validate":"true","immutableFields":["x","y"],"allowedWriteFields":["a","b"]}})"},
      {R"({"read":{"filter":{"b":1,"a":{"$lt":2,"$gt":1}}}})", R"({"read":{"filter":{"a":{"$gt":1,"$lt":2},"b":1}}})"},
  };
  for (const Case& each : cases) EXPECT_EQ(doc::toJson(canonicalPolicy(shapeDocument(each.given))), each.canonical);
}

TEST(CanonicalShape, FiltersKeepTheOrderOfValuesAndAlternatives) {
  const Case cases[] = {
      {R"({"place":{"y":1,"x":2}})", R"({"place":{"y":1,"x":2}})"},
      {R"({"a":{"$in":["b","a",{"y":1,"x":2}]}})", R"({"a":{"$in":["b","a",{"y":1,"x":2}]}})"},
      {R"({"$or":[{"b":1,"a":2},{"c":{"$ne":1,"$exists":true}}]})",
       R"({"$or":[{"a":2,"b":1},{"c":{"$exists":true,"$ne":1}}]})"},
      {R"({"a":{"$not":{"$lt":2,"$gt":1}},"b":{"$elemMatch":{"d":1,"c":{"$lt":2,"$gt":1}}}})",
       R"({"a":{"$not":{"$gt":1,"$lt":2}},"b":{"$elemMatch":{"c":{"$gt":1,"$lt":2},"d":1}}})"},
      {R"({"a":{"$elemMatch":{"$lt":2,"$gt":1}},"b":{}})", R"({"a":{"$elemMatch":{"$gt":1,"$lt":2}},"b":{}})"},
  };
  for (const Case& each : cases) EXPECT_EQ(doc::toJson(canonicalFilter(shapeDocument(each.given))), each.canonical);
}

TEST(CanonicalShape, PortableTextComesBackAsWhatItWas) {
  for (const char* text : {R"({"a":{"$date":"2026-01-31T09:30:00.000Z"},"b":[{"$oid":"507f1f77bcf86cd799439011"}]})",
                           R"({"a":{"$numberDecimal":"10.50"},"b":{"$binary":{"base64":"AQID","subType":"04"}}})",
                           R"({"a":{"$date":300000000000000}})", R"({"a":9007199254740993,"b":1.5,"c":null})"}) {
    const doc::Document typed = shapeDocument(text);
    EXPECT_EQ(doc::toJson(portable(typed)), text);
    EXPECT_EQ(shapeDocument(doc::toJson(portable(typed))), typed);
  }
}

TEST(CanonicalShape, ComparesAsText) {
  EXPECT_TRUE(sameText(shapeDocument(R"({"a":1.0})"), shapeDocument(R"({"a":1})")));
  EXPECT_FALSE(sameText(shapeDocument(R"({"a":1})"), shapeDocument(R"({"a":"1"})")));
  EXPECT_FALSE(sameText(shapeDocument(R"({"a":{"$date":"2026-01-31T09:30:00Z"}})"),
                        shapeDocument(R"({"a":"2026-01-31T09:30:00.000Z"})")));
  EXPECT_TRUE(sameText(std::optional<doc::Document>(), std::nullopt));
  EXPECT_FALSE(sameText(std::optional<doc::Document>(), shapeDocument("{}")));
}

}  // namespace
}  // namespace mb::configuration
