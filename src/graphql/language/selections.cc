#include "graphql/language/selections.h"

#include <algorithm>
#include <optional>
#include <ranges>
#include <unordered_map>
#include <unordered_set>

#include "base/key_index.h"
#include "document/json.h"
#include "graphql/language/values.h"

namespace mb::graphql {

namespace {

constexpr uint64_t kDefaultListed = 50;
constexpr size_t kMaxLocations = 8;  // of an error of one field
constexpr uint64_t kMaxListed = 1000;

using Sets = std::vector<const std::vector<Selection>*>;

// The fields of one key of one object.
struct Group {
  std::string_view key;
  const Field* field = nullptr;  // of the first
  std::vector<const Selection*> selections;

  Sets below() const {
    Sets sets;
    for (const Selection* each : selections) sets.push_back(&each->selections);
    return sets;
  }
};

// Groups fields, in the order of the first occurrence of their keys.
class Collector {
 public:
  // `variables`: for @skip and @include; nullptr: nothing is skipped.
  Collector(const Schema& schema, const Request& request, const doc::DocumentView* variables, size_t& left)
      : schema_(schema), request_(request), variables_(variables), left_(left) {}

  // nullopt once more than `left` selections were visited.
  std::optional<std::vector<Group>> collect(const Type& parent, const Sets& sets) {
    groups_.clear();
    places_.clear();
    visited_.clear();
    for (const auto* set : sets) {
      if (!add(parent, *set)) return std::nullopt;
    }
    return std::move(groups_);
  }

  // Whether a variable has decided about a field so far.
  bool usedVariables() const { return usedVariables_; }

 private:
  // Uses an explicit stack, as spreads may be nested as deep as there are fragments.
  bool add(const Type& parent, const std::vector<Selection>& set) {
    struct Step {
      const std::vector<Selection>* set;
      size_t next = 0;
    };
    std::vector<Step> stack{{&set}};
    while (!stack.empty()) {
      Step& top = stack.back();
      if (top.next == top.set->size()) {
        stack.pop_back();
        continue;
      }
      const Selection& selection = (*top.set)[top.next++];
      if (left_ == 0) return false;
      --left_;
      if (!wanted(selection)) continue;
      if (selection.kind == SelectionKind::field) {
        addField(parent, selection);
      } else if (selection.kind == SelectionKind::inlineFragment) {
        stack.push_back({&selection.selections});
      } else if (visited_.insert(selection.name).second) {
        stack.push_back({&request_.fragment(selection.name)->selections});
      }
    }
    return true;
  }

  void addField(const Type& parent, const Selection& selection) {
    const auto [place, isNew] = places_.emplace(selection.key(), groups_.size());
    if (isNew) groups_.push_back({selection.key(), schema_.field(parent, selection.name), {}});
    groups_[place->second].selections.push_back(&selection);
  }

  bool wanted(const Selection& selection) {
    if (!variables_) return true;
    for (const Directive& directive : selection.directives) {
      const bool skips = directive.name == "skip";
      if (!skips && directive.name != "include") continue;
      if (condition(directive.arguments.front().value) == skips) return false;
    }
    return true;
  }
  bool condition(const Value& value) {
    if (value.kind != ValueKind::variable) return value.name == "true";
    usedVariables_ = true;
    const auto given = variables_->find(value.name);
    return given && given->type() == doc::BsonType::boolean && given->asBool();
  }

