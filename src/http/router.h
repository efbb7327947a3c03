// A trie of path patterns: "/api/v1/:collection/:id", static segments beat parameters, "*rest" takes what is left.
// Decides only which route; gates and handlers belong to api/.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "http/message.h"

namespace mb::http {

struct RouteMatch {
  int route = -1;                   // what add() was given; -1: none
  std::vector<std::string> params;  // captures in order of the pattern
  std::string allow;                // on a path that exists under other methods: the `allow` header; else empty
};

class Router {
 public:
  Router();
  ~Router();
  Router(Router&&) noexcept;

  // A parameter written ":name" matches any non-empty segment; ":name!" only one that `mayBeName` accepts, so that
  // reserved words never fall into a wildcard. Adding one method and pattern twice is a bug (aborts).
  void add(Method method, std::string_view pattern, int route);
  void setNameCheck(std::function<bool(std::string_view)> mayBeName);
  // HEAD finds GET's route. Segments as splitPath gives them.
  RouteMatch match(Method method, const std::vector<std::string>& segments) const;

 private:
  struct Node;
  std::unique_ptr<Node> root_;
  std::function<bool(std::string_view)> mayBeName_;
};

}  // namespace mb::http
