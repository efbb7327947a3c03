#include "realtime/filter_groups.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "document/testing.h"

namespace mb::realtime {
namespace {

doc::Filter filterOf(std::string_view json) {
  auto filter = doc::Filter::parse(doc::fromJson(json));
  EXPECT_TRUE(filter) << json;
  return filter ? *std::move(filter) : doc::Filter();
}

// Subscriptions by number, each in a group of its filter.
struct Crowd {
  Subscription& join(std::string_view filter) {
    all.push_back(std::make_unique<Subscription>());
    groups.add(*all.back(), {filterOf(filter), std::nullopt, ofClients, seeAll});
    return *all.back();
  }
  std::set<const Subscription*> seen(std::string_view document) {
    std::set<const Subscription*> found;
    const doc::Document parsed = doc::fromJson(document);
    groups.matching(parsed,
                    [&](const Subscription& member) { EXPECT_TRUE(found.insert(&member).second) << "told twice"; });
    return found;
  }
  bool ofClients = false;
  bool seeAll = false;
  FilterGroups groups;
  std::vector<std::unique_ptr<Subscription>> all;
};

TEST(FilterGroupsTest, AFilterThatCostsTooMuchIsNamedAndTheOthersAreJudged) {
  Crowd crowd;
  const Subscription& costly = crowd.join(R"({"$nor":[{"text":{"$regex":"a.{900}c"}}]})");
  const Subscription& plain = crowd.join(R"({"text":{"$exists":true}})");
  const doc::Document large = doc::fromJson(R"({"text":")" + std::string(500'000, 'a') + "\"}");
  std::set<const Subscription*> seen;
  const auto unknown = crowd.groups.matching(large, [&](const Subscription& member) { seen.insert(&member); });
  ASSERT_EQ(unknown.size(), 1u);
  EXPECT_EQ(unknown.front(), &costly);
  EXPECT_EQ(seen, std::set<const Subscription*>{&plain});
  EXPECT_EQ(crowd.seen(R"({"text":"a"})").size(), 2u);
}

TEST(FilterIdentityTest, SameFiltersShareAGroup) {
  Crowd crowd;
  crowd.join(R"({"owner":"a"})");
  crowd.join(R"({"owner":"a"})");
  EXPECT_EQ(crowd.groups.size(), 1u);
  const std::vector<std::string> others = {R"({"owner":"b"})",
                                           R"({"owner":1})",
                                           R"({"owner":true})",
                                           R"({"owner":{"$in":["a"]}})",
                                           R"({"owner":{"$ne":"a"}})",
                                           R"({"owner":{"$gt":"a"}})",
                                           R"({"owner":{"$exists":true}})",
                                           R"({"owner":{"$exists":false}})",
                                           R"({"owner":{"$regex":"a"}})",
                                           R"({"owner":{"$regex":"a","$options":"i"}})",
                                           R"({"owner":{"$type":"string"}})",
                                           R"({"owner":{"$type":"number"}})",
                                           R"({"owner":{"$size":1}})",
                                           R"({"owner":{"$mod":[2,0]}})",
                                           R"({"owner":{"$mod":[2,1]}})",
                                           R"({"owner":{"$all":["a"]}})",
                                           R"({"owner":{"$elemMatch":{"$eq":"a"}}})",
                                           R"({"owner":{"$elemMatch":{"x":"a"}}})",
                                           R"({"$or":[{"owner":"a"},{"owner":"b"}]})",
                                           R"({"$nor":[{"owner":"a"},{"owner":"b"}]})",
                                           R"({})"};
  for (const std::string& other : others) {
    const size_t before = crowd.groups.size();
    crowd.join(other);
    EXPECT_EQ(crowd.groups.size(), before + 1) << other;
    crowd.join(other);
    EXPECT_EQ(crowd.groups.size(), before + 1) << other;
  }
}

TEST(ValueKeyTest, EqualValuesShareAKey) {
  const std::vector<std::vector<std::string>> equal = {
      {"1", "1.0", R"({"$numberLong":"1"})", R"({"$numberDecimal":"1.00"})"},
      {"0", "-0.0", R"({"$numberDecimal":"-0"})"},
      {"0.5", R"({"$numberDecimal":"0.50"})"},
      {R"({"$numberLong":"9007199254740993"})", R"({"$numberDecimal":"9007199254740993"})"},
      {R"({"$numberLong":"9223372036854775807"})", R"({"$numberDecimal":"9223372036854775807.0"})"}};
  std::set<uint64_t> keys;
  for (const auto& values : equal) {
    std::set<std::optional<uint64_t>> found;
    for (const std::string& value : values) found.insert(valueKey(doc::valueFromJson(value)));
    ASSERT_EQ(found.size(), 1u) << values.front();
    ASSERT_TRUE(*found.begin());
    EXPECT_TRUE(keys.insert(**found.begin()).second);
  }
  for (const std::string& value : {"\"1\"", "true", "\"\"", "false"}) {
    EXPECT_TRUE(keys.insert(valueKey(doc::valueFromJson(value)).value()).second) << value;
  }
  for (const std::string& value : {"null", "[1]", "{}", R"({"a":1})"}) {
    EXPECT_EQ(valueKey(doc::valueFromJson(value)), std::nullopt) << value;
  }
}

// The index must not use a condition that all groups share.
TEST(FilterGroupsTest, LooksAtTheConditionThatTellsPeopleApart) {
  Crowd crowd;
  for (int i = 0; i < 300; ++i) {
    crowd.join(R"({"status":"open","owner":"u)" + std::to_string(i) + "\"}");
  }
  size_t sharing = 0;
  for (const auto& subscription : crowd.all) sharing += subscription->group->equality->path.dotted() == "status";
  EXPECT_LE(sharing, 1u);
  EXPECT_EQ(crowd.seen(R"({"status":"open","owner":"u7"})"), std::set<const Subscription*>{crowd.all[7].get()});
  EXPECT_EQ(crowd.seen(R"({"status":"open","owner":["u0","u299","u0"]})"),
            (std::set<const Subscription*>{crowd.all[0].get(), crowd.all[299].get()}));
  EXPECT_TRUE(crowd.seen(R"({"status":"closed","owner":"u7"})").empty());
}

