// Documents, policies and filters of clients for the comparison of realtime with a plain evaluation, and what that says
// about one of them. For the tests of this module.
#pragma once

#include "data/data_fixture.h"
#include "policy/random_rules_fixture.h"

namespace mb::realtime {

// The values of a document by dotted path, as JSON.
using Fields = std::map<std::string, std::string>;

inline void addFields(Fields& fields, const std::string& prefix, doc::DocumentView document) {
  for (const auto& [name, value] : document) {
    const std::string path = prefix + std::string(name);
    if (value.type() == doc::BsonType::document) {
      addFields(fields, path + ".", value.asDocument());
    } else if (path == "createdAt" || path == "updatedAt") {
      fields[path] = "set by the server";
    } else {
      doc::writeJsonValue(fields[path], value);
    }
  }
}

// Whether the field at `path` is the one at `other`, or below it.
inline bool isWithin(std::string_view path, std::string_view other) {
  return path.starts_with(other) && (path.size() == other.size() || path[other.size()] == '.');
}
inline bool isWithinOne(std::string_view path, const std::vector<std::string>& others) {
  return std::ranges::any_of(others, [&](const auto& other) { return isWithin(path, other); });
}

struct TestDocument {
  std::string id;
  policy::RuleFields rule;
  std::vector<std::string> tags;
  int depth = 0;
  int secret = 0;
  int revision = 0;

  std::string json() const { return fmt::format(R"({{"id":"{}",{}}})", id, values()); }
  // The update that makes it of a document with its id.
  std::string update() const {
    std::vector<std::string> unset;
    if (!rule.teams) unset.emplace_back("\"teams\":\"\"");
    if (!rule.number) unset.emplace_back("\"n\":\"\"");
    if (!rule.role) unset.emplace_back("\"role\":\"\"");
    const std::string sets = fmt::format("\"$set\":{{{}}}", values());
    if (unset.empty()) return fmt::format("{{{}}}", sets);
    return fmt::format("{{{},\"$unset\":{{{}}}}}", sets, fmt::join(unset, ","));
  }
  std::string values() const {
    std::string more;
    if (rule.teams) more += fmt::format(R"(,"teams":{})", policy::jsonOf(*rule.teams));
    if (rule.number) more += fmt::format(R"(,"n":{})", *rule.number);
    if (rule.role) more += fmt::format(R"(,"role":"{}")", *rule.role);
    return fmt::format(R"("ownerId":"{}","tags":{},"deep":{{"x":{},"y":{}}},"secret":{},"rev":{}{})", rule.owner,
                       policy::jsonOf(tags), depth, depth + 1, secret, revision, more);
  }
  // What a reader is shown of it.
  Fields shown(const std::vector<std::string>& denied, const std::vector<std::string>& only) const {
    Fields fields;
    addFields(fields, "", data::json(json()));
    fields["createdAt"] = fields["updatedAt"] = "set by the server";
    std::erase_if(fields, [&](const auto& each) {
      const std::string& path = each.first;
      return isWithinOne(path, denied) || (!only.empty() && path != "id" && !isWithinOne(path, only));
    });
    return fields;
  }
};

// A filter of a client. Each matches a document with large numbers, all teams and all tags.
struct ClientFilter {
  std::string json = "{}";
  std::vector<std::string> paths;
  std::function<bool(const TestDocument&)> matches = [](const TestDocument&) { return true; };

  static ClientFilter random(policy::RandomChoice& choice, int depth = 1) {
    if (depth > 0 && choice.oneIn(3)) return joined(choice, random(choice, 0), random(choice, 0));
    const int value = choice.below(5);
    switch (choice.below(5)) {
      case 0:
        return {fmt::format(R"({{"n":{{"$gte":{}}}}})", value), {"n"}, [value](const TestDocument& each) {
                  return each.rule.number && *each.rule.number >= value;
                }};
      case 1: {
        const std::string team = policy::randomTeam(choice);
        return {fmt::format(R"({{"teams":"{}"}})", team), {"teams"}, [team](const TestDocument& each) {
                  return each.rule.teams && std::ranges::find(*each.rule.teams, team) != each.rule.teams->end();
                }};
      }
      case 2: {
        const std::array wanted = {choice.of(kTags), choice.of(kTags)};
        return {fmt::format(R"({{"tags":{{"$in":["{}","{}"]}}}})", wanted[0], wanted[1]),
                {"tags"},
                [wanted](const TestDocument& each) {
                  return std::ranges::any_of(wanted, [&](const auto& tag) { return contains(each.tags, tag); });
                }};
      }
      case 3:
        return {fmt::format(R"({{"secret":{{"$ne":{}}}}})", value), {"secret"}, [value](const TestDocument& each) {
                  return each.secret != value;
                }};
      default:
        return {fmt::format(R"({{"deep.x":{{"$gt":{}}}}})", value), {"deep.x"}, [value](const TestDocument& each) {
                  return each.depth > value;
                }};
    }
  }

  static constexpr std::array kTags = {"a", "b", "c"};

 private:
  static bool contains(const std::vector<std::string>& tags, std::string_view tag) {
    return std::ranges::find(tags, tag) != tags.end();
  }
  static ClientFilter joined(policy::RandomChoice& choice, ClientFilter one, ClientFilter other) {
    const bool both = choice.oneIn(2);
    ClientFilter made{fmt::format(R"({{"{}":[{},{}]}})", both ? "$and" : "$or", one.json, other.json), one.paths, {}};
    made.paths.insert(made.paths.end(), other.paths.begin(), other.paths.end());
    made.matches = [both, one = one.matches, other = other.matches](const TestDocument& each) {
      return both ? one(each) && other(each) : one(each) || other(each);
    };
    return made;
  }
};

struct ReadRule {
  std::optional<policy::RandomFilter> filter;  // nullopt: matches everything
  std::vector<std::string> denied;
};

struct TestPolicy {
  std::map<std::string, ReadRule> rules;  // "read", "list", "public.read", "public.list"

  const ReadRule* find(const std::string& name) const {
    const auto found = rules.find(name);
    return found == rules.end() ? nullptr : &found->second;
  }
  // The rule of an operation, for callers with a token or without one.
  const ReadRule* ruleFor(const std::string& operation, bool anonymous) const {
    const ReadRule* own = anonymous ? nullptr : find(operation);
    return own ? own : find("public." + operation);
  }
  std::vector<std::string> denied(bool anonymous) const {
    std::vector<std::string> all;
    const auto add = [&](const ReadRule* rule) {
      if (rule) all.insert(all.end(), rule->denied.begin(), rule->denied.end());
    };
    for (const char* operation : {"read", "list"}) {
      add(ruleFor(operation, anonymous));
      if (anonymous) add(find(operation));
    }
    return all;
  }
  std::string json() const {
    std::vector<std::string> own;
    std::vector<std::string> open;
    for (const auto& [name, rule] : rules) {
      std::vector<std::string> parts;
      if (rule.filter) parts.push_back("\"filter\":" + rule.filter->json());
      if (!rule.denied.empty()) {
        parts.push_back(fmt::format(R"("deniedReadFields":["{}"])", fmt::join(rule.denied, "\",\"")));
      }
      const bool isPublic = name.starts_with("public.");
      (isPublic ? open : own)
          .push_back(fmt::format("\"{}\":{{{}}}", isPublic ? name.substr(7) : name, fmt::join(parts, ",")));
    }
    if (!open.empty()) own.push_back(fmt::format("\"public\":{{{}}}", fmt::join(open, ",")));
    return fmt::format("{{{}}}", fmt::join(own, ","));
  }
};

}  // namespace mb::realtime
