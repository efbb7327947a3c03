#include "policy/filter_template.h"

#include <algorithm>

#include "document/coercion.h"
#include "document/value_order.h"

namespace mb::policy {
namespace {

using doc::FilterNode;
using doc::FilterOp;
using NodePtr = std::shared_ptr<const FilterNode>;

bool isString(doc::ValueView value) {
  return value.type() == doc::BsonType::string;
}

bool holdsPlaceholder(doc::ValueView value) {
  if (isString(value)) return looksLikePlaceholder(value.asString()) || value.asString().starts_with(kListMark);
  if (!value.isContainer()) return false;
  for (const doc::Element& element : value.asDocument()) {
    if (holdsPlaceholder(element.value)) return true;
  }
  return false;
}

bool same(doc::ValueView a, doc::ValueView b) {
  return a.type() == b.type() && a.raw() == b.raw();
}

// Fills the tree of a template. A node without anything to fill or to coerce stays shared.
class TemplateFiller {
 public:
  TemplateFiller(const Subject& subject, const doc::FilterCoercion& coercion)
      : subject_(subject), coercion_(coercion) {}

  // The filled node, or null if a placeholder has no value.
  NodePtr node(const NodePtr& given, const std::string& prefix);

 private:
  std::optional<doc::Value> scalar(std::string_view text) const {
    return Placeholder::parse(text, Placeholder::Takes::scalar)->resolve(subject_);
  }
  bool append(doc::BsonWriter& out, std::string_view key, doc::ValueView given) const;
  std::optional<doc::Value> operand(doc::ValueView given, const std::string& path) const;
  // False if a placeholder has no value.
  bool operands(const FilterNode& given, const std::string& path, std::vector<doc::Value>& out, bool& changed) const;

