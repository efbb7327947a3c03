#include "functions/http_routes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

namespace mb::functions {
namespace {

FunctionPtr function(std::string name, std::string method, std::string path, bool hasRoute = true) {
  Function made;
  made.record.id = std::move(name);
  if (hasRoute) made.record.route = routeKey(method, path);
  made.method = std::move(method);
  made.path = std::move(path);
  return std::make_shared<const Function>(std::move(made));
}

// "name a=1 b=2", or the allowed methods.
std::string found(const HttpRoutes& routes, std::string_view method, std::vector<std::string> segments) {
  const HttpMatch match = routes.match(method, segments);
  if (!match.function) return match.allow.empty() ? "none" : "allow: " + match.allow;
  std::string out = match.function->name();
  for (const auto& [name, value] : match.params) out += fmt::format(" {}={}", name, value);
  return out;
}

const HttpRoutes& routes() {
  static const HttpRoutes kRoutes({
      function("root", "GET", "/"),
      function("list", "GET", "/orders"),
      function("make", "POST", "/orders"),
      function("one", "GET", "/orders/:id"),
      function("new", "GET", "/orders/new"),
      function("edit", "PUT", "/:kind/new"),
      function("any", "GET", "/:a/:b"),
      function("deep", "DELETE", "/a/:b/c/:d"),
      function("other", "DELETE", "/:x/b/c/d"),
      function("parked", "GET", "/parked", false),
  });
  return kRoutes;
}

TEST(HttpRoutes, FindsTheFunctionOfAPath) {
  struct Case {
    std::string_view method;
    std::vector<std::string> segments;
    std::string_view expected;
  };
  const std::vector<Case> cases = {
      {"GET", {}, "root"},
      {"HEAD", {}, "root"},
      {"GET", {"orders"}, "list"},
      {"POST", {"orders"}, "make"},
      {"PUT", {"orders"}, "allow: GET, HEAD, OPTIONS, POST"},
      {"GET", {"orders", "new"}, "new"},
      {"GET", {"orders", "7"}, "one id=7"},
      {"GET", {"orders", "a/b c"}, "one id=a/b c"},
      {"GET", {"people", "7"}, "any a=people b=7"},
      // The static segment has no PUT; the parameter has.
      {"PUT", {"orders", "new"}, "edit kind=orders"},
      {"PATCH", {"orders", "new"}, "allow: GET, HEAD, OPTIONS, PUT"},
      {"DELETE", {"a", "b", "c", "d"}, "deep b=b d=d"},
      {"DELETE", {"e", "b", "c", "d"}, "other x=e"},
      {"GET", {"orders", ""}, "none"},
      {"GET", {""}, "none"},
      {"GET", {"Orders"}, "none"},
      {"GET", {"parked"}, "none"},
      {"GET", {"a", "b", "c"}, "none"},
      {"GET", {"1", "2", "3", "4", "5", "6", "7", "8", "9"}, "none"},
  };
  for (const Case& each : cases) {
    EXPECT_EQ(found(routes(), each.method, each.segments), each.expected)
        << each.method << " /" << fmt::format("{}", fmt::join(each.segments, "/"));
  }
}

TEST(HttpRoutes, TwoShapesThatAreAlikeHaveOneKey) {
  EXPECT_EQ(routeKey("GET", "/"), "GET /");
  EXPECT_EQ(routeKey("GET", "/orders/:id"), "GET /orders/:");
  EXPECT_EQ(routeKey("GET", "/orders/:name"), routeKey("GET", "/orders/:id"));
  EXPECT_NE(routeKey("GET", "/orders/:id"), routeKey("PUT", "/orders/:id"));
  EXPECT_NE(routeKey("GET", "/orders/:id"), routeKey("GET", "/orders/id"));
}

TEST(HttpRoutes, APathIsValidatedAtSave) {
  for (const std::string_view good :
       {"/", "/a", "/a/:b", "/:a/:b", "/a.b/~c,d=e@f", "/1/2/3/4/5/6/7/:h8", "/...", "/:_x"}) {
    EXPECT_EQ(pathProblem(good), std::nullopt) << good;
  }
  for (const std::string_view bad : {"", "a", "/a/", "//", "/a//b", "/:", "/:9", "/:a-b", "/:a/:a", "/a b", "/%20",
                                     "/a?b", "/a#b", "/..", "/a/.", "/*", "/a:b", "/é", "/1/2/3/4/5/6/7/8/9"}) {
    EXPECT_NE(pathProblem(bad), std::nullopt) << bad;
  }
  EXPECT_NE(pathProblem("/" + std::string(512, 'a')), std::nullopt);
}

}  // namespace
}  // namespace mb::functions
