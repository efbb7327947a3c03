// HttpRoutes finds the http function of a path. Static segments take precedence over parameters, from the left. See
// docs/functions.md, "Endpoints".
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "functions/function_table.h"

namespace mb::functions {

inline constexpr size_t kMaxSegments = 8;
inline constexpr size_t kMaxPathBytes = 512;

// The rule that a trigger's path breaks; nullopt if it is valid: "/" and at most kMaxSegments segments, each the name
// of a parameter (":id") or text of letters, digits and the marks that a path may have.
std::optional<std::string> pathProblem(std::string_view path);
// The key that two functions may not share: "GET /orders/:". REQUIRES: the path is valid.
std::string routeKey(std::string_view method, std::string_view path);

struct HttpMatch {
  FunctionPtr function;                                     // null if none matches
  std::vector<std::pair<std::string, std::string>> params;  // in the order of the path
  std::string allow;                                        // the methods that the path has instead; "" for none
};

// Immutable. Any thread.
class HttpRoutes {
 public:
  // Functions with an http trigger and a route. The first of two with the same route wins.
  explicit HttpRoutes(const std::vector<FunctionPtr>& functions);
  ~HttpRoutes();

  // `segments`: of the path after the project, decoded one by one. HEAD matches like GET.
  HttpMatch match(std::string_view method, std::span<const std::string> segments) const;

 private:
  struct Node;
  struct Walk;
  std::unique_ptr<Node> root_;
};

}  // namespace mb::functions
