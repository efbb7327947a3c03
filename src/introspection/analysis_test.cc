#include "introspection/analysis.h"

#include <gtest/gtest.h>

#include "document/testing.h"
#include "introspection/inferred_schema.h"
#include "introspection/problems.h"

namespace mb::introspection {
namespace {

// A stored document: `_id` is an ObjectId of `number`.
std::string stored(uint32_t number, doc::DocumentView fields) {
  std::string oid(12, '\0');
  std::memcpy(oid.data(), &number, sizeof number);
  doc::BsonWriter out;
  out.appendObjectId("_id", oid);
  out.appendAll(fields);
  return out.finish().bytes();
}

// An element without a type in BsonType, in a document.
std::string foreign(uint8_t type, std::string_view key, std::string_view value) {
  std::string out("\0\0\0\0", 4);
  out += static_cast<char>(type);
  out.append(key).push_back('\0');
  out.append(value).push_back('\0');
  const auto size = static_cast<uint32_t>(out.size());
  std::memcpy(out.data(), &size, sizeof size);
  return out;
}

CollectionFacts usable() {
  CollectionFacts facts;
  facts.name = "orders";
  facts.keepsPreImages = true;
  facts.indexes.push_back({"_id_", doc::fromJson(R"({"_id":1})"), true, false, {}});
  facts.indexes.push_back(
      {"mb_id", doc::fromJson(R"({"id":1})"), true, false, doc::fromJson(R"({"id":{"$type":"string"}})")});
  return facts;
}

class AnalysisTest : public testing::Test {
 protected:
  void add(std::string_view text, int times = 1) {
    for (int i = 0; i < times; ++i) samples_.push_back(stored(next_++, doc::fromJson(text)));
  }
  Report report() { return analyze(samples_, facts_); }
  std::string schema() { return doc::toJson(report().schema); }
  // "path types present" of each field.
  std::vector<std::string> fields() {
    std::vector<std::string> out;
    for (const FieldReport& each : report().fields) {
      out.push_back(fmt::format("{} {} {}", each.path, doc::toJson(each.types), each.present));
      EXPECT_EQ(each.examples, 0);
    }
    return out;
  }
  std::vector<std::string> codes() {
    std::vector<std::string> out;
    for (const Problem& each : report().problems) out.push_back(each.severity + " " + each.code);
    return out;
  }
  using Texts = std::vector<std::string>;