  const Schema& schema_;
  const Request& request_;
  const doc::DocumentView* variables_;
  size_t& left_;
  bool usedVariables_ = false;
  std::vector<Group> groups_;
  std::unordered_map<std::string_view, size_t, SeededHash> places_;
  std::unordered_set<std::string_view, SeededHash> visited_;
};

bool sameValue(const Value& a, const Value& b) {
  if (a.kind != b.kind || a.name != b.name || a.text != b.text) return false;
  if (a.items.size() != b.items.size() || a.fields.size() != b.fields.size()) return false;
  if (!std::ranges::equal(a.items, b.items, sameValue)) return false;
  return std::ranges::all_of(a.fields, [&](const ObjectField& field) {
    const auto other = std::ranges::find(b.fields, field.name, &ObjectField::name);
    return other != b.fields.end() && sameValue(field.value, other->value);
  });
}

bool sameArguments(const Selection& a, const Selection& b) {
  if (a.arguments.size() != b.arguments.size()) return false;
  return std::ranges::all_of(a.arguments, [&](const Argument& argument) {
    const auto other = std::ranges::find(b.arguments, argument.name, &Argument::name);
    return other != b.arguments.end() && sameValue(argument.value, other->value);
  });
}

bool isMetaList(const Field& field) {
  return field.source == Source::introspection && (field.key == "fields" || field.key == "inputFields" ||
                                                   field.key == "interfaces" || field.key == "possibleTypes");
}

std::optional<Problem> tooManyAliases(const std::vector<Group>& groups) {
  std::unordered_map<const Field*, size_t> keys;
  for (const Group& group : groups) {
    if (++keys[group.field] <= kMaxAliases) continue;
    return Problem{
        fmt::format("The field \"{}\" is selected under more than {} names.", group.field->name, kMaxAliases),
        {group.selections.front()->at}};
  }
  return std::nullopt;
}

// Finds the first problem of an operation.
class Checker {
 public:
  Checker(const Schema& schema, const Request& request, size_t& left)
      : left_(left), collector_(schema, request, nullptr, left_) {}

  struct Depth {
    int fields = 0;
    int described = 0;
    int metaLists = 0;
  };
  std::optional<Problem> check(const Type& parent, const Sets& sets, Depth depth) {
    const auto groups = collector_.collect(parent, sets);
    if (!groups) return Problem{"The request selects too many fields."};
    if (auto problem = tooManyAliases(*groups)) return problem;
    for (const Group& group : *groups) {
      if (auto problem = conflictIn(group)) return problem;
      if (auto problem = below(group, depth)) return problem;
    }
    return std::nullopt;
  }

 private:
  static std::optional<Problem> conflictIn(const Group& group) {
    const Selection& first = *group.selections.front();
    for (const Selection* other : group.selections) {
      const bool sameField = other->name == first.name;
      if (sameField && sameArguments(first, *other)) continue;
      const std::string why = sameField
                                  ? "they have differing arguments"
                                  : fmt::format("\"{}\" and \"{}\" are different fields", first.name, other->name);
      return Problem{fmt::format("Fields \"{}\" conflict because {}. Use different aliases on the fields to fetch both "
                                 "if this was intentional.",
                                 group.key, why),
                     {first.at, other->at}};
    }
    return std::nullopt;
  }

  std::optional<Problem> below(const Group& group, Depth depth) {
    const Type& type = group.field->type->named();
    const uint32_t at = group.selections.front()->at;
    const bool describes = type.introspects || group.field->source == Source::introspection;
    if (describes ? ++depth.described > kMaxIntrospected : ++depth.fields > kMaxDepth) {
      return Problem{
          fmt::format("The request is nested deeper than {} fields.", describes ? kMaxIntrospected : kMaxDepth), {at}};
    }
    if (isMetaList(*group.field) && ++depth.metaLists > kMaxMetaLists) {
      return Problem{"The introspection is nested too deep.", {at}};
    }
    if (!type.isComposite()) return std::nullopt;
    return check(type, group.below(), depth);
  }

  size_t& left_;
  Collector collector_;
};

std::unexpected<Problem> tooCostly() {
  return std::unexpected(Problem{
      fmt::format("The request costs more than {}: select fewer documents (`limit`), relations or fields.", kMaxCost)});
}

// Counts the passes over a document by its children. A relation leads to other documents.
void countPasses(Planned& one) {
  std::unordered_map<const Field*, size_t> shown;
  for (const Planned& child : one.children) {
    const bool relation = child.field->source == Source::relation;
    one.relations += relation ? 1 : child.relations;
    size_t& times = shown[child.field];
    times += relation ? 1 : child.passes;
    one.passes = std::max(one.passes, times);
  }
  one.passes = std::max(one.passes, one.relations);
}

class Planner {
 public:
  Planner(const Schema& schema, const Request& request, doc::DocumentView variables)
      : variables_(variables), collector_(schema, request, &variables_, left_) {}

  Parsed<Plan> plan(const Type& root, const Operation& operation) {
    auto fields = planned(root, {&operation.selections});
    if (!fields) return tooCostly();
    plan_.fields = *std::move(fields);
    plan_.fixed = !collector_.usedVariables();
    return std::move(plan_);
  }

