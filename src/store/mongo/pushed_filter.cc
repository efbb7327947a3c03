#include "store/mongo/pushed_filter.h"

#include <set>

#include "document/filter_write.h"
#include "store/mongo/names.h"

namespace mb::store::mongo {

namespace {

using doc::FilterNode;
using doc::FilterOp;
using NodePtr = std::shared_ptr<const FilterNode>;

bool isId(const FilterNode& node) {
  return node.path.dotted() == "id";
}

// Whether the server matches the pattern as we do: letters, digits and a few signs, at the beginning or anywhere.
bool isSimplePattern(const doc::Pattern& pattern) {
  if (!pattern.options.empty()) return false;
  std::string_view source = pattern.source;
  if (source.starts_with('^')) source.remove_prefix(1);
  return std::ranges::all_of(source, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == ' ' || c == '_' ||
           c == '-' || c == '@' || c == '/' || c == ':';
  });
}

NodePtr moved(FilterNode node, const std::string& path) {
  auto parsed = doc::FieldPath::parse(path);
  if (!parsed) return nullptr;
  node.path = *std::move(parsed);
  return std::make_shared<const FilterNode>(std::move(node));
}

// Rewrites the tree of a filter on documents as one on stored documents. A node that is left out is null, and so is
// what would match too little without it.
class Pushing {
 public:
  explicit Pushing(const StoredForm& form) : form_(form) {}

  NodePtr push(const FilterNode& node, bool inElement) {
    switch (node.op) {
      case FilterOp::all:
        return pushAll(node, inElement);
      case FilterOp::any:
        return pushAny(node, inElement);
      case FilterOp::none:
      case FilterOp::negate:
        return pushWhole(node, inElement);
      case FilterOp::elemMatch:
      case FilterOp::contains:
        return pushContained(node, inElement);
      default:
        return pushLeaf(node, inElement);
    }
  }
  bool exact() const { return exact_; }

 private:
  NodePtr leaveOut() {
    exact_ = false;
    return nullptr;
  }

  // What is left out of an $and leaves it wider.
  NodePtr pushAll(const FilterNode& node, bool inElement) {
    FilterNode out = node;
    out.children.clear();
    for (const NodePtr& child : node.children) {
      if (NodePtr pushed = push(*child, inElement)) out.children.push_back(std::move(pushed));
    }
    return std::make_shared<const FilterNode>(std::move(out));
  }

  // Wider alternatives leave an $or wider.
  NodePtr pushAny(const FilterNode& node, bool inElement) {
    FilterNode out = node;
    if (!widenChildren(out, inElement)) return leaveOut();
    return std::make_shared<const FilterNode>(std::move(out));
  }

  static bool matchesAll(const FilterNode& node) {
    return node.op == FilterOp::all &&
           std::ranges::all_of(node.children, [](const NodePtr& child) { return matchesAll(*child); });
  }

  // Of what is negated nothing may be left out.
  NodePtr pushWhole(const FilterNode& node, bool inElement) {
    FilterNode out = node;
    if (!pushChildren(out, inElement)) return leaveOut();
    return rooted(std::move(out), inElement);
  }

  NodePtr pushContained(const FilterNode& node, bool inElement) {
    FilterNode out = node;
    if (isId(node) && !inElement) return leaveOut();
    const auto isPattern = [](const NodePtr& child) { return child->op == FilterOp::regex; };
    // In $all the server takes no $regex.
    if (node.op == FilterOp::contains && std::ranges::any_of(node.children, isPattern)) return leaveOut();
    if (hasPosition(node.path) && equalsNull(node)) return leaveOut();
    if (!(node.op == FilterOp::elemMatch ? widenChildren(out, true) : pushChildren(out, true))) return leaveOut();
    exact_ = exact_ && !nullDependsOnVersion(node);
    return rooted(std::move(out), inElement);
  }

  // Replaces the children by what is pushed of them, which may be wider; false if one of them is left out.
  bool widenChildren(FilterNode& node, bool inElement) {
    for (NodePtr& child : node.children) {
      child = push(*child, inElement);
      if (!child || matchesAll(*child)) return false;
    }
    return true;
  }

  // Replaces the children by what is pushed of them; false if something of them is left out.
  bool pushChildren(FilterNode& node, bool inElement) {
    const bool before = std::exchange(exact_, true);
    for (NodePtr& child : node.children) {
      child = push(*child, inElement);
      if (!child || !exact_) return false;
    }
    exact_ = before;
    return true;
  }

  NodePtr pushLeaf(const FilterNode& node, bool inElement) {
    if (!simple(node.patterns)) return leaveOut();
    // In $in the server takes no $regex.
    if (node.op == FilterOp::in && !node.patterns.empty()) return leaveOut();
    // Whether a position that an array does not have counts as null differs.
    if (hasPosition(node.path) && comparesNull(node)) return leaveOut();
    // How fractions and numbers beyond 64 bits are truncated depends on the server's version.
    if (node.op == FilterOp::mod) return leaveOut();
    exact_ = exact_ && !nullDependsOnVersion(node);
    if (!isId(node) || inElement) return rooted(node, inElement);
    bool exact = true;
    NodePtr condition = form_.ofId(node, exact);
    if (!condition) return leaveOut();
    exact_ = exact_ && exact;
    return condition;
  }

