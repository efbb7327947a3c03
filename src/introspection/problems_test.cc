#include "introspection/problems.h"

#include <gtest/gtest.h>

#include "document/testing.h"
#include "introspection/analysis.h"

namespace mb::introspection {
namespace {

constexpr std::string_view kObjectId = R"("_id":{"$oid":"65b0c0ffee65b0c0ffee65b0"})";

class ProblemsTest : public testing::Test {
 protected:
  ProblemsTest() {
    facts_.name = "orders";
    facts_.keepsPreImages = true;
    facts_.documents = 1000;
    index(R"({"_id":1})");
    index(R"({"id":1})");
  }
  void index(std::string_view keys, bool unique = true, std::string_view filter = "{}") {
    facts_.indexes.push_back({"i", doc::fromJson(keys), unique, false, doc::fromJson(filter)});
  }
  void add(const std::string& fields) { samples_.push_back(doc::fromJson("{" + fields + "}").bytes()); }
  Report report() { return analyze(samples_, facts_); }
  // "severity code" of each problem.
  std::string codes() {
    std::string out;
    for (const Problem& each : report().problems) {
      out += (out.empty() ? "" : ", ") + each.severity + " " + each.code;
      EXPECT_FALSE(each.message.empty());
    }
    return out;
  }
  std::string messageOf(std::string_view code) {
    for (const Problem& each : report().problems) {
      if (each.code == code) return each.message + (each.path ? " at " + *each.path : "");
    }
    return "";
  }

