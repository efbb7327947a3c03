// Which http function answers a path. Static segments beat parameters at equal length, from the left. Source: contract
// 4.7.
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

// What is wrong with a trigger's path; nullopt where nothing is: "/" and at most kMaxSegments segments, each a name of
// a parameter (":id") or text of letters, digits and the marks that a path may have.
std::optional<std::string> pathProblem(std::string_view path);
// What two functions may not share, of a valid path: "GET /orders/:".
std::string routeKey(std::string_view method, std::string_view path);

struct HttpMatch {
  FunctionPtr function;                                     // null where none answers
  std::vector<std::pair<std::string, std::string>> params;  // in the order of the path
  std::string allow;                                        // the methods that the path has instead; "" none
};

// Immutable. Any thread.
class HttpRoutes {
 public:
  // Of functions with an http trigger and a route; of two that answer alike the first.
  explicit HttpRoutes(const std::vector<FunctionPtr>& functions);
  ~HttpRoutes();

  // `segments`: of the path behind the project, decoded one by one. HEAD finds what GET does.
  HttpMatch match(std::string_view method, std::span<const std::string> segments) const;

 private:
  struct Node;
  struct Walk;
  std::unique_ptr<Node> root_;
};

}  // namespace mb::functions
