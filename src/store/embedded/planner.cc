#include "store/embedded/planner.h"

#include "store/embedded/bounds.h"
#include "store/embedded/held_fields.h"
#include "store/embedded/keys.h"
#include "store/value_key.h"

namespace mb::store::embedded {

namespace {

using Kind = Condition::Kind;

// The most ranges of a merged reading. Each buffers at most 16 entries, or 4 of an index whose entries hold fields (1
// KiB each at most) or documents (4 KiB): key_stream.cc. With keys of 100 bytes that is 2 MiB in all, or 5 MiB, or 17
// MiB; a field of a key has at most kFieldCap bytes and a hash.
constexpr size_t kMaxMerged = 1024;
// The depth to which branches of $or inside branches of $or are planned.
constexpr int kMaxNesting = 3;

bool allTrue(const std::vector<bool>& flags) {
  return std::find(flags.begin(), flags.end(), false) == flags.end();
}

// The inputs of the plans of one filter, or of one branch of an $or.
struct PlanInput {
  const CollectionRef& collection;
  const Schema& schema;
  const std::vector<Condition>& conditions;
  const SortOrder& order;
  // The conditions of the whole filter. Those of a branch do not exclude a document: another branch may match it, and
  // of the entries of several paths only the first is evaluated.
  const std::vector<Condition>& ofAll;
  bool ofBranch = false;  // an index that only yields an order is not a path for a branch
};

// A document's id is a string and unique, so conditions on `id` are conditions on its key.
std::optional<Plan> byIds(const std::vector<Condition>& conditions, const SortOrder& order) {
  for (size_t i = 0; i < conditions.size(); ++i) {
    const Condition& condition = conditions[i];
    if (condition.kind != Kind::points || condition.path != "id" || condition.element) continue;
    Plan plan;
    plan.kind = Plan::Kind::ids;
    std::vector<std::string>& ids = plan.accessPaths.emplace_back().ids;
    for (const doc::ValueView& value : condition.values) {
      if (value.type() == doc::BsonType::string) ids.emplace_back(value.asString());
    }
    std::sort(ids.begin(), ids.end());
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
    plan.exact = conditions.size() == 1 && condition.whole;
    plan.inOrder = plan.mergeable = order.isIdAscending();
    return plan;
  }
  return std::nullopt;
}

// Matches the sort keys with the fields of an index.
class OrderMatch {
 public:
  OrderMatch(const Index& index, const IndexBounds& bounds, const SortOrder& order)
      : index_(index),
        bounds_(bounds),
        order_(order),
        inexact_(index.traits->multikey.load() | index.traits->truncated.load()) {}

  // Starts at field `from`; true if the entries of one range (of all, one after the other, for field 0) are in the
  // requested order, forwards or `reversed`, including ties by id.
  bool follow(size_t from) {
    keyOrder.fromStart = from == 0;
    size_t field = from;
    for (const SortKey& key : order_.keys) {
      if (const auto fixed = fixedField(key.path)) {
        keyOrder.fixed.emplace_back(matched, bounds_.fixedValue(*fixed));
        if ((key.direction < 0) != index_.descending(*fixed)) invert(keyOrder.fixed.back().second);
      } else {
        passFixed(field);
        if (!takes(key, field)) return false;
        keyOrder.fields.push_back({matched, {}});
        ++field;
      }
      ++matched;
    }
    passFixed(field);
    if (field < index_.paths.size()) return false;
    if (fieldsTaken == 0) reversed = order_.idDescending;
    // Entries with equal fields ascend by id; a unique index has one of each.
    return index_.spec.unique || reversed || !order_.idDescending;
  }

  size_t matched = 0;  // number of sort keys
  size_t fieldsTaken = 0;
  bool reversed = false;
  KeyOrder keyOrder;

 private:
  std::optional<size_t> fixedField(const std::string& path) const {
    for (size_t i = 0; i < bounds_.pointFields(); ++i) {
      if (bounds_.isFixed(i) && index_.paths[i].dotted() == path) return i;
    }
    return std::nullopt;
  }
  void passFixed(size_t& field) {
    for (; field < index_.paths.size() && bounds_.isFixed(field); ++field) {
      keyOrder.fields.push_back({std::nullopt, bounds_.fixedValue(field)});
    }
  }
  bool takes(const SortKey& key, size_t field) {
    if (field >= index_.paths.size() || (inexact_ >> field & 1) != 0) return false;
    if (index_.paths[field].dotted() != key.path) return false;
    const bool against = (key.direction < 0) != index_.descending(field);
    if (fieldsTaken > 0 && against != reversed) return false;
    reversed = against;
    ++fieldsTaken;
    return true;
  }