  CollectionFacts facts_ = usable();
  std::vector<std::string> samples_;
  uint32_t next_ = 1;
};

TEST_F(AnalysisTest, PathsWithTypesAndShares) {
  add(R"({"total":1,"lines":[{"sku":"a","n":1},{"sku":null}],"at":{"city":"x"}})", 2);
  add(R"({"total":1.5,"tags":["a",[1]],"lines":[]})");
  EXPECT_EQ(fields(), (Texts{
                          R"(at {"object":1} 0.67)",
                          R"(at.city {"string":1} 0.67)",
                          R"(lines {"array":1} 1)",
                          R"(lines[] {"object":1} 0.67)",
                          R"(lines[].n {"int":1} 0.67)",
                          R"(lines[].sku {"string":1,"null":1} 0.67)",
                          R"(tags {"array":1} 0.33)",
                          R"(tags[] {"string":1,"array":1} 0.33)",
                          R"(tags[][] {"int":1} 0.33)",
                          R"(total {"int":0.67,"double":0.33} 1)",
                      }));
}

TEST_F(AnalysisTest, ASharesIsWholeOnlyForAll) {
  add(R"({"a":1})", 999);
  add(R"({"a":"x"})");
  EXPECT_EQ(fields(), (Texts{R"(a {"string":0.01,"int":0.99} 1)"}));
}

TEST_F(AnalysisTest, EveryTypeHasItsName) {
  const std::string number8(8, '\1');
  const std::string text("\2\0\0\0x\0", 6);
  const std::vector<std::pair<std::string, std::string>> cases = {
      {foreign(0x01, "v", number8), "double"},
      {foreign(0x02, "v", text), "string"},
      {foreign(0x03, "v", std::string("\5\0\0\0\0", 5)), "object"},
      {foreign(0x04, "v", std::string("\5\0\0\0\0", 5)), "array"},
      {foreign(0x05, "v", std::string("\1\0\0\0\0x", 6)), "binary"},
      {foreign(0x06, "v", ""), "other"},
      {foreign(0x07, "v", std::string(12, 'o')), "objectId"},
      {foreign(0x08, "v", std::string(1, '\1')), "bool"},
      {foreign(0x09, "v", number8), "date"},
      {foreign(0x0A, "v", ""), "null"},
      {foreign(0x0B, "v", std::string("a\0i\0", 4)), "regex"},
      {foreign(0x0C, "v", text + std::string(12, 'o')), "other"},
      {foreign(0x0D, "v", text), "other"},
      {foreign(0x0E, "v", text), "other"},
      {foreign(0x0F, "v", std::string("\x0F\0\0\0", 4) + text + std::string("\5\0\0\0\0", 5)), "other"},
      {foreign(0x10, "v", std::string(4, '\1')), "int"},
      {foreign(0x11, "v", number8), "timestamp"},
      {foreign(0x12, "v", number8), "long"},
      {foreign(0x13, "v", std::string(16, '\1')), "decimal"},
      {foreign(0x7F, "v", ""), "other"},
      {foreign(0xFF, "v", ""), "other"},
  };
  for (const auto& [document, name] : cases) {
    ASSERT_TRUE(doc::isWellFormed(document)) << name;
    samples_ = {document};
    ASSERT_EQ(report().fields.size(), 1U) << name;
    EXPECT_EQ(doc::toJson(report().fields[0].types), "{\"" + name + "\":1}");
    const bool isShownAsIs = name != "other" && name != "regex" && name != "timestamp";
    const auto found = codes();
    EXPECT_EQ(std::ranges::find(found, "warning non-json-types") == found.end(), isShownAsIs) << name;
  }
}

TEST_F(AnalysisTest, TheSchemaHasTheTypesThatWereSeen) {
  add(R"({"a":1,"b":1,"c":"x","d":{"$date":"2026-01-01T00:00:00Z"},"e":{"$oid":"65b0c0ffee65b0c0ffee65b0"},
          "f":{"$numberDecimal":"1.5"},"g":{"$binary":{"base64":"AA==","subType":"00"}},"h":true,"i":null,"j":[1,2],
          "k":{"x":1},"l":{"$date":"2026-01-01T00:00:00Z"},"m":{"$date":"2026-01-01T00:00:00Z"}})");
  add(R"({"a":1.5,"b":2,"c":null,"d":null,"l":"x","m":{"$oid":"65b0c0ffee65b0c0ffee65b0"}})");
  EXPECT_EQ(
      schema(),
      R"({"type":"object","properties":{"a":{"type":"number"},"b":{"type":"integer"},"c":{"type":["string","null"]},)"
      R"("d":{"type":["string","null"],"x-bson":"date"},"e":{"type":"string","x-bson":"objectId"},)"
      R"("f":{"type":"string","x-bson":"decimal"},"g":{"type":"string","x-bson":"binary"},"h":{"type":"boolean"},)"
      R"("i":{"type":"null"},"j":{"type":"array","items":{"type":"integer"}},)"
      R"("k":{"type":"object","properties":{"x":{"type":"integer"}}},"l":{},"m":{}}})");
}

TEST_F(AnalysisTest, ValuesWithoutAFormInJsonHaveNoTypeInTheSchema) {
  samples_ = {foreign(0x0E, "v", std::string("\2\0\0\0x\0", 6))};
  EXPECT_EQ(schema(), R"({"type":"object","properties":{"v":{}}})");
  doc::BsonWriter out;
  out.appendReal("v", std::numeric_limits<double>::quiet_NaN());
  samples_ = {out.finish().bytes()};
  EXPECT_EQ(schema(), R"({"type":"object","properties":{"v":{}}})");
}

TEST_F(AnalysisTest, WhatAllOfAtLeastFiftyHaveIsRequired) {
  add(R"({"a":1,"at":{"city":"x","zip":1},"lines":[{"n":1,"m":1},{"n":2}]})", 49);
  EXPECT_EQ(schema().find("required"), std::string::npos);
  add(R"({"a":null,"at":{"city":"x"},"lines":[{"n":1,"m":1}]})");
  EXPECT_EQ(
      schema(),
      R"({"type":"object","properties":{"a":{"type":["integer","null"]},)"
      R"("at":{"type":"object","properties":{"city":{"type":"string"},"zip":{"type":"integer"}},"required":["city"]},)"
      R"("lines":{"type":"array","items":{"type":"object","properties":{"m":{"type":"integer"},"n":{"type":"integer"}},)"
      R"("required":["n"]}}},"required":["a","at","lines"]})");
}

TEST_F(AnalysisTest, AFieldThatAnObjectHasTwiceIsInItOnce) {
  doc::BsonWriter twice;
  twice.beginDocument("at");
  twice.appendInt32("x", 1);
  twice.appendInt32("x", 2);
  twice.end();
  twice.beginDocument("other");
  twice.end();
  const doc::Document document = twice.finish();
  for (uint32_t i = 0; i < 30; ++i) samples_.push_back(stored(i, document));
  for (int i = 0; i < 30; ++i) add(R"({"at":{},"other":{}})");
  EXPECT_EQ(schema().find(R"("required":["x"])"), std::string::npos);
}

TEST_F(AnalysisTest, FieldsOfTheServerAreNotInTheSchema) {
  add(R"({"id":"a","ownerId":"u","createdAt":"x","updatedAt":1,"at":{"id":1}})");
  EXPECT_EQ(schema(),
            R"({"type":"object","properties":{"at":{"type":"object","properties":{"id":{"type":"integer"}}}}})");
  EXPECT_EQ(report().fields.size(), 6U);
}

TEST_F(AnalysisTest, NamesThatAreDataAreOne) {
  for (int i = 0; i < 201; ++i) {
    add(fmt::format(R"({{"counts":{{"k{}":{{"n":1}}}},"few":{{"k{}":1}}}})", i, i % 200));
  }
  const Texts found = fields();
  ASSERT_GE(found.size(), 3U);
  EXPECT_EQ(found[0], R"(counts {"object":1} 1)");
  EXPECT_EQ(found[1], R"(counts.* {"object":1} 1)");
  EXPECT_EQ(found[2], R"(counts.*.n {"int":1} 1)");
  EXPECT_EQ(found[3], R"(few {"object":1} 1)");
  EXPECT_EQ(found.size(), 204U);
  EXPECT_TRUE(schema().starts_with(R"({"type":"object","properties":{"counts":{"type":"object"},"few":{)"));
}

TEST_F(AnalysisTest, TenThousandFieldsAreOne) {
  doc::BsonWriter out;
  for (int i = 0; i < 10'000; ++i) out.appendInt32("f" + std::to_string(i), i);
  samples_ = {out.finish().bytes()};
  EXPECT_EQ(fields(), (Texts{R"(* {"int":1} 1)"}));
  EXPECT_EQ(schema(), R"({"type":"object"})");
}

TEST_F(AnalysisTest, MorePathsThanShownAreCut) {
  std::string text = "{";
  for (int i = 0; i < 10; ++i) {
    text += fmt::format(R"({}"a{}":{{)", i == 0 ? "" : ",", i);
    for (int j = 0; j < 60; ++j) text += fmt::format(R"({}"b{}":1)", j == 0 ? "" : ",", j);
    text += "}";
  }
  add(text + "}");
  EXPECT_EQ(report().fields.size(), kMaxPaths);
  EXPECT_EQ(codes(), (Texts{"info fields-cut"}));
  // Shallow ones are shown first.
  EXPECT_NE(schema().find("\"a9\""), std::string::npos);
}

TEST_F(AnalysisTest, EightLevelsAreShown) {
  std::string text = "1";
  for (int i = 0; i < 100; ++i) text = R"({"a":)" + text + "}";
  add(text);
  EXPECT_EQ(report().fields.size(), 8U);
  EXPECT_EQ(report().fields.back().path, "a.a.a.a.a.a.a.a");
  EXPECT_EQ(codes(), (Texts{"warning deep"}));
  samples_.clear();
  add(R"({"a":{"a":{"a":{"a":{"a":{"a":{"a":{"a":1}}}}}}}})");
  EXPECT_EQ(codes(), Texts{});
}

// Node by node they would take some gigabytes.
TEST_F(AnalysisTest, LargeDocumentsTakeBoundedMemory) {
  doc::BsonWriter out;
  for (int i = 0; out.size() < (16 << 20) - 4096; ++i) {
    out.beginDocument("a" + std::to_string(i % 200));
    for (int j = 0; j < 20; ++j) {
      out.beginDocument("b" + std::to_string(i / 200 * 20 + j));
      out.appendInt32("c" + std::to_string(i % 150), 1);
      out.end();
    }
    out.end();
  }
  samples_ = {out.finish().bytes()};
  const SampledFields sampled(samples_);
  EXPECT_TRUE(sampled.wasCut());
  EXPECT_LE(report().fields.size(), kMaxPaths);
  EXPECT_EQ(codes(), (Texts{"warning large-documents", "info fields-cut"}));

  doc::BsonWriter items;
  items.beginArray("v");
  for (size_t i = 0; items.size() < (16 << 20) - 64; ++i) items.appendNull(doc::arrayKey(i));
  items.end();
  samples_ = {items.finish().bytes()};
  EXPECT_EQ(fields(), (Texts{R"(v {"array":1} 1)", R"(v[] {"null":1} 1)"}));
}

// Every sampled document fulfils the schema, whatever it holds.
TEST_F(AnalysisTest, SampledDocumentsFulfilTheSchema) {
  uint32_t state = 7;
  const auto random = [&](uint32_t below) {
    state = state * 1'664'525 + 1'013'904'223;
    return (state >> 8) % below;
  };
  const std::vector<std::string> values = {
      "1",
      "1.5",
      "\"x\"",
      "null",
      "true",
      R"({"$date":"2026-01-01T00:00:00Z"})",
      R"({"$oid":"65b0c0ffee65b0c0ffee65b0"})",
      R"({"$numberDecimal":"1.5"})",
      R"({"$binary":{"base64":"AA==","subType":"00"}})",
      "[]",
      "[1,\"x\"]",
      "[{\"a\":1}]",
      "{}",
      "{\"a\":1}",
      "{\"a\":{\"b\":null}}",
      "5000000000",
  };
  for (int round = 0; round < 200; ++round) {
    samples_.clear();
    const uint32_t kinds = 1 + random(4);
    std::vector<doc::Document> documents;
    for (int i = 0; i < 60; ++i) {
      std::string text = "{";
      for (const char* name : {"a", "b", "c"}) {
        if (random(5) == 0) continue;
        if (text.size() > 1) text += ",";
        text += fmt::format(R"("{}":{})", name, values[(random(kinds) + static_cast<uint32_t>(round)) % values.size()]);
      }
      documents.push_back(doc::fromJson(text + "}"));
      samples_.push_back(stored(static_cast<uint32_t>(i), documents.back()));
    }
    const auto compiled = doc::Schema::compile(report().schema);
    ASSERT_TRUE(compiled) << compiled.error().message() << schema();
    for (const doc::Document& each : documents) {
      const auto breaches = (*compiled)->validate(each);
      ASSERT_TRUE(breaches.empty()) << schema() << doc::toJson(each) << breaches.front().path
                                    << breaches.front().message;
    }
  }
}

TEST_F(AnalysisTest, AnEmptyCollection) {
  EXPECT_EQ(schema(), R"({"type":"object","properties":{}})");
  EXPECT_EQ(report().verdict, "ready");
  EXPECT_EQ(codes(), Texts{});
}

}  // namespace
}  // namespace mb::introspection
