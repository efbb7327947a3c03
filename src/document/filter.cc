#include "document/filter.h"

#include <algorithm>

#include "document/filter_match.h"
#include "document/filter_parser.h"

namespace mb::doc {

namespace {

const std::shared_ptr<const FilterNode>& everything() {
  static const auto root = std::make_shared<const FilterNode>();
  return root;
}

void appendTo(FilterNodes& children, const std::shared_ptr<const FilterNode>& root) {
  if (root->op == FilterOp::all) {
    children.insert(children.end(), root->children.begin(), root->children.end());
  } else {
    children.push_back(root);
  }
}

void collectPaths(const FilterNode& node, const std::string& prefix, std::vector<std::string>& paths) {
  const std::string& own = node.path.dotted();
  const std::string full = prefix.empty() || own.empty() ? prefix + own : prefix + "." + own;
  if (!own.empty() && node.op != FilterOp::negate) paths.push_back(full);
  // Except in $elemMatch, the children of a condition have paths from the same root.
  const std::string& below = node.op == FilterOp::elemMatch ? full : prefix;
  for (const auto& child : node.children) collectPaths(*child, below, paths);
}

}  // namespace

Filter::Filter() : root_(everything()) {}

Result<Filter> Filter::parse(DocumentView source, const FilterCoercion* coercion, const FilterLimits& limits) {
  FilterParser parser(coercion, limits);
  Filter filter;
  TRY(filter.root_, parser.conditions(source, "", 1));
  return filter;
}

Filter Filter::both(const Filter& a, const Filter& b) {
  if (a.matchesAll()) return b;
  if (b.matchesAll()) return a;
  auto root = std::make_shared<FilterNode>();
  appendTo(root->children, a.root_);
  appendTo(root->children, b.root_);
  Filter filter;
  filter.root_ = std::move(root);
  return filter;
}

Filter Filter::equals(std::string_view path, ValueView value) {
  auto condition = std::make_shared<FilterNode>();
  condition->op = FilterOp::eq;
  condition->path = FieldPath::parse(path).value();
  condition->operand = Value(value);
  auto root = std::make_shared<FilterNode>();
  root->children.push_back(std::move(condition));
  Filter filter;
  filter.root_ = std::move(root);
  return filter;
}

Filter Filter::equals(std::string_view path, std::string_view text) {
  BsonWriter out;
  out.appendString("", text);
  const Document holder = out.finish();
  return equals(path, holder.view().begin()->value);
}

bool Filter::matchesAll() const {
  return root_->op == FilterOp::all && root_->children.empty();
}

bool Filter::matches(DocumentView document) const {
  return matchesDocument(*root_, document);
}

std::vector<std::string> Filter::paths() const {
  std::vector<std::string> paths;
  collectPaths(*root_, "", paths);
  std::ranges::sort(paths);
  paths.erase(std::ranges::unique(paths).begin(), paths.end());
  return paths;
}

}  // namespace mb::doc
