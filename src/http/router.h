// A Router maps a method and a path to a route by a trie of patterns such as "/api/v1/:collection/:id". Static segments
// take precedence over parameters; "*rest" matches the remaining segments. Gates and handlers are in api/.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "http/message.h"

namespace mb::http {

struct RouteMatch {
  int route = -1;                   // as given to add(); -1: no route matches
  std::vector<std::string> params;  // captures in order of the pattern
  std::string allow;                // the `allow` header if the path exists under other methods; else empty
};

class Router {
 public:
  Router();
  ~Router();
  Router(Router&&) noexcept;

  // A parameter ":name" matches any non-empty segment; ":name!" only one that `isName` accepts, so that a parameter
  // does not match reserved words. A pattern that ends in "/" matches only paths that do. Adding the same method and
  // pattern twice aborts the process.
  void add(Method method, std::string_view pattern, int route);
  void setNameCheck(std::function<bool(std::string_view)> isName);
  // HEAD matches the route of GET. `segments` are those of splitPath().
  RouteMatch match(Method method, const std::vector<std::string>& segments) const;

 private:
  struct Node;
  std::unique_ptr<Node> root_;
  std::function<bool(std::string_view)> isName_;
};

}  // namespace mb::http
