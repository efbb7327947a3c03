// Random policies with sets and public rules, on random documents and memberships, compared with a plain evaluation
// over all documents.
#include <random>
#include <set>

#include "data/data_fixture.h"

namespace mb::data {
namespace {

constexpr int kUsers = 4;
constexpr int kTeams = 5;
constexpr int kDocuments = 12;
constexpr int kSets = 2;

constexpr int kDecisions = 100'000;

struct Membership {
  std::string user;
  std::vector<std::string> teams;
  bool active = true;
  std::string json(int i) const {
    std::string list;
    for (const std::string& team : teams) list += (list.empty() ? "\"" : ",\"") + team + "\"";
    const std::string value = teams.size() == 1 ? list : "[" + list + "]";
    return fmt::format(R"({{"id": "m{}", "userId": "{}", "teamId": {}, "active": {}}})", i, user, value, active);
  }
};

// A filter with placeholders, as saved or with the values of a caller.
struct Condition {
  enum class Kind { inSet, notInSet, owner, number, all, any, none } kind = Kind::number;
  int number = 0;  // of the set, or the value
  std::vector<Condition> parts;

  // `sets`: the values as JSON lists; nullptr: as saved.
  std::string json(const std::vector<std::string>* sets, const std::string& uid) const {
    const std::string values = sets && kind != Kind::number && number < kSets
                                   ? (*sets)[static_cast<size_t>(number)]
                                   : fmt::format("\"$auth.sets.s{}\"", number);
    switch (kind) {
      case Kind::inSet:
        return fmt::format(R"({{"teams": {{"$in": {}}}}})", values);
      case Kind::notInSet:
        return fmt::format(R"({{"teams": {{"$nin": {}}}}})", values);
      case Kind::owner:
        return fmt::format(R"({{"ownerId": "{}"}})", sets ? uid : "$auth.uid");
      case Kind::number:
        return fmt::format(R"({{"n": {{"$gte": {}}}}})", number);
      case Kind::all:
      case Kind::any:
      case Kind::none:
        break;
    }
    std::string list;
    for (const Condition& part : parts) list += (list.empty() ? "" : ",") + part.json(sets, uid);
    return fmt::format(R"({{"{}": [{}]}})", kind == Kind::all ? "$and" : kind == Kind::any ? "$or" : "$nor", list);
  }
};

class PolicyReferenceTest : public DataTest {
 protected:
  int below(int n) { return std::uniform_int_distribution<int>(0, n - 1)(random_); }
  bool chance(int in) { return below(in) == 0; }

  Condition condition(bool anonymous, int depth = 2) {
    Condition made;
    if (depth > 0 && chance(2)) {
      made.kind =
          std::array{Condition::Kind::all, Condition::Kind::any, Condition::Kind::none}[static_cast<size_t>(below(3))];
      const int count = 1 + below(3);
      for (int i = 0; i < count; ++i) made.parts.push_back(condition(anonymous, depth - 1));
      return made;
    }
    const int kind = anonymous ? 3 : below(4);
    made.kind = std::array{Condition::Kind::inSet, Condition::Kind::notInSet, Condition::Kind::owner,
                           Condition::Kind::number}[static_cast<size_t>(kind)];
    made.number = made.kind == Condition::Kind::number ? below(5) : below(kSets);
    return made;
  }
  std::string team() { return fmt::format("t{}", below(kTeams)); }
  static std::string user(int i) { return fmt::format("user_{}", i); }

