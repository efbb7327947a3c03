// Random rules over sets and values of the caller, random memberships, and a plain evaluation of each rule. For tests
// that compare decisions of a module with it.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace mb::policy {

class RandomChoice {
 public:
  explicit RandomChoice(unsigned seed) : engine_(seed) {}
  int below(int n) { return std::uniform_int_distribution<int>(0, n - 1)(engine_); }
  bool oneIn(int n) { return below(n) == 0; }
  template <class Items>
  const auto& of(const Items& items) {
    return items[static_cast<size_t>(below(static_cast<int>(items.size())))];
  }

 private:
  std::mt19937 engine_;
};

constexpr int kRandomUsers = 4;
constexpr int kRandomTeams = 5;
constexpr int kRandomSets = 2;
constexpr std::array kRandomRoles = {"user", "editor"};

inline std::string userId(int i) {
  return fmt::format("user_{}", i);
}
inline std::string randomTeam(RandomChoice& choice) {
  return fmt::format("t{}", choice.below(kRandomTeams));
}
// One string, or a list of them, as JSON.
inline std::string jsonOf(const std::vector<std::string>& texts) {
  return texts.size() == 1 ? fmt::format("\"{}\"", texts.front())
         : texts.empty()   ? "[]"
                           : fmt::format("[\"{}\"]", fmt::join(texts, "\",\""));
}

// A document of the collection of both sets: s0 holds the teams of all memberships of a user, s1 those of active ones.
struct Membership {
  std::string user;
  std::vector<std::string> teams;
  bool active = true;

  static Membership random(RandomChoice& choice) {
    Membership made{userId(choice.below(kRandomUsers)), {}, !choice.oneIn(3)};
    for (int i = choice.below(3); i > 0; --i) made.teams.push_back(randomTeam(choice));
    return made;
  }
  std::string json(std::string_view id) const {
    return fmt::format(R"({{"id":"{}","userId":"{}","teamId":{},"active":{}}})", id, user, jsonOf(teams), active);
  }
};
// `where` of the sets, by number.
constexpr std::array kRandomSetsWhere = {R"({"userId":"$auth.uid"})", R"({"userId":"$auth.uid","active":true})"};

// What rules know of a caller.
struct CallerValues {
  std::string id;
  std::string role;
  std::array<std::set<std::string>, kRandomSets> sets;

  void readSets(const std::vector<Membership>& memberships) {
    for (auto& set : sets) set.clear();
    for (const Membership& each : memberships) {
      if (each.user != id) continue;
      sets[0].insert(each.teams.begin(), each.teams.end());
      if (each.active) sets[1].insert(each.teams.begin(), each.teams.end());
    }
  }
};

// What rules know of a document or a file; a field without a value is missing.
struct RuleFields {
  std::string owner;
  std::optional<std::vector<std::string>> teams;
  std::optional<int> number;
  std::optional<std::string> role;
};
// The names of these fields.
struct RuleFieldNames {
  std::string_view owner = "ownerId";
  std::string_view teams = "teams";
  std::string_view number = "n";
  std::string_view role = "role";
};

// The filter of a rule.
struct RandomFilter {
  enum class Kind { inSet, notInSet, owner, role, number, all, any, none };
  Kind kind = Kind::number;
  int number = 0;  // of the set, or the value
  std::vector<RandomFilter> parts;

  // Without placeholders where `forAll`, as public rules are.
  static RandomFilter random(RandomChoice& choice, bool forAll, int depth = 2) {
    static constexpr std::array leaves = {Kind::inSet, Kind::inSet, Kind::notInSet, Kind::owner, Kind::role};
    static constexpr std::array branches = {Kind::all, Kind::all, Kind::any, Kind::none};
    RandomFilter made;
    if (depth > 0 && choice.oneIn(2)) {
      made.kind = choice.of(branches);
      for (int i = 1 + choice.below(3); i > 0; --i) made.parts.push_back(random(choice, forAll, depth - 1));
      return made;
    }
    made.kind = forAll || choice.oneIn(5) ? Kind::number : choice.of(leaves);
    made.number = choice.below(made.kind == Kind::number ? 6 : kRandomSets);
    return made;
  }

  std::string json(const RuleFieldNames& names = {}) const {
    switch (kind) {
      case Kind::inSet:
        return fmt::format(R"({{"{}":{{"$in":"$auth.sets.s{}"}}}})", names.teams, number);
      case Kind::notInSet:
        return fmt::format(R"({{"{}":{{"$nin":"$auth.sets.s{}"}}}})", names.teams, number);
      case Kind::owner:
        return fmt::format(R"({{"{}":"$auth.uid"}})", names.owner);
      case Kind::role:
        return fmt::format(R"({{"{}":"$auth.role"}})", names.role);
      case Kind::number:
        return fmt::format(R"({{"{}":{{"$gte":{}}}}})", names.number, number);
      case Kind::all:
      case Kind::any:
      case Kind::none:
        break;
    }
    std::vector<std::string> list;
    for (const RandomFilter& part : parts) list.push_back(part.json(names));
    const std::string_view name = kind == Kind::all ? "$and" : kind == Kind::any ? "$or" : "$nor";
    return fmt::format(R"({{"{}":[{}]}})", name, fmt::join(list, ","));
  }

  bool matches(const RuleFields& fields, const CallerValues& caller) const {
    const auto matchesPart = [&](const RandomFilter& part) { return part.matches(fields, caller); };
    switch (kind) {
      case Kind::inSet:
        return isIn(fields, caller);
      case Kind::notInSet:
        return !isIn(fields, caller);
      case Kind::owner:
        return fields.owner == caller.id;
      case Kind::role:
        return fields.role == caller.role;
      case Kind::number:
        return fields.number && *fields.number >= number;
      case Kind::all:
        return std::ranges::all_of(parts, matchesPart);
      case Kind::any:
        return std::ranges::any_of(parts, matchesPart);
      case Kind::none:
        return std::ranges::none_of(parts, matchesPart);
    }
    return false;
  }

 private:
  bool isIn(const RuleFields& fields, const CallerValues& caller) const {
    const std::set<std::string>& set = caller.sets[static_cast<size_t>(number)];
    return fields.teams && std::ranges::any_of(*fields.teams, [&](const auto& team) { return set.contains(team); });
  }
};

}  // namespace mb::policy
