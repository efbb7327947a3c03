#include "functions/http_routes.h"

#include <algorithm>

#include "functions/contains.h"

namespace mb::functions {

namespace {

bool isLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool isDigit(char c) {
  return c >= '0' && c <= '9';
}

bool isParamName(std::string_view name) {
  return !name.empty() && name.size() <= 64 && (isLetter(name[0]) || name[0] == '_') &&
         std::ranges::all_of(name, [](char c) { return isLetter(c) || isDigit(c) || c == '_'; });
}

bool isStatic(std::string_view segment) {
  constexpr std::string_view kMarks = "-._~!$&'()+,;=@";
  return segment != "." && segment != ".." &&
         std::ranges::all_of(segment, [&](char c) { return isLetter(c) || isDigit(c) || kMarks.contains(c); });
}

std::vector<std::string_view> segmentsOf(std::string_view path) {
  std::vector<std::string_view> segments;
  path.remove_prefix(1);
  while (!path.empty()) {
    const size_t slash = path.find('/');
    segments.push_back(path.substr(0, slash));
    path = slash == std::string_view::npos ? std::string_view() : path.substr(slash + 1);
  }
  return segments;
}

}  // namespace

std::optional<std::string> pathProblem(std::string_view path) {
  if (!path.starts_with('/') || path.size() > kMaxPathBytes) return "must begin with / and have at most 512 characters";
  const std::vector<std::string_view> segments = segmentsOf(path);
  if (segments.size() > kMaxSegments) return "must have at most 8 segments";
  if (path.size() > 1 && path.ends_with('/')) return "must not end with /";
  std::vector<std::string_view> names;
  for (const std::string_view segment : segments) {
    if (segment.empty()) return "must have no empty segment";
    if (!segment.starts_with(':')) {
      if (isStatic(segment)) continue;
      return "may hold letters, digits and -._~!$&'()+,;=@ between its slashes, and parameters such as :id";
    }
    const std::string_view name = segment.substr(1);
    if (!isParamName(name)) return "has an invalid parameter name: use a letter or _, then letters, digits and _";
    if (contains(names, name)) return "names a parameter twice";
    names.push_back(name);
  }
  return std::nullopt;
}

std::string routeKey(std::string_view method, std::string_view path) {
  std::string key = std::string(method) + " ";
  for (const std::string_view segment : segmentsOf(path)) {
    key += '/';
    key += segment.starts_with(':') ? std::string_view(":") : segment;
  }
  if (key.ends_with(' ')) key += '/';
  return key;
}

struct HttpRoutes::Node {
  std::map<std::string, std::unique_ptr<Node>, std::less<>> statics;
  std::unique_ptr<Node> param;
  std::map<std::string, FunctionPtr, std::less<>> methods;
};

// Visits every pattern that matches, static segments first, until one has the method.
struct HttpRoutes::Walk {
  std::string_view method;
  std::span<const std::string> segments;
  FunctionPtr found;
  std::vector<std::string_view> seen;

  bool arrive(const Node& node) {
    const auto same = node.methods.find(method);
    if (same != node.methods.end()) found = same->second;
    for (const auto& [name, function] : node.methods) seen.emplace_back(name);
    return found != nullptr;
  }
  bool descend(const Node& node, size_t at) {
    if (at == segments.size()) return arrive(node);
    const std::string& segment = segments[at];
    if (segment.empty()) return false;
    const auto fixed = node.statics.find(segment);
    if (fixed != node.statics.end() && descend(*fixed->second, at + 1)) return true;
    return node.param && descend(*node.param, at + 1);
  }
};

HttpRoutes::HttpRoutes(const std::vector<FunctionPtr>& functions) : root_(std::make_unique<Node>()) {
  for (const FunctionPtr& function : functions) {
    if (!function->record.route) continue;
    Node* node = root_.get();
    for (const std::string_view segment : segmentsOf(function->path)) {
      std::unique_ptr<Node>& next = segment.starts_with(':') ? node->param : node->statics[std::string(segment)];
      if (!next) next = std::make_unique<Node>();
      node = next.get();
    }
    node->methods.emplace(function->method, function);
  }
}

HttpRoutes::~HttpRoutes() = default;

HttpMatch HttpRoutes::match(std::string_view method, std::span<const std::string> segments) const {
  HttpMatch match;
  if (segments.size() > kMaxSegments) return match;
  Walk walk{method == "HEAD" ? std::string_view("GET") : method, segments, nullptr, {}};
  if (!walk.descend(*root_, 0)) {
    if (walk.seen.empty()) return match;
    if (contains(walk.seen, "GET")) walk.seen.push_back("HEAD");
    walk.seen.push_back("OPTIONS");
    std::ranges::sort(walk.seen);
    const auto twice = std::ranges::unique(walk.seen);
    walk.seen.erase(twice.begin(), twice.end());
    for (const std::string_view each : walk.seen) {
      if (!match.allow.empty()) match.allow += ", ";
      match.allow += each;
    }
    return match;
  }
  size_t at = 0;
  for (const std::string_view segment : segmentsOf(walk.found->path)) {
    if (segment.starts_with(':')) match.params.emplace_back(segment.substr(1), segments[at]);
    ++at;
  }
  match.function = std::move(walk.found);
  return match;
}

}  // namespace mb::functions
