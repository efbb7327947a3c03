#include "store/embedded/planner.h"

#include "store/embedded/bounds.h"
#include "store/embedded/keys.h"

namespace mb::store::embedded {

namespace {

using Kind = Condition::Kind;

bool provesAll(const std::vector<bool>& met) {
  return std::find(met.begin(), met.end(), false) == met.end();
}

// A document's id is a string and stands once, so conditions on `id` are conditions on its key.
std::optional<Plan> byIds(const std::vector<Condition>& conditions) {
  for (size_t i = 0; i < conditions.size(); ++i) {
    const Condition& condition = conditions[i];
    if (condition.kind != Kind::points || condition.path != "id" || condition.element) continue;
    Plan plan;
    plan.kind = Plan::Kind::ids;
    for (const doc::ValueView& value : condition.values) {
      if (value.type() == doc::BsonType::string) plan.ids.emplace_back(value.asString());
    }
    std::sort(plan.ids.begin(), plan.ids.end());
    plan.ids.erase(std::unique(plan.ids.begin(), plan.ids.end()), plan.ids.end());
    plan.exact = conditions.size() == 1 && condition.whole;
    plan.inIdOrder = true;
    return plan;
  }
  return std::nullopt;
}

// The entries behind `pointFields` fixed fields are in the order asked for, ties by id.
bool givesOrder(const Index& index, size_t pointFields, size_t prefixes, const std::vector<SortKey>& sort) {
  if (sort.empty() || prefixes != 1 || pointFields + sort.size() != index.paths.size() || index.spec.unique)
    return false;
  const uint32_t inexact = index.traits->multikey.load() | index.traits->truncated.load();
  for (size_t i = 0; i < sort.size(); ++i) {
    const size_t field = pointFields + i;
    if (sort[i].path != index.paths[field].dotted()) return false;
    if ((sort[i].direction < 0) != index.descending(field)) return false;
    if ((inexact >> field & 1) != 0) return false;
  }
  return true;
}

bool holdsAllMatches(const Index& index, const std::vector<Condition>& conditions, std::vector<bool>& met) {
  if (index.partial && !implies(conditions, *index.partial, met)) return false;
  if (!index.spec.sparse) return true;
  return std::any_of(conditions.begin(), conditions.end(), [&](const Condition& condition) {
    return condition.excludesMissing &&
           std::any_of(index.paths.begin(), index.paths.end(),
                       [&](const doc::FieldPath& p) { return p.dotted() == condition.path; });
  });
}

std::optional<Plan> through(const std::shared_ptr<const Index>& index, ProjectNo project,
                            const std::vector<Condition>& conditions, const std::vector<SortKey>& sort) {
  std::vector<bool> met(conditions.size(), false);
  if (!index->ready || !holdsAllMatches(*index, conditions, met)) return std::nullopt;
  const IndexBounds bounds(project, *index, conditions, std::move(met));
  Plan plan;
  plan.kind = Plan::Kind::index;
  plan.index = index;
  plan.ranges = bounds.ranges();
  plan.exact = bounds.provesAll();
  plan.inIdOrder = bounds.singlePoint();
  plan.inSortOrder = givesOrder(*index, bounds.pointFields(), plan.ranges.size(), sort);
  plan.mayRepeat = index->traits->multikey.load() != 0 && !bounds.singlePoint();
  if (!bounds.bounded() && !plan.inSortOrder) return std::nullopt;
  return plan;
}

}  // namespace

Plan documentsPlan(const CollectionRef& collection, const doc::Filter& filter) {
  const std::vector<Condition> conditions = conditionsOf(filter);
  const std::string prefix = rangePrefix(collection.project, collection.number);
  KeyRange range{prefix, successor(prefix)};
  std::vector<bool> met(conditions.size(), false);
  for (size_t i = 0; i < conditions.size(); ++i) {
    const Condition& condition = conditions[i];
    if (condition.path != "id" || condition.element) continue;
    if (condition.kind == Kind::prefix) {
      range.from = std::max(range.from, prefix + condition.prefix);
      range.to = std::min(range.to, successor(prefix + condition.prefix));
    }
    if (condition.kind != Kind::lower && condition.kind != Kind::upper) continue;
    if (condition.values.front().type() != doc::BsonType::string) continue;
    std::string key = prefix + std::string(condition.values.front().asString());
    if (condition.inclusive == (condition.kind == Kind::upper)) key += '\0';
    if (condition.kind == Kind::lower) range.from = std::max(range.from, std::move(key));
    if (condition.kind == Kind::upper) range.to = std::min(range.to, std::move(key));
    met[i] = true;
  }
  Plan plan;
  plan.exact = provesAll(met);
  plan.inIdOrder = true;
  plan.boundsIds = range.from != prefix || range.to != successor(prefix);
  if (range.from < range.to) plan.ranges.push_back(std::move(range));
  return plan;
}

std::vector<Plan> usablePlans(const CollectionRef& collection, const Schema& schema, const doc::Filter& filter,
                              const std::vector<SortKey>& sort) {
  const std::vector<Condition> conditions = conditionsOf(filter);
  std::vector<Plan> plans;
  if (auto plan = byIds(conditions)) {
    plans.push_back(*std::move(plan));
    return plans;
  }
  for (const auto& index : schema.indexes) {
    if (auto plan = through(index, collection.project, conditions, sort)) plans.push_back(*std::move(plan));
  }
  if (plans.empty()) plans.push_back(documentsPlan(collection, filter));
  return plans;
}

}  // namespace mb::store::embedded
