#include <algorithm>
#include <boost/container/small_vector.hpp>
#include <charconv>

#include "document/filter_match.h"
#include "document/traverse.h"
#include "document/update_tree.h"

namespace mb::doc {

namespace {

// How far past its end an array may be written; the gap is filled with null.
constexpr size_t kMaxArrayGap = 1500;
// Bounds the memory of one update. The writer enforces the limit of stored documents.
constexpr size_t kMaxBytes = 16 * 1024 * 1024;

std::optional<size_t> arrayPosition(std::string_view step) {
  if (!isAllDigits(step) || step.size() > 9 || (step.size() > 1 && step.front() == '0')) return std::nullopt;
  size_t position = 0;
  std::from_chars(step.data(), step.data() + step.size(), position);
  return position;
}

const char* startOf(const Element& element) {
  return element.key.data() - 1;
}

class TreeApplier {
 public:
  explicit TreeApplier(const ApplyContext& context) : context_(context) {}

  // The position of the pass.
  struct Position {
    int depth = 0;
    bool throughArray = false;
  };

  Result<> fields(const UpdateNode& node, DocumentView before, Position at, BsonWriter& out) const {
    if (!node.arraySteps.empty()) return notAnArray(node);
    boost::container::small_vector<bool, 16> seen(node.children.size(), false);
    const char* copied = before.bytes().data() + 4;
    for (const Element& element : before) {
      const auto child = node.byName.find(node.children, element.key);
      if (child == node.children.end()) continue;
      seen[child->second->position] = true;
      out.appendElements({copied, static_cast<size_t>(startOf(element) - copied)});
      copied = element.value.raw().data() + element.value.raw().size();
      RETURN_IF_ERROR(field(*child->second, element.key, element.value, below(at), out));
    }
    const char* end = before.bytes().data() + before.bytes().size() - 1;
    out.appendElements({copied, static_cast<size_t>(end - copied)});
    for (const auto& [key, child] : node.children) {
      if (!seen[child->position]) RETURN_IF_ERROR(create(*child, key, below(at), out));
    }
    return {};
  }

 private:
  static Position below(Position at) { return {at.depth + 1, at.throughArray}; }

  static std::unexpected<Error> notAnArray(const UpdateNode& node) {
    return refuseUpdate(
        fmt::format("\"{}\" must be an array for the path \"{}\"", node.path, node.arraySteps.front().node->path));
  }

  bool any(const UpdateNode& node, const auto& predicate) const {
    if (node.action) return node.action->isActive(context_) && predicate(node);
    return std::ranges::any_of(node.children, [&](const auto& child) { return any(*child.second, predicate); }) ||
           std::ranges::any_of(node.arraySteps, [&](const ArrayStep& step) { return any(*step.node, predicate); });
  }
  // Whether the node changes or requires anything: the array of a positional step must exist, whatever the operator
  // does.
  bool isActive(const UpdateNode& node) const {
    if (node.action) return node.action->isActive(context_);
    return !node.arraySteps.empty() ||
           std::ranges::any_of(node.children, [&](const auto& c) { return isActive(*c.second); });
  }
  // The first path below that must not be skipped if the value is not a document; null without such a path.
  const UpdateNode* blockedBy(const UpdateNode& node) const {
    if (node.action) return node.action->isActive(context_) && !node.action->skipsBlockedPath() ? &node : nullptr;
    for (const auto& [key, child] : node.children) {
      if (const UpdateNode* blocked = blockedBy(*child)) return blocked;
    }
    return node.arraySteps.empty() ? nullptr : node.arraySteps.front().node.get();
  }
  static const UpdateNode* arrayNeededBelow(const UpdateNode& node) {
    if (!node.arraySteps.empty()) return &node;
    for (const auto& [key, child] : node.children) {
      if (const UpdateNode* below = arrayNeededBelow(*child)) return below;
    }
    return nullptr;
  }
  bool creates(const UpdateNode& node) const {
    return any(node, [](const UpdateNode& leaf) { return leaf.action->createsField(); });
  }