 private:
  // nullopt if there are too many fields.
  std::optional<std::vector<Planned>> planned(const Type& parent, const Sets& sets) {
    const auto groups = collector_.collect(parent, sets);
    if (!groups || (plan_.all += groups->size()) > kMaxCost) return std::nullopt;
    std::vector<Planned> fields(groups->size());
    for (size_t i = 0; i < groups->size(); ++i) {
      if (!describe(fields[i], parent, (*groups)[i])) return std::nullopt;
    }
    return fields;
  }

  bool describe(Planned& one, const Type& parent, const Group& group) {
    one.field = group.field;
    one.parent = &parent;
    one.key = group.key;
    doc::writeJsonString(one.keyText, one.key);
    one.keyText += ':';
    for (const Selection* each : group.selections | std::views::take(kMaxLocations)) one.at.push_back(each->at);
    if (!group.field->arguments.empty()) {
      one.given = &group.selections.front()->arguments;
      one.arguments = plan_.withArguments++;
    }
    if (!group.field->type->named().isComposite()) return true;
    auto children = planned(group.field->type->named(), group.below());
    if (!children) return false;
    one.children = *std::move(children);
    countPasses(one);
    return true;
  }

  const doc::DocumentView variables_;
  size_t left_ = kMaxSelected;
  Collector collector_;
  Plan plan_;
};

// Coerces arguments in the order of a plan, and counts the cost of the run.
class Coercer {
 public:
  Coercer(doc::DocumentView variables, std::vector<doc::Document>& out) : variables_(variables), out_(out) {}

  // For fields that may occur `times` times.
  Parsed<void> coerce(const std::vector<Planned>& fields, uint64_t times) {
    for (const Planned& field : fields) {
      if (field.given) {
        auto arguments = coerceArguments(field.field->arguments, *field.given, variables_, field.at.front());
        if (!arguments) return std::unexpected(std::move(arguments).error());
        out_.push_back(*std::move(arguments));
      }
      uint64_t below = times;
      cost_ += 1 + costOf(field, below);
      if (cost_ > kMaxCost) return tooCostly();
      if (field.children.empty()) continue;
      if (auto done = coerce(field.children, below); !done) return done;
    }
    return {};
  }

 private:
  // The cost of the field itself; sets `times` to how often the fields below it may occur.
  uint64_t costOf(const Planned& one, uint64_t& times) const {
    switch (one.field->source) {
      case Source::page:
      case Source::list:
      case Source::search: {
        const auto limit = out_.back().view().find("limit");
        const bool given = limit && limit->isNumber();
        times = given ? static_cast<uint64_t>(std::clamp<int64_t>(limit->asInteger(), 0, kMaxListed)) : kDefaultListed;
        return times + (one.field->source == Source::page ? kCountCost : 0);
      }
      case Source::relation:
        if (one.field->type->kind == TypeKind::list) times *= kReferencesExpected;
        return times;
      case Source::count:
        return kCountCost;
      case Source::create:
      case Source::update:
      case Source::replace:
      case Source::remove:
        return kMutationCost;
      default:
        return 0;
    }
  }

  const doc::DocumentView variables_;
  std::vector<doc::Document>& out_;
  uint64_t cost_ = 0;
};

const Type& rootOf(const Schema& schema, OperationKind kind) {
  return kind == OperationKind::mutation ? *schema.mutation() : schema.query();
}

}  // namespace

Problems checkSelections(const Schema& schema, const Request& request) {
  size_t left = kMaxSelected;
  for (const Operation& operation : request.operations) {
    Checker checker(schema, request, left);
    if (auto problem = checker.check(rootOf(schema, operation.kind), {&operation.selections}, {})) return {*problem};
  }
  return {};
}

Parsed<Plan> plan(const Schema& schema, const Request& request, const Operation& operation,
                  doc::DocumentView variables) {
  return Planner(schema, request, variables).plan(rootOf(schema, operation.kind), operation);
}

Parsed<Arguments> Arguments::coerced(const Plan& plan, doc::DocumentView variables) {
  Arguments all;
  all.coerced_.reserve(plan.withArguments);
  if (auto done = Coercer(variables, all.coerced_).coerce(plan.fields, 1); !done) {
    return std::unexpected(std::move(done).error());
  }
  return all;
}

}  // namespace mb::graphql