TEST(FilterGroupsTest, WithoutTheDocumentOnlyThoseSeeWhoseRuleHasNoCondition) {
  Crowd crowd;
  crowd.join(R"({"a":1})");
  crowd.join(R"({"a":{"$gt":1}})");
  // The same filters, of the clients alone.
  crowd.ofClients = true;
  crowd.seeAll = true;
  const Subscription& everything = crowd.join("{}");
  const Subscription& one = crowd.join(R"({"a":1})");
  const Subscription& range = crowd.join(R"({"a":{"$gt":1}})");
  std::set<const Subscription*> found;
  crowd.groups.unrestricted([&](const Subscription& member) { found.insert(&member); });
  EXPECT_EQ(found, (std::set<const Subscription*>{&everything, &one, &range}));
}

TEST(FilterGroupsTest, AListWithoutValuesIsForNobody) {
  Crowd crowd;
  Subscription& nobody = crowd.join(R"({"a":{"$in":[]}})");
  Subscription& somebody = crowd.join(R"({"a":1})");
  EXPECT_EQ(crowd.seen(R"({"a":1})"), std::set<const Subscription*>{&somebody});
  crowd.groups.remove(somebody);
  crowd.groups.remove(nobody);
  EXPECT_EQ(crowd.groups.size(), 0u);
}

// Filters of clients cannot use up the work that others need: each has an equal share.
TEST(FilterGroupsTest, CostlyFiltersOfClientsDoNotEndOthers) {
  Crowd crowd;
  const Subscription& rule = crowd.join(R"({"n":{"$gt":0}})");
  crowd.ofClients = true;
  const Subscription& client = crowd.join(R"({"n":{"$gt":1}})");
  constexpr int kCostly = 200;
  for (int i = 0; i < kCostly; ++i) {
    crowd.join(R"({"$nor":[{"text":{"$regex":"(a|b)*c.{20})" + std::to_string(i) + R"("}}]})");
  }
  const doc::Document large = doc::fromJson(R"({"n":2,"text":")" + std::string(300'000, 'a') + "\"}");
  std::set<const Subscription*> seen;
  const auto unknown = crowd.groups.matching(large, [&](const Subscription& member) { seen.insert(&member); });
  EXPECT_EQ(unknown.size(), static_cast<size_t>(kCostly));
  EXPECT_EQ(seen, (std::set<const Subscription*>{&rule, &client}));
}

// Clients choose the paths of their filters: past a number of them, filters are matched one by one.
TEST(FilterGroupsTest, ClientsAddFewPathsToTheIndex) {
  Crowd crowd;
  crowd.ofClients = true;
  std::string document = R"({"id":"1")";
  for (int i = 0; i < 40; ++i) {
    crowd.join(R"({"f)" + std::to_string(i) + R"(":1})");
    if (i % 2 == 0) document += R"(,"f)" + std::to_string(i) + R"(":1)";
  }
  size_t indexed = 0;
  for (const auto& subscription : crowd.all) indexed += subscription->group->equality ? 1 : 0;
  EXPECT_EQ(indexed, 16u);
  const auto seen = crowd.seen(document + "}");
  for (size_t i = 0; i < 40; ++i) EXPECT_EQ(seen.contains(crowd.all[i].get()), i % 2 == 0) << i;
}

// ---- compared with matching each filter on its own

class Dice {
 public:
  explicit Dice(unsigned seed) : engine_(seed) {}
  size_t below(size_t n) { return engine_() % n; }
  const std::string& of(const std::vector<std::string>& items) { return items[below(items.size())]; }