  // Writes the existing field `key`.
  Result<> field(const UpdateNode& node, std::string_view key, ValueView current, Position at, BsonWriter& out) const {
    if (out.size() > kMaxBytes) return fail(ErrorCode::payloadTooLarge, "the updated document would be too large");
    if (!isActive(node)) {
      out.append(key, current);
      return {};
    }
    if (node.action) return node.action->apply(context_, target(node, key, at), current, out);
    if (current.type() == BsonType::document) {
      out.beginDocument(key);
      RETURN_IF_ERROR(fields(node, current.asDocument(), at, out));
      out.end();
      return {};
    }
    if (current.type() == BsonType::array) {
      out.beginArray(key);
      RETURN_IF_ERROR(elements(node, current.asDocument(), {at.depth, true}, out));
      out.end();
      return {};
    }
    if (const UpdateNode* blocked = blockedBy(node)) {
      return refuseUpdate(fmt::format("the path \"{}\" leads through \"{}\", which is of type {}", blocked->path,
                                      node.path, typeName(current.type())));
    }
    out.append(key, current);
    return {};
  }

  // Writes the absent field `key`.
  Result<> create(const UpdateNode& node, std::string_view key, Position at, BsonWriter& out) const {
    if (!creates(node)) {
      const UpdateNode* array = arrayNeededBelow(node);
      return array ? Result<>(notAnArray(*array)) : Result<>();
    }
    if (node.action) return node.action->apply(context_, target(node, key, at), std::nullopt, out);
    if (!node.arraySteps.empty()) return notAnArray(node);
    out.beginDocument(key);
    for (const auto& [name, child] : node.children) RETURN_IF_ERROR(create(*child, name, below(at), out));
    out.end();
    return {};
  }

  Result<> elements(const UpdateNode& node, DocumentView before, Position at, BsonWriter& out) const {
    const bool isMatched = !node.arraySteps.empty() && node.arraySteps.front().kind == ArrayStep::Kind::matched;
    if (!node.arraySteps.empty() && !isMatched) return everyElement(node, before, at, out);
    TRY(Positions positions, positionsOf(node));
    if (isMatched) RETURN_IF_ERROR(addMatched(node, before, positions));
    auto next = positions.begin();
    size_t count = 0;
    for (const Element& element : before) {
      Taken taken;
      for (; next != positions.end() && next->first == count; ++next) taken.push_back(next->second);
      RETURN_IF_ERROR(oneElement(taken, element, below(at), out));
      ++count;
    }
    for (; next != positions.end(); ++next) {
      const auto& [position, child] = *next;
      if (!creates(*child)) {
        if (const UpdateNode* array = arrayNeededBelow(*child)) return notAnArray(*array);
        continue;
      }
      if (position - count > kMaxArrayGap) {
        return refuseUpdate(fmt::format("the path \"{}\" must not be more than {} elements past the end of its array",
                                        child->path, kMaxArrayGap));
      }
      while (count < position) out.appendNull(arrayKey(count++));
      const std::string key(arrayKey(count++));
      RETURN_IF_ERROR(create(*child, key, below(at), out));
    }
    return {};
  }

  using Positions = boost::container::small_vector<std::pair<size_t, const UpdateNode*>, 4>;
  using Taken = boost::container::small_vector<const UpdateNode*, 2>;

  // The children by position, ascending. Refuses a name unless its update can be skipped.
  Result<Positions> positionsOf(const UpdateNode& node) const {
    Positions positions;
    for (const auto& [step, child] : node.children) {
      if (const auto position = arrayPosition(step)) {
        positions.emplace_back(*position, child.get());
      } else if (const UpdateNode* blocked = blockedBy(*child)) {
        return refuseUpdate(
            fmt::format("the path \"{}\" leads through \"{}\", which is an array: \"{}\" is not a position",
                        blocked->path, node.path, step));
      }
    }
    return positions;
  }

  // A removed element becomes null, so that the others keep their positions.
  Result<> keepingPosition(const UpdateNode& node, std::string_view key, ValueView current, Position at,
                           BsonWriter& out) const {
    const size_t start = out.size();
    RETURN_IF_ERROR(field(node, key, current, at, out));
    if (out.size() == start) out.appendNull(key);
    return {};
  }