  const Index& index_;
  const IndexBounds& bounds_;
  const SortOrder& order_;
  const uint32_t inexact_;
};

void setReading(Plan& plan, OrderMatch& match, const SortOrder& order) {
  plan.inOrder = true;
  plan.keyOrder = std::move(match.keyOrder);
  if (match.reversed) plan.reading = order.idDescending ? Reading::backward : Reading::backwardGroups;
}

void setOrder(Plan& plan, const Index& index, const IndexBounds& bounds, const SortOrder& order) {
  const size_t ranges = plan.rangeCount();
  OrderMatch each(index, bounds, order);
  const bool eachRange = each.follow(bounds.pointFields());
  // Keys of a unique index end before the id: keys of several ranges are comparable only if they are whole ids.
  const bool comparable = order.keys.empty() || !index.spec.unique;
  plan.mergeable = eachRange && !each.reversed && comparable && each.fieldsTaken == order.keys.size();
  if (eachRange && ranges == 1) return setReading(plan, each, order);
  OrderMatch whole(index, bounds, order);
  if (whole.follow(0) && !plan.mayRepeat) return setReading(plan, whole, order);
  if (eachRange && !each.reversed && comparable && ranges <= kMaxMerged) {
    plan.inOrder = true;
    plan.keyOrder = std::move(each.keyOrder);
    plan.reading = Reading::merged;
    return;
  }
  if (whole.fieldsTaken == 0 || plan.mayRepeat) return;
  plan.orderedKeys = whole.matched;
  plan.keyOrder = std::move(whole.keyOrder);
  if (whole.reversed) plan.reading = Reading::backward;
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

// Adds the filter parts that the held fields of the index decide beyond its bounds (`met`).
void addParts(AccessPath& path, const PlanInput& input, const std::vector<bool>& met) {
  path.decides = allTrue(met);
  if (path.decides || path.index->held.empty()) return;
  const auto isPart = [&](const doc::FilterNode* part) {
    return std::find(path.parts.begin(), path.parts.end(), part) != path.parts.end();
  };
  const auto isMet = [&](const Condition& condition) {
    for (size_t i = 0; i < met.size(); ++i) {
      if (input.conditions[i].part == condition.part && !met[i]) return false;
    }
    return true;
  };
  for (const Condition& condition : input.ofAll) {
    if (isPart(condition.part)) continue;
    if (isDecidedBy(path.index->held, *condition.part) && !isMet(condition)) path.parts.push_back(condition.part);
  }
  path.decides = true;
  for (size_t i = 0; i < met.size(); ++i) {
    path.decides = path.decides && (met[i] || isPart(input.conditions[i].part));
  }
}

std::optional<Plan> through(const std::shared_ptr<const Index>& index, const PlanInput& input) {
  std::vector<bool> met(input.conditions.size(), false);
  if (!index->ready || !holdsAllMatches(*index, input.conditions, met)) return std::nullopt;
  IndexBounds bounds(input.collection.project, *index, input.conditions, std::move(met));
  Plan plan;
  plan.kind = Plan::Kind::index;
  plan.accessPaths.push_back({index, bounds.ranges(), {}});
  plan.mayRepeat = bounds.mayRepeat();
  setOrder(plan, *index, bounds, input.order);
  met = bounds.takeMet();
  plan.exact = allTrue(met);
  addParts(plan.accessPaths.front(), input, met);
  plan.decides = plan.accessPaths.front().decides;
  const bool helpsSorting = !input.order.isIdAscending() && (plan.inOrder || plan.orderedKeys > 0);
  if (!bounds.bounded() && (input.ofBranch || !helpsSorting)) return std::nullopt;
  return plan;
}

// The conditions of a branch, and all others that hold together with it.
std::vector<Condition> conditionsOfBranch(const doc::FilterNode& branch, const std::vector<Condition>& conditions,
                                          size_t either) {
  std::vector<Condition> own = conditionsOf(branch);
  for (size_t i = 0; i < conditions.size(); ++i) {
    if (i != either) own.push_back(conditions[i]);
  }
  return own;
}

std::vector<Plan> boundedPlans(const PlanInput& input) {
  std::vector<Plan> plans;
  if (auto plan = byIds(input.conditions, input.order)) {
    plans.push_back(*std::move(plan));
    return plans;
  }
  for (const auto& index : input.schema.indexes) {
    if (auto plan = through(index, input)) plans.push_back(*std::move(plan));
  }
  return plans;
}

std::vector<Union> unionsOf(const PlanInput& input, int nesting);

// All plans that bound the branch.
std::vector<Plan> plansOfBranch(const PlanInput& input, int nesting) {
  std::vector<Plan> plans = boundedPlans(input);
  if (!plans.empty()) return plans;
  for (Union& nested : unionsOf(input, nesting - 1)) {
    std::vector<Plan> firsts;
    for (std::vector<Plan>& branch : nested) firsts.push_back(std::move(branch.front()));
    plans.push_back(unite(std::move(firsts)));
  }
  return plans;
}

std::vector<Union> unionsOf(const PlanInput& input, int nesting) {
  std::vector<Union> unions;
  for (size_t i = 0; i < input.conditions.size() && nesting > 0; ++i) {
    if (input.conditions[i].kind != Kind::either) continue;
    Union all;
    for (const auto& branch : input.conditions[i].node->children) {
      const std::vector<Condition> conditions = conditionsOfBranch(*branch, input.conditions, i);
      all.push_back(
          plansOfBranch({input.collection, input.schema, conditions, input.order, input.ofAll, true}, nesting));
      if (all.back().empty()) break;
    }
    if (!all.back().empty()) unions.push_back(std::move(all));
  }
  return unions;
}

}  // namespace

SortOrder::SortOrder(const std::vector<SortKey>& sort) {
  for (const SortKey& key : sort) {
    if (key.path == "id") {
      idDescending = key.direction < 0;
      return;
    }
    keys.push_back(key);
  }
}

size_t Plan::rangeCount() const {
  size_t count = 0;
  for (const AccessPath& path : accessPaths) count += path.index || path.ids.empty() ? path.ranges.size() : 1;
  return count;
}

bool Plan::entriesOnly() const {
  return std::ranges::all_of(accessPaths, [](const AccessPath& path) { return path.index != nullptr; });
}

std::string Plan::name() const {
  if (kind == Kind::documents) return boundsIds ? "id" : "";
  if (accessPaths.size() == 1) return accessPaths.front().index ? accessPaths.front().index->spec.name : "id";
  std::vector<std::string_view> names;
  for (const AccessPath& path : accessPaths) {
    const std::string_view name = path.index ? std::string_view(path.index->spec.name) : "id";
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

Plan documentsPlan(const CollectionRef& collection, const doc::Filter& filter, const SortOrder& order) {
  const std::vector<Condition> conditions = conditionsOf(filter.root());
  const std::string prefix = rangePrefix(collection.project, collection.number);
  KeyRange range{prefix, successor(prefix), kPrefixBytes};
  std::vector<bool> met(conditions.size(), false);
  for (size_t i = 0; i < conditions.size(); ++i) {
    const Condition& condition = conditions[i];
    if (condition.path != "id" || condition.element) continue;
    if (condition.kind == Kind::prefix) {
      range.from = std::max(range.from, prefix + condition.prefix);
      range.to = std::min(range.to, successor(prefix + condition.prefix));
      met[i] = condition.whole;
    }
    if (condition.kind != Kind::lower && condition.kind != Kind::upper) continue;
    if (condition.values.front().type() != doc::BsonType::string) continue;
    std::string key = prefix + std::string(condition.values.front().asString());
    if (condition.inclusive == (condition.kind == Kind::upper)) key += '\0';
    if (condition.kind == Kind::lower) range.from = std::max(range.from, key);
    if (condition.kind == Kind::upper) range.to = std::min(range.to, key);
    met[i] = true;
  }
  Plan plan;
  plan.exact = allTrue(met);
  plan.inOrder = order.keys.empty();
  if (plan.inOrder && order.idDescending) plan.reading = Reading::backward;
  plan.boundsIds = range.from != prefix || range.to != successor(prefix);
  plan.accessPaths.emplace_back();
  if (range.from < range.to) plan.accessPaths.front().ranges.push_back(std::move(range));
  return plan;
}

Plan unite(std::vector<Plan> branches) {
  Plan plan;
  plan.kind = Plan::Kind::index;
  plan.exact = plan.decides = plan.mergeable = plan.mayRepeat = true;
  for (Plan& branch : branches) {
    plan.exact = plan.exact && branch.exact;
    plan.decides = plan.decides && (branch.exact || branch.decides);
    plan.mergeable = plan.mergeable && branch.mergeable;
    for (AccessPath& path : branch.accessPaths) plan.accessPaths.push_back(std::move(path));
  }
  plan.inOrder = plan.mergeable && plan.rangeCount() <= kMaxMerged;
  if (plan.inOrder) plan.reading = Reading::merged;
  return plan;
}

Candidates usablePlans(const CollectionRef& collection, const Schema& schema, const doc::Filter& filter,
                       const SortOrder& order) {
  const std::vector<Condition> conditions = conditionsOf(filter.root());
  const PlanInput input{collection, schema, conditions, order, conditions};
  Candidates usable;
  usable.plans = boundedPlans(input);
  if (usable.plans.size() == 1 && usable.plans.front().kind == Plan::Kind::ids) return usable;
  usable.unions = unionsOf(input, kMaxNesting);
  const bool none = usable.plans.empty() && usable.unions.empty();
  const bool mayBoundIds = std::any_of(conditions.begin(), conditions.end(),
                                       [](const Condition& condition) { return condition.path == "id"; });
  if (none || mayBoundIds || (order.keys.empty() && order.idDescending)) {
    Plan documents = documentsPlan(collection, filter, order);
    if (none || documents.boundsIds || documents.reading == Reading::backward)
      usable.plans.push_back(std::move(documents));
  }
  return usable;
}

}  // namespace mb::store::embedded
