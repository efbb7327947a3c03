#include "http/router.h"

#include <cstdlib>
#include <map>

#include "base/log.h"

namespace mb::http {

namespace {

constexpr size_t kMethods = static_cast<size_t>(Method::other) + 1;

size_t slot(Method method) {
  return static_cast<size_t>(method);
}

// Visits every pattern that matches the path, static segments first, until one has the method.
struct Walk {
  const std::vector<std::string>& segments;
  Method method;
  const std::function<bool(std::string_view)>& isName;
  RouteMatch& match;
  bool seen[kMethods] = {};

  template <class Node>
  bool arrive(const Node& node) {
    for (size_t i = 0; i < kMethods; ++i) seen[i] = seen[i] || node.routes[i] >= 0;
    const int route = node.routes[slot(method)];
    const int get = method == Method::head ? node.routes[slot(Method::get)] : -1;
    match.route = route >= 0 ? route : get;
    return match.route >= 0;
  }

  template <class Node>
  bool descend(const Node& node, size_t at) {
    if (at == segments.size()) return arrive(node);
    const std::string& segment = segments[at];
    if (const auto it = node.statics.find(segment); it != node.statics.end() && descend(*it->second, at + 1))
      return true;
    if (node.checked && !segment.empty() && isName && isName(segment) && capture(*node.checked, at)) return true;
    if (node.anything && !segment.empty() && capture(*node.anything, at)) return true;
    if (!node.rest || segment.empty()) return false;
    std::string tail = segment;
    for (size_t i = at + 1; i < segments.size(); ++i) tail += "/" + segments[i];
    match.params.push_back(std::move(tail));
    if (arrive(*node.rest)) return true;
    match.params.pop_back();
    return false;
  }

  template <class Node>
  bool capture(const Node& node, size_t at) {
    if (match.params.capacity() == 0) match.params.reserve(4);
    match.params.push_back(segments[at]);
    if (descend(node, at + 1)) return true;
    match.params.pop_back();
    return false;
  }
};

}  // namespace

struct Router::Node {
  std::map<std::string, std::unique_ptr<Node>, std::less<>> statics;
  std::unique_ptr<Node> checked;   // ":name!"
  std::unique_ptr<Node> anything;  // ":name"
  std::unique_ptr<Node> rest;      // "*rest"
  int routes[kMethods];

  Node() { std::fill(std::begin(routes), std::end(routes), -1); }
};

Router::Router() : root_(std::make_unique<Node>()) {}
Router::~Router() = default;
Router::Router(Router&&) noexcept = default;

void Router::add(Method method, std::string_view pattern, int route) {
  Node* node = root_.get();
  std::string_view left = pattern.substr(1);
  while (!left.empty()) {
    const size_t slash = left.find('/');
    const std::string_view segment = left.substr(0, slash);
    std::unique_ptr<Node>* next = nullptr;
    if (segment.starts_with(':')) {
      next = segment.ends_with('!') ? &node->checked : &node->anything;
    } else if (segment.starts_with('*')) {
      next = &node->rest;
    } else {
      next = &node->statics[std::string(segment)];
    }
    if (!*next) *next = std::make_unique<Node>();
    node = next->get();
    left = slash == std::string_view::npos ? std::string_view() : left.substr(slash + 1);
  }
  if (pattern.size() > 1 && pattern.ends_with('/')) {
    std::unique_ptr<Node>& end = node->statics[std::string()];
    if (!end) end = std::make_unique<Node>();
    node = end.get();
  }
  if (node->routes[slot(method)] >= 0) {
    logError("a route is declared twice", {{"method", methodName(method)}, {"pattern", pattern}});
    std::abort();
  }
  node->routes[slot(method)] = route;
}

void Router::setNameCheck(std::function<bool(std::string_view)> isName) {
  isName_ = std::move(isName);
}

RouteMatch Router::match(Method method, const std::vector<std::string>& segments) const {
  RouteMatch found;
  Walk walk{segments, method, isName_, found};
  if (walk.descend(*root_, 0)) return found;
  bool any = false;
  for (const bool there : walk.seen) any = any || there;
  if (!any) return found;
  walk.seen[slot(Method::head)] = walk.seen[slot(Method::head)] || walk.seen[slot(Method::get)];
  walk.seen[slot(Method::options)] = true;
  for (size_t i = 0; i < kMethods; ++i) {
    if (!walk.seen[i]) continue;
    if (!found.allow.empty()) found.allow += ", ";
    found.allow += methodName(static_cast<Method>(i));
  }
  return found;
}

}  // namespace mb::http