  void makeMemberships() {
    for (int i = 0; i < kUsers * 2; ++i) {
      memberships_.push_back(randomMembership());
      put("memberships", memberships_.back().json(i));
    }
  }
  Membership randomMembership() {
    Membership made{user(below(kUsers)), {}, !chance(3)};
    const int count = below(3);
    for (int i = 0; i < count; ++i) made.teams.push_back(team());
    return made;
  }
  void changeMembership() {
    const int i = below(static_cast<int>(memberships_.size()));
    memberships_[static_cast<size_t>(i)] = randomMembership();
    expectOk(run(data_->documents().replace(asAdmin(), "memberships", fmt::format("m{}", i),
                                            json(memberships_[static_cast<size_t>(i)].json(i)))));
  }
  // Set 0: the teams of all memberships; set 1: of active ones.
  void makeSets() {
    NewIndex index;
    index.keys = json(R"({"userId": 1})");
    expectOk(run(data_->collections().createIndex(managing(), "memberships", index)));
    for (const auto& [name, where] :
         {std::pair{"s0", R"({"userId": "$auth.uid"})"}, {"s1", R"({"userId": "$auth.uid", "active": true})"}}) {
      expectOk(run(data_->policySets().set(managing(), {name, "memberships", json(where), "teamId"})));
    }
  }
  std::vector<std::string> setsOf(const std::string& uid) const {
    std::vector<std::string> lists;
    for (int set = 0; set < kSets; ++set) {
      std::set<std::string> teams;
      for (const Membership& each : memberships_) {
        if (each.user == uid && (set == 0 || each.active)) teams.insert(each.teams.begin(), each.teams.end());
      }
      lists.push_back(teams.empty() ? "[]" : fmt::format("[\"{}\"]", fmt::join(teams, "\",\"")));
    }
    return lists;
  }
  void makeDocuments() {
    for (int i = 0; i < kDocuments; ++i) {
      const std::string teams = chance(3) ? fmt::format(R"(["{}","{}"])", team(), team()) : "\"" + team() + "\"";
      documents_.push_back(fmt::format(R"({{"id": "d{:02}", "ownerId": "{}", "teams": {}, "n": {}}})", i,
                                       user(below(kUsers)), teams, below(6)));
      put("docs", documents_.back());
    }
  }

  std::mt19937 random_{20'261'126};
  std::vector<Membership> memberships_;
  std::vector<std::string> documents_;
};

TEST_F(PolicyReferenceTest, EveryDecisionIsThatOfThePlainEvaluation) {
  collection("memberships");
  collection("docs");
  makeSets();
  makeMemberships();
  makeDocuments();
  int decisions = 0;
  while (decisions < kDecisions && !HasFailure()) {
    std::map<std::string, Condition> rules;
    for (const char* name : {"read", "list", "public.read", "public.list"}) {
      if (!chance(4)) rules.emplace(name, condition(std::string_view(name).starts_with("public")));
    }
    std::string own;
    std::string open;
    for (const auto& [name, rule] : rules) {
      const bool isPublic = name.starts_with("public.");
      std::string& into = isPublic ? open : own;
      into += fmt::format(R"({}"{}": {{"filter": {}}})", into.empty() ? "" : ",", isPublic ? name.substr(7) : name,
                          rule.json(nullptr, ""));
    }
    const std::string policy = fmt::format(R"({{{}{}"public": {{{}}}}})", own, own.empty() ? "" : ",", open);
    expectOk(run(data_->collections().setPolicy(managing(), "docs", json(policy))));
    for (int step = 0; step < 4; ++step) {
      if (step > 0) changeMembership();
      for (int who = 0; who <= kUsers; ++who) {
        const bool anonymous = who == kUsers;
        const policy::Caller caller = anonymous ? policy::Caller() : DataTest::user(user(who));
        const std::vector<std::string> sets = setsOf(caller.id);
        const auto sees = [&](const std::string& operation, const std::string& document) -> bool {
          auto rule = anonymous ? rules.end() : rules.find(operation);
          if (rule == rules.end()) rule = rules.find("public." + operation);
          if (rule == rules.end()) return false;
          return doc::Filter::parse(json(rule->second.json(&sets, caller.id)))->matches(json(document));
        };
        std::set<std::string> listed;
        for (const std::string& text : list(caller, "docs").value_or(std::vector<std::string>())) {
          listed.emplace(json(text).view().stringOr("id"));
        }
        for (const std::string& document : documents_) {
          const std::string id(json(document).view().stringOr("id"));
          EXPECT_EQ(listed.contains(id), sees("list", document)) << policy << "\n" << caller.id << " " << document;
          EXPECT_EQ(get(caller, "docs", id).has_value(), sees("read", document)) << policy << "\n"
                                                                                 << caller.id << " " << document;
          decisions += 2;
        }
      }
    }
  }
}

}  // namespace
}  // namespace mb::data
