#include "document/filter_write.h"

#include <algorithm>
#include <set>

namespace mb::doc {

std::string_view operatorName(FilterOp op) {
  switch (op) {
    case FilterOp::all:
      return "$and";
    case FilterOp::any:
      return "$or";
    case FilterOp::none:
      return "$nor";
    case FilterOp::negate:
      return "$not";
    case FilterOp::eq:
      return "$eq";
    case FilterOp::gt:
      return "$gt";
    case FilterOp::gte:
      return "$gte";
    case FilterOp::lt:
      return "$lt";
    case FilterOp::lte:
      return "$lte";
    case FilterOp::in:
      return "$in";
    case FilterOp::exists:
      return "$exists";
    case FilterOp::type:
      return "$type";
    case FilterOp::contains:
      return "$all";
    case FilterOp::elemMatch:
      return "$elemMatch";
    case FilterOp::size:
      return "$size";
    case FilterOp::mod:
      return "$mod";
    case FilterOp::regex:
      return "$regex";
  }
  return "";
}

namespace {

using Nodes = std::vector<const FilterNode*>;

// `node`, or where it is an $and those that it joins.
void flatten(const FilterNode& node, Nodes& out) {
  if (node.op != FilterOp::all) {
    out.push_back(&node);
    return;
  }
  for (const auto& child : node.children) flatten(*child, out);
}

Nodes flat(const FilterNode& node) {
  Nodes nodes;
  flatten(node, nodes);
  return nodes;
}

std::string_view operatorOf(const FilterNode& node) {
  if (node.op != FilterOp::negate) return operatorName(node.op);
  const FilterOp negated = node.children.front()->op;
  return negated == FilterOp::eq ? "$ne" : negated == FilterOp::in ? "$nin" : "$not";
}

void writeConditions(BsonWriter& out, const Nodes& nodes);
void writeOperators(BsonWriter& out, const Nodes& nodes);

void writePattern(BsonWriter& out, const Pattern& pattern) {
  out.appendString("$regex", pattern.source);
  if (!pattern.options.empty()) out.appendString("$options", pattern.options);
}

void writeListed(BsonWriter& out, std::string_view key, const FilterNode& node) {
  out.beginArray(key);
  size_t at = 0;
  for (const Value& operand : node.operands) out.append(arrayKey(at++), operand);
  for (const Pattern& pattern : node.patterns) {
    out.beginDocument(arrayKey(at++));
    writePattern(out, pattern);
    out.end();
  }
  for (const auto& child : node.children) {  // of $all
    out.beginDocument(arrayKey(at++));
    writeOperators(out, {child.get()});
    out.end();
  }
  out.end();
}

void writeType(BsonWriter& out, std::string_view key, BsonType type) {
  const std::string_view name = typeName(type);
  // Types that no document has go by their numbers.
  name == "unknown" ? out.appendInteger(key, static_cast<uint8_t>(type)) : out.appendString(key, name);
}

void writeTypes(BsonWriter& out, const FilterNode& node) {
  if (node.types.empty()) return out.appendString("$type", "number");
  if (node.types.size() == 1 && !node.anyNumber) return writeType(out, "$type", node.types.front());
  out.beginArray("$type");
  size_t at = 0;
  if (node.anyNumber) out.appendString(arrayKey(at++), "number");
  for (const BsonType type : node.types) writeType(out, arrayKey(at++), type);
  out.end();
}

void writeElementMatch(BsonWriter& out, const FilterNode& node) {
  out.beginDocument("$elemMatch");
  const Nodes conditions = flat(*node.children.front());
  node.elementIsValue ? writeOperators(out, conditions) : writeConditions(out, conditions);
  out.end();
}

void writeNot(BsonWriter& out, const FilterNode& node) {
  out.beginDocument("$not");
  writeOperators(out, flat(*node.children.front()));
  out.end();
}

void writeOperator(BsonWriter& out, const FilterNode& node) {
  const std::string_view key = operatorOf(node);
  switch (node.op) {
    case FilterOp::negate:
      if (key == "$ne") return out.append(key, node.children.front()->operand);
      if (key == "$nin") return writeListed(out, key, *node.children.front());
      return writeNot(out, node);
    case FilterOp::in:
    case FilterOp::contains:
      return writeListed(out, key, node);
    case FilterOp::exists:
      return out.appendBool(key, node.flag);
    case FilterOp::type:
      return writeTypes(out, node);
    case FilterOp::elemMatch:
      return writeElementMatch(out, node);
    case FilterOp::size:
      return out.appendInteger(key, node.number);
    case FilterOp::mod:
      out.beginArray(key);
      out.appendInteger("0", node.divisor);
      out.appendInteger("1", node.remainder);
      return out.end();
    case FilterOp::regex:
      return writePattern(out, node.patterns.front());
    default:
      return out.append(key, node.operand);
  }
}

// {"$ne": 1, "$not": {"$eq": 2}} has two nodes of one kind; there is at most one $not.
void writeOperators(BsonWriter& out, const Nodes& nodes) {
  std::set<std::string_view> used;
  for (const FilterNode* node : nodes) {
    const bool first = used.insert(operatorOf(*node)).second;
    first ? writeOperator(out, *node) : writeNot(out, *node);
  }
}

void writeLogical(BsonWriter& out, const FilterNode& node) {
  out.beginArray(operatorOf(node));
  for (size_t i = 0; i < node.children.size(); ++i) {
    out.beginDocument(arrayKey(i));
    writeConditions(out, flat(*node.children[i]));
    out.end();
  }
  out.end();
}

// The conditions that share a key of the document.
struct Group {
  std::string_view path;  // "" for $or and $nor
  Nodes nodes;
};

// Whether the group has a condition with the operator of `node`.
bool isTaken(const Group& group, const FilterNode& node) {
  return std::ranges::any_of(group.nodes,
                             [&](const FilterNode* each) { return operatorOf(*each) == operatorOf(node); });
}

void writeConditions(BsonWriter& out, const Nodes& nodes) {
  std::vector<Group> groups;
  Nodes repeated;
  for (const FilterNode* node : nodes) {
    const std::string_view path = node->path.dotted();
    const auto found = std::ranges::find_if(
        groups, [&](const Group& group) { return group.path == path && (!path.empty() || isTaken(group, *node)); });
    if (found == groups.end()) {
      groups.push_back({path, {node}});
    } else if (isTaken(*found, *node)) {
      repeated.push_back(node);
    } else {
      found->nodes.push_back(node);
    }
  }
  for (const Group& group : groups) {
    const FilterNode& first = *group.nodes.front();
    if (group.path.empty()) {
      writeLogical(out, first);
    } else if (group.nodes.size() == 1 && first.op == FilterOp::eq) {
      out.append(group.path, first.operand);
    } else {
      out.beginDocument(group.path);
      writeOperators(out, group.nodes);
      out.end();
    }
  }
  if (repeated.empty()) return;
  out.beginArray("$and");
  for (size_t i = 0; i < repeated.size(); ++i) {
    out.beginDocument(arrayKey(i));
    writeConditions(out, {repeated[i]});
    out.end();
  }
  out.end();
}

}  // namespace

Document filterDocument(const Filter& filter) {
  BsonWriter out;
  writeConditions(out, flat(filter.root()));
  return out.finish();
}

std::vector<Filter> conditionsOf(const Filter& filter) {
  std::vector<Filter> conditions;
  for (const FilterNode* node : flat(filter.root())) {
    conditions.push_back(Filter::fromTree(std::shared_ptr<const FilterNode>(std::shared_ptr<void>(), node)));
  }
  return conditions;
}

}  // namespace mb::doc