  CollectionFacts facts_;
  std::vector<std::string> samples_;
};

TEST_F(ProblemsTest, AUsableCollectionHasNone) {
  add(R"("_id":1,"id":"a")");
  EXPECT_EQ(codes(), "");
  EXPECT_EQ(report().verdict, "ready");
}

TEST_F(ProblemsTest, WhatCannotBeImported) {
  const auto expect = [&](void (*change)(CollectionFacts&), std::string_view code, std::string_view reason) {
    const CollectionFacts before = facts_;
    change(facts_);
    EXPECT_EQ(codes(), "error " + std::string(code));
    EXPECT_EQ(report().verdict, kIncompatible);
    EXPECT_EQ(reasonAgainst(facts_), reason);
    facts_ = before;
  };
  expect([](CollectionFacts& facts) { facts.view = true; }, "view", "view");
  expect([](CollectionFacts& facts) { facts.timeSeries = true; }, "time-series", "time-series");
  expect([](CollectionFacts& facts) { facts.capped = true; }, "capped", "capped");
  expect([](CollectionFacts& facts) { facts.clustered = true; }, "clustered", "clustered");
  expect([](CollectionFacts& facts) { facts.encrypted = true; }, "queryable-encryption", "encrypted");
  expect([](CollectionFacts& facts) { facts.name = "my.orders"; }, "name", "name");
  expect([](CollectionFacts& facts) { facts.name = "users"; }, "name", "reserved");
  EXPECT_EQ(reasonAgainst(facts_), std::nullopt);
}

TEST_F(ProblemsTest, WhatAUserShouldKnow) {
  const auto expect = [&](void (*change)(CollectionFacts&), std::string_view code) {
    const CollectionFacts before = facts_;
    change(facts_);
    EXPECT_EQ(codes(), "warning " + std::string(code));
    EXPECT_EQ(report().verdict, "ready");
    facts_ = before;
  };
  expect([](CollectionFacts& facts) { facts.hasCollation = true; }, "default-collation");
  expect([](CollectionFacts& facts) { facts.hasValidator = true; }, "validator");
  expect([](CollectionFacts& facts) { facts.keepsPreImages = false; }, "no-pre-images");
  expect([](CollectionFacts& facts) { facts.indexes[0].expireAfterSeconds = 60; }, "ttl-index");
}

TEST_F(ProblemsTest, WhatDocumentsShow) {
  for (const char* name : {"a.b", "$a", ""}) {
    samples_.clear();
    add(fmt::format(R"("id":"a","at":{{"{}":1}})", name));
    EXPECT_EQ(codes(), "warning dotted-fields") << name;
    EXPECT_EQ(report().fields.size(), 2U) << name;
  }
  samples_.clear();
  add(R"("id":"a","v":")" + std::string((1 << 20) + 1, 'x') + "\"");
  EXPECT_EQ(codes(), "warning large-documents");
}

TEST_F(ProblemsTest, NamesThatAreNotUtf8) {
  doc::BsonWriter out;
  out.appendString("id", "a");
  out.appendInt32("\xFF", 1);
  samples_ = {out.finish().bytes()};
  EXPECT_EQ(codes(), "warning dotted-fields");
}

TEST_F(ProblemsTest, IdsOfTheSample) {
  add(R"("_id":1,"id":5)");
  EXPECT_EQ(codes(), "error id-not-string, info hidden-until-backfill");
  samples_.clear();
  add(fmt::format(R"({},"id":"a b")", kObjectId));
  EXPECT_EQ(codes(), "error id-not-addressable");
  samples_.clear();
  add(R"("_id":1,"id":"a")");
  add(R"("_id":2,"id":"a")");
  EXPECT_EQ(codes(), "error id-duplicate");
  // The same document twice.
  samples_.pop_back();
  samples_.push_back(samples_.front());
  EXPECT_EQ(codes(), "");
}

TEST_F(ProblemsTest, IdsAreScaledWhereTheyWereNotCounted) {
  for (int i = 0; i < 3; ++i) add(fmt::format(R"("_id":{},"id":"a{}")", i, i));
  add(std::string(kObjectId));
  EXPECT_EQ(codes(), "info some-without-id");
  EXPECT_EQ(report().ids.withId, 750);
  EXPECT_EQ(report().ids.withoutId, 250);
  EXPECT_EQ(report().ids.estimated, true);
  EXPECT_EQ(report().stats.count, 1000);
  EXPECT_EQ(messageOf("some-without-id"), "250 documents have no id at /id");
}

TEST_F(ProblemsTest, CountedIdsAreExact) {
  add(R"("_id":1,"id":"a")");
  facts_.bytes = 8100;
  facts_.ids = IdCounts{.strings = 80, .missing = 1, .hidden = 1};
  EXPECT_EQ(codes(), "info some-without-id, info hidden-until-backfill");
  EXPECT_EQ(messageOf("some-without-id"), "1 document has no id at /id");
  EXPECT_EQ(messageOf("hidden-until-backfill"), "1 document has no id that could be shown");
  EXPECT_EQ(report().ids.estimated, std::nullopt);
  EXPECT_EQ(report().stats.count, 81);
  EXPECT_EQ(report().stats.averageSizeBytes, 100);
  EXPECT_EQ(report().verdict, "needs-backfill");
  facts_.ids = IdCounts{.strings = 80, .others = 1};
  EXPECT_EQ(codes(), "error id-not-string");
  facts_.ids = IdCounts{.strings = 80, .malformed = 1};
  EXPECT_EQ(codes(), "error id-not-addressable");
}

TEST_F(ProblemsTest, AUniqueIndexOnIdIsNeeded) {
  const auto expect = [&](std::string_view keys, bool unique, std::string_view filter, std::string_view verdict) {
    facts_.indexes.clear();
    index(keys, unique, filter);
    EXPECT_EQ(report().verdict, verdict) << keys << filter;
  };
  expect(R"({"id":1})", true, "{}", "ready");
  expect(R"({"id":-1})", true, R"({"id":{"$type":"string"}})", "ready");
  expect(R"({"id":1})", true, R"({"id":{"$exists":true}})", "ready");
  expect(R"({"id":1})", false, "{}", "needs-backfill");
  expect(R"({"id":1,"a":1})", true, "{}", "needs-backfill");
  expect(R"({"a":1})", true, "{}", "needs-backfill");
  expect(R"({"id":1})", true, R"({"a":1})", "needs-backfill");
  expect(R"({"id":1})", true, R"({"id":{"$type":"string"},"a":1})", "needs-backfill");
  expect(R"({"id":1})", true, R"({"id":{"$gt":"m"}})", "needs-backfill");
}

}  // namespace
}  // namespace mb::introspection