 private:
  std::mt19937 engine_;
};

std::string randomValue(Dice& dice, int depth) {
  static const std::vector<std::string> scalars = {"0",
                                                   "1",
                                                   "1.0",
                                                   "2.5",
                                                   "\"1\"",
                                                   "\"u1\"",
                                                   "\"u2\"",
                                                   "\"\"",
                                                   "true",
                                                   "false",
                                                   "null",
                                                   R"({"$numberDecimal":"1.0"})",
                                                   R"({"$numberDecimal":"2.5"})",
                                                   R"({"$numberLong":"9007199254740993"})",
                                                   "9007199254740992.0",
                                                   R"({"$date":"2026-01-01T00:00:00Z"})",
                                                   R"({"$oid":"0123456789abcdef01234567"})"};
  const size_t kind = depth == 0 ? 0 : dice.below(6);
  if (kind < 4) return dice.of(scalars);
  if (kind == 4) {
    std::string list = "[";
    const size_t size = dice.below(3);
    for (size_t i = 0; i < size; ++i) list += (i ? "," : "") + randomValue(dice, depth - 1);
    return list + "]";
  }
  return R"({"x":)" + randomValue(dice, depth - 1) + R"(,"1":)" + randomValue(dice, depth - 1) + "}";
}

std::string randomDocument(Dice& dice) {
  std::string out = R"({"id":"d")";
  for (const char* field : {"a", "b", "c"}) {
    if (dice.below(5) != 0) out += std::string(",\"") + field + "\":" + randomValue(dice, 2);
  }
  return out + "}";
}

std::string randomCondition(Dice& dice) {
  static const std::vector<std::string> paths = {"a", "b", "a.x", "b.1", "a.x.x", "c.0.x", "id"};
  static const std::vector<std::string> comparisons = {"$eq", "$eq", "$ne", "$gt", "$lte"};
  const std::string path = "\"" + dice.of(paths) + "\":";
  switch (dice.below(8)) {
    case 0:
    case 1:
    case 2:
      return path + randomValue(dice, 1);
    case 3:
    case 4:
      return path + R"({"$in":[)" + randomValue(dice, 0) + "," + randomValue(dice, 0) + "," + randomValue(dice, 1) +
             "]}";
    case 5:
      return path + R"({"$in":[)" + randomValue(dice, 0) + "," + randomValue(dice, 0) + "]}";
    case 6:
      return path + R"({"$exists":)" + (dice.below(2) ? "true}" : "false}");
    default:
      return path + "{\"" + dice.of(comparisons) + "\":" + randomValue(dice, 1) + "}";
  }
}

std::string randomFilter(Dice& dice) {
  switch (dice.below(6)) {
    case 0:
      return "{}";
    case 1:
      return R"({"$or":[{)" + randomCondition(dice) + "},{" + randomCondition(dice) + "}]}";
    case 2:
      return R"({"$and":[{)" + randomCondition(dice) + "},{" + randomCondition(dice) + "}]}";
    default:
      return "{" + randomCondition(dice) + "}";
  }
}

TEST(FilterGroupsTest, FindsWhatEachFilterOnItsOwnFinds) {
  Dice dice(20261121);
  size_t matches = 0;
  for (int round = 0; round < 30; ++round) {
    FilterGroups groups;
    std::vector<std::unique_ptr<Subscription>> all;
    std::vector<doc::Filter> filters;
    for (int i = 0; i < 120; ++i) {
      const auto source = doc::parseJson(randomFilter(dice));
      auto filter = source ? doc::Filter::parse(*source) : Result<doc::Filter>(fail(std::move(source).error().clone()));
      if (!filter) continue;  // a comparison that the filter language does not support
      filters.push_back(*filter);
      all.push_back(std::make_unique<Subscription>());
      groups.add(*all.back(), {*std::move(filter), std::nullopt, dice.below(2) == 0});
    }
    ASSERT_GT(all.size(), 60u);
    for (int i = 0; i < 120; ++i) {
      if (const size_t gone = dice.below(all.size() * 4); gone < all.size()) groups.remove(*all[gone]);
      const doc::Document document = doc::fromJson(randomDocument(dice));
      std::set<const Subscription*> found;
      groups.matching(document, [&](const Subscription& member) { ASSERT_TRUE(found.insert(&member).second); });
      for (size_t at = 0; at < all.size(); ++at) {
        const bool expected = all[at]->group != nullptr && filters[at].matches(document);
        ASSERT_EQ(found.contains(all[at].get()), expected) << doc::toJson(document);
        matches += expected ? 1 : 0;
      }
    }
    for (const auto& subscription : all) groups.remove(*subscription);
    EXPECT_EQ(groups.size(), 0u);
  }
  EXPECT_GT(matches, 10'000u);
}

}  // namespace
}  // namespace mb::realtime
