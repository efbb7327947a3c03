// Random policies with sets and public rules, on random documents and memberships, compared with a plain evaluation
// over all documents.
#include <set>

#include "data/data_fixture.h"
#include "policy/random_rules_fixture.h"

namespace mb::data {
namespace {

using policy::Membership;
using policy::RandomFilter;

constexpr int kDocuments = 12;
constexpr int kDecisions = 100'000;

class PolicyReferenceTest : public DataTest {
 protected:
  void makeMemberships() {
    for (int i = 0; i < policy::kRandomUsers * 2; ++i) {
      memberships_.push_back(Membership::random(choice_));
      put("memberships", memberships_.back().json(fmt::format("m{}", i)));
    }
  }
  void changeMembership() {
    const int i = choice_.below(static_cast<int>(memberships_.size()));
    const std::string id = fmt::format("m{}", i);
    Membership& changed = memberships_[static_cast<size_t>(i)];
    changed = Membership::random(choice_);
    expectOk(run(data_->documents().replace(asAdmin(), "memberships", id, json(changed.json(id)))));
  }
  void makeSets() {
    NewIndex index;
    index.keys = json(R"({"userId": 1})");
    expectOk(run(data_->collections().createIndex(managing(), "memberships", index)));
    for (size_t i = 0; i < policy::kRandomSetsWhere.size(); ++i) {
      const PolicySet set{fmt::format("s{}", i), "memberships", json(policy::kRandomSetsWhere[i]), "teamId"};
      expectOk(run(data_->policySets().set(managing(), set)));
    }
  }
  void makeDocuments() {
    for (int i = 0; i < kDocuments; ++i) {
      policy::RuleFields made;
      made.owner = policy::userId(choice_.below(policy::kRandomUsers));
      made.number = choice_.below(6);
      std::string more;
      if (!choice_.oneIn(8)) {
        made.teams.emplace(1, policy::randomTeam(choice_));
        if (choice_.oneIn(3)) made.teams->push_back(policy::randomTeam(choice_));
        more += fmt::format(R"(,"teams":{})", policy::jsonOf(*made.teams));
      }
      if (!choice_.oneIn(3)) {
        made.role = choice_.of(policy::kRandomRoles);
        more += fmt::format(R"(,"role":"{}")", *made.role);
      }
      const std::string id = fmt::format("d{:02}", i);
      put("docs", fmt::format(R"({{"id":"{}","ownerId":"{}","n":{}{}}})", id, made.owner, *made.number, more));
      documents_.emplace_back(id, std::move(made));
    }
  }

  policy::RandomChoice choice_{20'261'126};
  std::vector<Membership> memberships_;
  std::vector<std::pair<std::string, policy::RuleFields>> documents_;
};

TEST_F(PolicyReferenceTest, EveryDecisionIsThatOfThePlainEvaluation) {
  collection("memberships");
  collection("docs");
  makeSets();
  makeMemberships();
  makeDocuments();
  int decisions = 0;
  while (decisions < kDecisions && !HasFailure()) {
    std::map<std::string, RandomFilter> rules;
    for (const char* name : {"read", "list", "public.read", "public.list"}) {
      const bool forAll = std::string_view(name).starts_with("public");
      if (!choice_.oneIn(4)) rules.emplace(name, RandomFilter::random(choice_, forAll));
    }
    std::string own;
    std::string open;
    for (const auto& [name, rule] : rules) {
      const bool isPublic = name.starts_with("public.");
      std::string& into = isPublic ? open : own;
      into += fmt::format(R"({}"{}": {{"filter": {}}})", into.empty() ? "" : ",", isPublic ? name.substr(7) : name,
                          rule.json());
    }
    const std::string policy = fmt::format(R"({{{}{}"public": {{{}}}}})", own, own.empty() ? "" : ",", open);
    expectOk(run(data_->collections().setPolicy(managing(), "docs", json(policy))));
    for (int step = 0; step < 4; ++step) {
      if (step > 0) changeMembership();
      for (int who = 0; who <= policy::kRandomUsers; ++who) {
        const bool anonymous = who == policy::kRandomUsers;
        const policy::Caller caller = anonymous ? policy::Caller() : user(policy::userId(who));
        policy::CallerValues values{caller.id, caller.role, {}};
        values.readSets(memberships_);
        const auto sees = [&](const std::string& operation, const policy::RuleFields& document) -> bool {
          auto rule = anonymous ? rules.end() : rules.find(operation);
          if (rule == rules.end()) rule = rules.find("public." + operation);
          return rule != rules.end() && rule->second.matches(document, values);
        };
        std::set<std::string> listed;
        for (const std::string& text : list(caller, "docs").value_or(std::vector<std::string>())) {
          listed.emplace(json(text).view().stringOr("id"));
        }
        for (const auto& [id, document] : documents_) {
          EXPECT_EQ(listed.contains(id), sees("list", document)) << policy << "\n" << caller.id << " " << id;
          EXPECT_EQ(get(caller, "docs", id).has_value(), sees("read", document)) << policy << "\n"
                                                                                 << caller.id << " " << id;
          decisions += 2;
        }
      }
    }
  }
}

}  // namespace
}  // namespace mb::data