  // Adds the element of "$" to the positions.
  Result<> addMatched(const UpdateNode& node, DocumentView before, Positions& positions) const {
    const UpdateNode* step = node.arraySteps.front().node.get();
    const auto position = matchedPosition(*context_.query, node.path, before);
    if (!position) return refuseUpdate(fmt::format("the query names no element for \"{}\"", step->path));
    const auto isReached = [&](const auto& named) { return named.first >= *position; };
    positions.insert(std::ranges::find_if(positions, isReached), {*position, step});
    return {};
  }

  Result<> everyElement(const UpdateNode& node, DocumentView before, Position at, BsonWriter& out) const {
    for (const Element& element : before) {
      Taken taken;
      for (const ArrayStep& step : node.arraySteps) {
        const bool takes = step.kind == ArrayStep::Kind::all || passesFilter(step.name, element.value);
        if (takes) taken.push_back(step.node.get());
      }
      RETURN_IF_ERROR(oneElement(taken, element, below(at), out));
    }
    return {};
  }

  bool passesFilter(const std::string& name, ValueView element) const {
    const auto& filters = *context_.arrayFilters;
    const auto found = std::ranges::find(filters, name, [](const auto& filter) { return filter.first; });
    return takesElement(found->second, name, element);
  }

  Result<> oneElement(std::span<const UpdateNode* const> taken, const Element& element, Position at,
                      BsonWriter& out) const {
    if (taken.empty()) {
      out.append(element.key, element.value);
      return {};
    }
    if (taken.size() == 1) return keepingPosition(*taken.front(), element.key, element.value, at, out);
    Document changed;
    ValueView current = element.value;
    for (size_t i = 0; i < taken.size(); ++i) {
      for (const UpdateNode* other : taken.first(i)) {
        if (!overlap(*other, *taken[i])) continue;
        return refuseUpdate(
            fmt::format("the paths \"{}\" and \"{}\" change the same element", other->path, taken[i]->path));
      }
      BsonWriter one;
      RETURN_IF_ERROR(keepingPosition(*taken[i], element.key, current, at, one));
      changed = one.finish();
      current = changed.view().begin()->value;
    }
    out.append(element.key, current);
    return {};
  }

  static Target target(const UpdateNode& node, std::string_view key, Position at) {
    return {node.path, key, at.depth, at.throughArray};
  }

  const ApplyContext& context_;
};

}  // namespace

Result<Document> applyTree(const UpdateNode& root, const ApplyContext& context) {
  constexpr size_t kUsualGrowth = 128;
  BsonWriter out(context.before.bytes().size() + kUsualGrowth);
  RETURN_IF_ERROR(TreeApplier(context).fields(root, context.before, {}, out));
  if (out.size() > kMaxBytes) return fail(ErrorCode::payloadTooLarge, "the updated document would be too large");
  return out.finish();
}

std::optional<size_t> matchedPosition(const Filter& query, const std::string& path, DocumentView array) {
  std::vector<const FilterNode*> conditions;
  for (const auto& condition : query.root().children) {
    const std::string& named = condition->path.dotted();
    if (named == path || named.starts_with(path + ".")) conditions.push_back(condition.get());
  }
  if (conditions.empty()) return std::nullopt;
  const auto steps = FieldPath::parse(path);
  if (!steps) return std::nullopt;
  size_t index = 0;
  for (const Element& element : array) {
    // A document with the same path and only this element.
    BsonWriter alone;
    for (size_t i = 0; i + 1 < steps->steps().size(); ++i) alone.beginDocument(steps->steps()[i]);
    alone.beginArray(steps->steps().back());
    alone.append("0", element.value);
    for (size_t i = 0; i < steps->steps().size(); ++i) alone.end();
    const Document document = alone.finish();
    const auto matches = [&](const FilterNode* condition) { return matchesDocument(*condition, document); };
    if (std::ranges::all_of(conditions, matches)) return index;
    ++index;
  }
  return std::nullopt;
}

}  // namespace mb::doc