  const Subject& subject_;
  const doc::FilterCoercion& coercion_;
};

bool TemplateFiller::append(doc::BsonWriter& out, std::string_view key, doc::ValueView given) const {
  if (isString(given) && looksLikePlaceholder(given.asString())) {
    const auto value = scalar(given.asString());
    if (value) out.append(key, *value);
    return value.has_value();
  }
  if (!given.isContainer()) {
    out.append(key, given);
    return true;
  }
  given.type() == doc::BsonType::array ? out.beginArray(key) : out.beginDocument(key);
  bool whole = true;
  for (const auto& [name, each] : given.asDocument()) whole = whole && append(out, name, each);
  out.end();
  return whole;
}

std::optional<doc::Value> TemplateFiller::operand(doc::ValueView given, const std::string& path) const {
  if (!holdsPlaceholder(given)) return doc::coerceDeep(&coercion_, path, given);
  if (isString(given)) {
    const auto value = scalar(given.asString());
    if (!value) return std::nullopt;
    return doc::coerceDeep(&coercion_, path, *value);
  }
  doc::BsonWriter out;
  if (!append(out, "", given)) return std::nullopt;
  const doc::Document wrapped = out.finish();
  return doc::coerceDeep(&coercion_, path, wrapped.view().begin()->value);
}

bool TemplateFiller::operands(const FilterNode& given, const std::string& path, std::vector<doc::Value>& out,
                              bool& changed) const {
  for (const doc::Value& each : given.operands) {
    const doc::ValueView view = each.view();
    if (!isString(view) || !view.asString().starts_with(kListMark)) {
      auto value = operand(view, path);
      if (!value) return false;
      changed = changed || !same(*value, view);
      out.push_back(*std::move(value));
      continue;
    }
    changed = true;
    const auto list = Placeholder::parse(view.asString().substr(1), Placeholder::Takes::list)->resolve(subject_);
    if (!list) return false;
    if (list->type() != doc::BsonType::array) {
      out.push_back(doc::coerceDeep(&coercion_, path, *list));
      continue;
    }
    for (const doc::Element& element : list->view().asDocument()) {
      out.push_back(doc::coerceDeep(&coercion_, path, element.value));
    }
  }
  if (changed && given.op == FilterOp::in) {
    const auto less = [](const doc::Value& a, const doc::Value& b) { return doc::compareValues(a, b) < 0; };
    const auto equal = [](const doc::Value& a, const doc::Value& b) { return doc::equalValues(a, b); };
    std::ranges::sort(out, less);
    out.erase(std::ranges::unique(out, equal).begin(), out.end());
  }
  return true;
}

NodePtr TemplateFiller::node(const NodePtr& given, const std::string& prefix) {
  const std::string& own = given->path.dotted();
  const std::string full = prefix.empty() || own.empty() ? prefix + own : prefix + "." + own;
  std::shared_ptr<FilterNode> copy;
  const auto changed = [&]() -> FilterNode& {
    if (copy == nullptr) copy = std::make_shared<FilterNode>(*given);
    return *copy;
  };

  const std::string& childPrefix = given->op == FilterOp::elemMatch ? full : prefix;
  for (size_t i = 0; i < given->children.size(); ++i) {
    NodePtr child = node(given->children[i], childPrefix);
    if (child == nullptr) return nullptr;
    if (child != given->children[i]) changed().children[i] = std::move(child);
  }
  if (doc::isComparison(given->op)) {
    auto value = operand(given->operand, full);
    if (!value) return nullptr;
    if (!same(*value, given->operand)) changed().operand = *std::move(value);
  }
  if (!given->operands.empty()) {
    std::vector<doc::Value> values;
    bool differ = false;
    if (!operands(*given, full, values, differ)) return nullptr;
    if (differ) changed().operands = std::move(values);
  }
  return copy == nullptr ? given : copy;
}

std::optional<doc::Filter> fillTree(const doc::Filter& given, const Subject& subject,
                                    const doc::FilterCoercion& coercion) {
  const NodePtr root(NodePtr(), &given.root());
  NodePtr filled = TemplateFiller(subject, coercion).node(root, "");
  if (filled == nullptr) return std::nullopt;
  return filled == root ? given : doc::Filter::fromTree(std::move(filled));
}

// The set whose list of values the operand stands for; "" for another operand.
std::string_view setOf(const doc::Value& operand) {
  const doc::ValueView view = operand.view();
  if (!isString(view)) return {};
  const std::string_view text = view.asString();
  constexpr std::string_view kSets = "$auth.sets.";
  if (!text.starts_with(kListMark) || !text.substr(1).starts_with(kSets)) return {};
  return text.substr(1 + kSets.size());
}

size_t countSets(const FilterNode& node) {
  size_t count = 0;
  for (const doc::Value& operand : node.operands) count += setOf(operand).empty() ? 0 : 1;
  for (const NodePtr& child : node.children) count += countSets(*child);
  return count;
}

bool isSetCondition(const FilterNode& node) {
  return node.op == FilterOp::in && node.operands.size() == 1 && !setOf(node.operands.front()).empty();
}

// Removes a condition over a set from those of `node` that must all hold, and returns it; null without one.
NodePtr takeSetCondition(FilterNode& node) {
  if (node.op != FilterOp::all) return nullptr;
  for (size_t i = 0; i < node.children.size(); ++i) {
    if (isSetCondition(*node.children[i])) {
      NodePtr found = node.children[i];
      node.children.erase(node.children.begin() + static_cast<std::ptrdiff_t>(i));
      return found;
    }
    auto copy = std::make_shared<FilterNode>(*node.children[i]);
    if (NodePtr found = takeSetCondition(*copy)) {
      node.children[i] = std::move(copy);
      return found;
    }
  }
  return nullptr;
}

}  // namespace

FilterTemplate FilterTemplate::compile(doc::DocumentView source, const doc::Schema* schema, const RuleNames& names,
                                       const std::string& pointer, std::vector<ErrorDetail>& problems) {
  FilterTemplate compiled;
  const size_t before = problems.size();
  const doc::Document marked =
      PlaceholderScan(schema, names, problems, compiled.placeholders_).copyConditions(source, pointer);
  auto filter = doc::Filter::parse(marked);
  if (filter) {
    compiled.filter_ = *std::move(filter);
    compiled.splitSetCondition();
  } else if (problems.size() == before) {
    problems.push_back({pointer, filter.error().message()});
  }
  return compiled;
}

bool FilterTemplate::resolvesFor(const Caller& caller) const {
  return std::ranges::all_of(
      placeholders_, [&](const Placeholder& each) { return !each.set().empty() || each.resolve(caller).has_value(); });
}

std::optional<doc::Filter> FilterTemplate::fill(const Subject& subject, const doc::FilterCoercion& coercion) const {
  return fillTree(filter_, subject, coercion);
}

std::optional<doc::Filter> FilterTemplate::fillBesideSet(const Subject& subject,
                                                         const doc::FilterCoercion& coercion) const {
  return fillTree(besideSet_, subject, coercion);
}

void FilterTemplate::splitSetCondition() {
  if (countSets(filter_.root()) != 1) return;
  auto all = std::make_shared<FilterNode>();
  all->children.push_back(std::make_shared<const FilterNode>(filter_.root()));
  const NodePtr found = takeSetCondition(*all);
  if (!found) return;
  setCondition_ = SetCondition{std::string(setOf(found->operands.front())), found->path};
  NodePtr root = std::move(all);
  while (root->children.size() == 1 && root->children.front()->op == FilterOp::all) root = root->children.front();
  besideSet_ = doc::Filter::fromTree(std::move(root));
}

}  // namespace mb::policy