  static bool hasPosition(const doc::FieldPath& path) {
    return std::ranges::any_of(path.steps(), [](const std::string& step) {
      return std::ranges::all_of(step, [](char c) { return c >= '0' && c <= '9'; });
    });
  }

  static bool comparesNull(const FilterNode& node) {
    return node.op == FilterOp::exists || node.op == FilterOp::type || equalsNull(node);
  }

  static bool equalsNull(const FilterNode& node) {
    const auto isNull = [](const doc::Value& value) { return value.type() == doc::BsonType::null; };
    if (doc::isComparison(node.op)) return isNull(node.operand);
    const bool ofSeveral = node.op == FilterOp::in || node.op == FilterOp::contains;
    return ofSeveral && std::ranges::any_of(node.operands, isNull);
  }

  // Whether "a.b" equals null where `a` is an array without documents: not with us. On servers with SERVER-36681 it
  // does, on older ones and with internalQueryLegacyDottedPathNullSemantics it does not: both find all that matches.
  static bool nullDependsOnVersion(const FilterNode& node) { return node.path.steps().size() > 1 && equalsNull(node); }

  static bool simple(const std::vector<doc::Pattern>& patterns) {
    return std::ranges::all_of(patterns, isSimplePattern);
  }

  NodePtr rooted(FilterNode node, bool inElement) const {
    if (!inElement && !node.path.dotted().empty()) {
      const std::string path = form_.path(node.path.dotted());
      if (path != node.path.dotted()) return moved(std::move(node), path);
    }
    return std::make_shared<const FilterNode>(std::move(node));
  }

  const StoredForm& form_;
  bool exact_ = true;
};

// The form that names.h describes.
class EngineForm final : public StoredForm {
 public:
  explicit EngineForm(const CollectionRef& collection) : collection_(collection) {}

  std::string path(std::string_view path) const override { return storedPath(path); }

  // Ids of a system collection are stored with the project's number before them.
  Node ofId(const FilterNode& condition, bool& /*exact*/) const override {
    FilterNode node = condition;
    if (isSystem(collection_.number) && !translated(node)) return nullptr;
    return moved(std::move(node), storedPath("id"));
  }

 private:
  bool translated(FilterNode& node) const {
    const auto translate = [&](doc::Value& value) {
      if (value.type() != doc::BsonType::string) return false;
      value = text(storedId(collection_.project, collection_.number, value.view().asString()));
      return true;
    };
    if (doc::isComparison(node.op)) return translate(node.operand);
    return node.op == FilterOp::in && node.patterns.empty() && std::ranges::all_of(node.operands, translate);
  }

  static doc::Value text(const std::string& value) {
    doc::BsonWriter out;
    out.appendString("", value);
    const doc::Document document = out.finish();
    return doc::Value(document.view().begin()->value);
  }

  const CollectionRef& collection_;
};

bool isEquality(doc::ValueView value) {
  return !value.isContainer() && value.type() != doc::BsonType::null;
}

// The filter that matches what all of them match: one object where all conditions are equalities on different paths.
// The server of the tests finds no index through an $and, and too little by ranges and by null through an index of
// arrays.
doc::Document conjunction(const std::vector<doc::Document>& filters) {
  std::set<std::string_view> keys;
  bool joins = true;
  for (const doc::Document& filter : filters) {
    for (const doc::Element& element : filter.view()) {
      joins = joins && isEquality(element.value) && keys.insert(element.key).second;
    }
  }
  doc::BsonWriter out;
  if (!joins) out.beginArray("$and");
  for (size_t i = 0; i < filters.size(); ++i) {
    if (!joins) {
      out.appendDocument(doc::arrayKey(i), filters[i]);
      continue;
    }
    for (const doc::Element& element : filters[i].view()) out.append(element.key, element.value);
  }
  if (!joins) out.end();
  return out.finish();
}

}  // namespace

PushedFilter pushFilter(const CollectionRef& collection, const doc::Filter& filter, std::vector<doc::Document> more) {
  if (isSystem(collection.number)) {
    doc::BsonWriter project;
    project.appendInt64("_p", collection.project);
    more.insert(more.begin(), project.finish());
  }
  return pushFilter(EngineForm(collection), filter, std::move(more));
}

PushedFilter pushFilter(const StoredForm& form, const doc::Filter& filter, std::vector<doc::Document> more) {
  Pushing pushing(form);
  NodePtr root = pushing.push(filter.root(), false);
  const doc::Document own = root ? doc::filterDocument(doc::Filter::fromTree(std::move(root))) : doc::Document();
  if (!own.empty()) more.insert(more.begin(), own);
  return {conjunction(more), pushing.exact()};
}

}  // namespace mb::store::mongo
