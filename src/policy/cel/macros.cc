// has(e.f), e.all(x, p), e.exists(x, p), e.exists_one(x, p), e.filter(x, p), e.map(x, t), e.map(x, p, t).
#include <fmt/format.h>

#include "policy/cel/parser.h"

namespace mb::cel {
namespace {

struct Comprehension {
  std::string_view name;
  size_t arguments;
  NodeKind kind;
};

constexpr Comprehension kComprehensions[] = {
    {"all", 2, NodeKind::all},       {"exists", 2, NodeKind::exists}, {"exists_one", 2, NodeKind::existsOne},
    {"filter", 2, NodeKind::filter}, {"map", 2, NodeKind::transform}, {"map", 3, NodeKind::transform},
};

}  // namespace

Node* Parser::macro(Position at, std::string_view function, Node* receiver, std::vector<Node*>& arguments) {
  if (receiver == nullptr) {
    if (function != "has" || arguments.size() != 1) return nullptr;
    Node* select = arguments[0];
    if (select->kind != NodeKind::select) {
      return problem(select->at, "has() takes a field selection, such as has(document.title)");
    }
    Node* has = node(NodeKind::has, select->at, select->children);
    if (has != nullptr) has->name = select->name;
    return has;
  }
  for (const Comprehension& comprehension : kComprehensions) {
    if (function != comprehension.name || arguments.size() != comprehension.arguments) continue;
    const Node& variable = *arguments[0];
    if (variable.kind != NodeKind::identifier || variable.rooted) {
      return problem(variable.at, fmt::format("the first argument of {}() must be a plain name", function));
    }
    std::vector<Node*> children = {receiver};
    children.insert(children.end(), arguments.begin() + 1, arguments.end());
    Node* made = node(comprehension.kind, at, std::move(children));
    if (made != nullptr) made->name = variable.name;
    return made;
  }
  return nullptr;
}

}  // namespace mb::cel
