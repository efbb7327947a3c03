// Groups of rules with sets, compared with the evaluation of each rule on its own.
#include <random>
#include <set>

#include "policy/policy_fixture.h"
#include "realtime/filter_groups.h"

namespace mb::realtime {
namespace {

using policy::json;

policy::SetValuePtr valuesOf(std::vector<std::string> values) {
  return std::make_shared<const policy::SetValue>(std::move(values), store::Mark());
}

doc::Filter parsed(std::string_view filter) {
  return doc::Filter::parse(json(filter)).value();
}

// Subscriptions whose group is {teams: one of the values}.
struct Members {
  explicit Members(bool ofClient) : client(ofClient) {}
  Subscription& join(policy::SetValuePtr values, std::string_view filter = "{}") {
    all.push_back(std::make_unique<Subscription>());
    groups.add(*all.back(), visibility(std::move(values), filter));
    return *all.back();
  }
  Visibility visibility(policy::SetValuePtr values, std::string_view filter = "{}") const {
    const auto path = doc::FieldPath::parse("teams");
    return {parsed(filter), data::EventView::InSet{*path, std::move(values)}, client};
  }
  std::set<const Subscription*> seen(std::string_view document) {
    std::set<const Subscription*> found;
    const auto unknown = groups.matching(
        json(document), [&](const Subscription& member) { EXPECT_TRUE(found.insert(&member).second) << "told twice"; });
    EXPECT_TRUE(unknown.empty());
    return found;
  }
  const bool client;
  FilterGroups groups;
  std::vector<std::unique_ptr<Subscription>> all;
};
using Seen = std::set<const Subscription*>;

TEST(SetGroupsTest, OneGroupForAllCallers) {
  for (const bool ofClient : {false, true}) {
    Members members(ofClient);
    const auto red = valuesOf({"red", "blue"});
    const Subscription& one = members.join(red);
    const Subscription& same = members.join(red);
    const Subscription& other = members.join(valuesOf({"blue", "green"}));
    members.join(valuesOf({}));
    EXPECT_EQ(members.groups.size(), 1u);
    EXPECT_EQ(members.seen(R"({"teams":"red"})"), (Seen{&one, &same}));
    EXPECT_EQ(members.seen(R"({"teams":["green","blue","blue",5]})"), (Seen{&one, &same, &other}));
    EXPECT_EQ(members.seen(R"({"teams":["yellow",["red"]]})"), Seen{});
    EXPECT_EQ(members.seen(R"({"other":"red"})"), Seen{});
    for (const auto& member : members.all) members.groups.remove(*member);
    EXPECT_EQ(members.groups.size(), 0u);
  }
}

TEST(SetGroupsTest, ManyCallersAreFoundByTheirValues) {
  Members members(false);
  std::vector<Subscription*> all;
  for (int i = 0; i < 500; ++i) {
    std::vector<std::string> values = {"all", "team" + std::to_string(i % 50)};
    for (int j = 0; j < 200; ++j) values.push_back("own" + std::to_string(i) + "-" + std::to_string(j));
    all.push_back(&members.join(valuesOf(std::move(values))));
  }
  EXPECT_EQ(members.seen(R"({"teams":"all"})").size(), 500u);
  EXPECT_EQ(members.seen(R"({"teams":["team7","own7-3","own8-4"]})").size(), 11u);
  for (size_t i = 0; i < all.size(); ++i) {
    if (i % 3 != 0) members.groups.remove(*all[i]);
  }
  EXPECT_EQ(members.seen(R"({"teams":"all"})").size(), 167u);
  EXPECT_EQ(members.seen(R"({"teams":["own7-3","own9-4"]})"), Seen{all[9]});
  for (size_t i = 3; i < all.size(); i += 3) members.groups.remove(*all[i]);
  EXPECT_EQ(members.seen(R"({"teams":["all","own0-3"]})"), Seen{all[0]});
}

TEST(SetGroupsTest, OtherConditionsHoldToo) {
  Members members(false);
  const auto red = valuesOf({"red"});
  const Subscription& open = members.join(red, R"({"open":true})");
  const Subscription& mine = members.join(red, R"({"owner":"a"})");
  const Subscription& large = members.join(red, R"({"size":{"$gt":3}})");
  EXPECT_EQ(members.groups.size(), 3u);
  EXPECT_EQ(members.seen(R"({"teams":"red","open":true,"owner":"b","size":4})"), (Seen{&open, &large}));
  EXPECT_EQ(members.seen(R"({"teams":"red","owner":"a","size":3})"), Seen{&mine});
  EXPECT_EQ(members.seen(R"({"teams":"blue","owner":"a","size":4})"), Seen{});
  std::set<const Subscription*> unrestricted;
  members.groups.unrestricted([&](const Subscription& member) { unrestricted.insert(&member); });
  EXPECT_TRUE(unrestricted.empty());
}

TEST(SetGroupsTest, AMoveSaysWhetherOtherDocumentsAreSeen) {
  Members members(false);
  const auto red = valuesOf({"red"});
  Subscription& one = members.join(red);
  EXPECT_FALSE(members.groups.move(one, members.visibility(red)));
  EXPECT_FALSE(members.groups.move(one, members.visibility(valuesOf({"red"})))) << "read again";
  EXPECT_TRUE(members.groups.move(one, members.visibility(valuesOf({"red", "blue"}))));
  EXPECT_EQ(members.seen(R"({"teams":"blue"})"), Seen{&one});
  EXPECT_TRUE(members.groups.move(one, members.visibility(valuesOf({"blue"}))));
  EXPECT_EQ(members.seen(R"({"teams":"red"})"), Seen{});
  EXPECT_TRUE(members.groups.move(one, {parsed("{}"), std::nullopt, false}));
  EXPECT_EQ(members.seen(R"({"teams":"red"})"), Seen{&one});
  EXPECT_FALSE(members.groups.move(one, {parsed("{}"), std::nullopt, false}));
  EXPECT_TRUE(members.groups.move(one, members.visibility(red)));
  EXPECT_EQ(members.groups.size(), 1u);
}

TEST(SetGroupsTest, ADocumentWithMoreStringsThanTheBudgetAllowsIsUnknown) {
  Members members(true);
  const Subscription& costly = members.join(valuesOf({"red"}));
  std::string list = "\"x\"";
  for (int i = 0; i < 200'000; ++i) list += ",\"x\"";
  std::vector<Subscription*> unknown =
      members.groups.matching(json(R"({"teams":[)" + list + "]}"), [](const Subscription&) { ADD_FAILURE(); });
  ASSERT_EQ(unknown.size(), 1u);
  EXPECT_EQ(unknown.front(), &costly);
}

// ---- random rules, sets and documents

class RuleDice {
 public:
  explicit RuleDice(unsigned seed) : engine_(seed) {}
  size_t below(size_t n) { return engine_() % n; }
  bool oneIn(size_t n) { return below(n) == 0; }
  template <size_t N>
  std::string of(const char* const (&items)[N]) {
    return items[below(N)];
  }

 private:
  std::mt19937 engine_;
};

constexpr const char* kNames[] = {"a", "b", "c", "d", "e", "", "$auth.uid", "2026-01-01T00:00:00Z"};
constexpr const char* kInSet[] = {R"("t":{"$in":"$auth.sets.s"})", R"("t.x":{"$in":"$auth.sets.s"})",
                                  R"("t":{"$in":"$auth.sets.r","$exists":true})", R"("t.0":{"$in":"$auth.sets.s"})"};
constexpr const char* kOther[] = {R"("owner":"$auth.uid")",         R"("n":{"$gt":1})",
                                  R"("n":{"$in":[1,2,3]})",         R"("u":{"$in":"$auth.sets.r"})",
                                  R"("u":{"$nin":"$auth.sets.s"})", R"("n":{"$exists":false})"};

std::string randomRule(RuleDice& dice) {
  const std::string set = dice.of(kInSet);
  const std::string other = dice.of(kOther);
  switch (dice.below(8)) {
    case 0:
    case 1:
      return "{" + set + "}";
    case 2:
    case 3:
      return "{" + set + "," + other + "}";
    case 4:
      return R"({"$and":[{)" + other + R"(},{"$and":[{)" + set + "}]}]}";
    case 5:
      return R"({"$or":[{)" + set + "},{" + other + "}]}";
    case 6:
      return R"({"$and":[{)" + other + "},{" + dice.of(kOther) + "}]}";
    default:
      return R"({"m":{"$elemMatch":{)" + set + "}}}";
  }
}

std::string randomValue(RuleDice& dice, int depth) {
  const std::string text = std::string("\"") + dice.of(kNames) + "\"";
  switch (dice.below(depth == 0 ? 6 : 9)) {
    case 0:
      return dice.of({"1", "2", "null", "true", "3.0"});
    case 6:
    case 7: {
      std::string list;
      for (size_t i = dice.below(4); i > 0; --i) list += (list.empty() ? "" : ",") + randomValue(dice, depth - 1);
      return "[" + list + "]";
    }
    case 8:
      return R"({"x":)" + randomValue(dice, depth - 1) + R"(,"t":)" + randomValue(dice, depth - 1) + "}";
    default:
      return text;
  }
}

std::string randomDocument(RuleDice& dice) {
  std::string out = R"({"id":"d")";
  for (const char* field : {"t", "u", "m"}) {
    if (!dice.oneIn(4)) out += std::string(",\"") + field + "\":" + randomValue(dice, 2);
  }
  if (!dice.oneIn(3)) out += R"(,"n":)" + std::to_string(dice.below(5));
  return out + R"(,"owner":"user_)" + std::to_string(dice.below(3)) + "\"}";
}

policy::SetValuePtr randomValues(RuleDice& dice) {
  std::vector<std::string> values;
  for (size_t i = dice.below(5); i > 0; --i) values.emplace_back(dice.of(kNames));
  if (dice.oneIn(8)) {
    for (int i = 0; i < 100; ++i) values.push_back("more" + std::to_string(dice.below(300)));
  }
  return valuesOf(std::move(values));
}

// One subscription, with what decides what it sees: `plain` is the rule with the values filled in, AND the client's.
struct Case {
  Subscription subscription;
  doc::Filter plain;
};

// As data::eventViewFor() does for a collection without a schema.
Visibility visibilityOf(const policy::Rule& rule, const policy::Subject& subject, const doc::Filter& own) {
  const policy::SetCondition* condition = rule.setCondition();
  if (condition == nullptr) {
    const auto filled = rule.filterFor(subject, doc::defaultCoercion());
    return {doc::Filter::both(*filled, own), std::nullopt, !own.matchesAll()};
  }
  const auto filled = rule.filterBesideSet(subject, doc::defaultCoercion());
  data::EventView::InSet inSet{condition->path, subject.sets->shared(condition->set)};
  return {doc::Filter::both(*filled, own), std::move(inSet), !own.matchesAll()};
}

TEST(SetGroupsTest, FindWhatEachRuleOnItsOwnFinds) {
  RuleDice dice(20261126);
  size_t compared = 0;
  size_t shown = 0;
  size_t bySet = 0;
  for (int round = 0; round < 40; ++round) {
    std::vector<std::shared_ptr<const policy::Policy>> policies;
    for (int i = 0; i < 5; ++i) {
      policies.push_back(policy::compiled(R"({"read":{"filter":)" + randomRule(dice) + "}}"));
    }
    std::vector<policy::SetValuePtr> sets;
    for (int i = 0; i < 8; ++i) sets.push_back(randomValues(dice));
    FilterGroups groups;
    std::vector<std::unique_ptr<Case>> cases;
    const auto place = [&](Case& one) {
      const policy::Rule& rule = *policies[dice.below(policies.size())]->rule(policy::Operation::read);
      const policy::Caller caller = policy::endUser("{}", "user_" + std::to_string(dice.below(3)));
      policy::SetValues values;
      values.add("s", sets[dice.below(sets.size())]);
      values.add("r", sets[dice.below(sets.size())]);
      const policy::Subject subject(caller, &values);
      const doc::Filter own = dice.oneIn(2)
                                  ? doc::Filter()
                                  : parsed(dice.of({R"({"n":{"$lt":3}})", R"({"t":"a"})", R"({"u":{"$in":["a","b"]}})",
                                                    R"({"$or":[{"n":1},{"t":"b"}]})"}));
      one.plain = doc::Filter::both(*rule.filterFor(subject, doc::defaultCoercion()), own);
      Visibility visibility = visibilityOf(rule, subject, own);
      bySet += visibility.inSet ? 1 : 0;
      groups.move(one.subscription, std::move(visibility));
    };
    for (int i = 0; i < 80; ++i) {
      cases.push_back(std::make_unique<Case>());
      cases.back()->subscription.leave = dice.oneIn(3);
      place(*cases.back());
    }
    for (int i = 0; i < 60; ++i) {
      if (dice.oneIn(3)) sets[dice.below(sets.size())] = randomValues(dice);
      Case& changed = *cases[dice.below(cases.size())];
      dice.oneIn(4) ? groups.remove(changed.subscription) : place(changed);
      const doc::Document document = json(randomDocument(dice));
      Seen found;
      EXPECT_TRUE(
          groups.matching(document, [&](const Subscription& member) { ASSERT_TRUE(found.insert(&member).second); })
              .empty());
      Seen leavers;
      groups.matchingLeavers(document, [&](const Subscription& member) { leavers.insert(&member); });
      for (const auto& one : cases) {
        const Subscription& subscription = one->subscription;
        const bool expected = subscription.group != nullptr && one->plain.matches(document);
        ASSERT_EQ(found.contains(&subscription), expected) << doc::toJson(document);
        ASSERT_EQ(showsTo(subscription, document), expected) << doc::toJson(document);
        if (subscription.leave) ASSERT_EQ(leavers.contains(&subscription), expected);
        ++compared;
        shown += expected ? 1 : 0;
      }
    }
    for (const auto& one : cases) groups.remove(one->subscription);
    EXPECT_EQ(groups.size(), 0u);
    EXPECT_FALSE(groups.hasLeavers());
  }
  EXPECT_GE(compared, 100'000u);
  EXPECT_GT(shown, compared / 20);
  EXPECT_GT(bySet, 2'000u);
}

}  // namespace
}  // namespace mb::realtime
