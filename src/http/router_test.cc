#include "http/router.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mb::http {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

enum Routes {
  list,
  create,
  read,
  patch,
  search,
  backfill,
  health,
  file,
  adminList,
  adminRead,
  root,
};

Router routes() {
  Router router;
  router.setNameCheck([](std::string_view name) { return name != "admin" && name != "health"; });
  router.add(Method::get, "/", root);
  router.add(Method::get, "/api/v1/:collection!", list);
  router.add(Method::post, "/api/v1/:collection!", create);
  router.add(Method::get, "/api/v1/:collection!/:id", read);
  router.add(Method::patch, "/api/v1/:collection!/:id", patch);
  router.add(Method::post, "/api/v1/:collection!/search", search);
  router.add(Method::post, "/api/v1/admin/:collection/backfill", backfill);
  router.add(Method::get, "/api/v1/health", health);
  router.add(Method::put, "/files/:bucket/*path", file);
  router.add(Method::get, "/api/v1/admin/collections", adminList);
  router.add(Method::get, "/api/v1/admin/:collection/:id", adminRead);
  return router;
}

struct Case {
  Method method;
  std::string_view path;
  int route;
  std::vector<std::string> params;
};

TEST(Router, FindsTheRouteAndItsParameters) {
  const Router router = routes();
  const Case cases[] = {
      {Method::get, "/", root, {}},
      {Method::get, "/api/v1/posts", list, {"posts"}},
      {Method::head, "/api/v1/posts", list, {"posts"}},
      {Method::post, "/api/v1/posts", create, {"posts"}},
      {Method::get, "/api/v1/posts/1", read, {"posts", "1"}},
      {Method::patch, "/api/v1/posts/a%2Fb", patch, {"posts", "a/b"}},
      {Method::get, "/api/v1/health", health, {}},
      {Method::post, "/api/v1/posts/search", search, {"posts"}},
      // The static segment has no GET: it is a document whose id is "search".
      {Method::get, "/api/v1/posts/search", read, {"posts", "search"}},
      {Method::put, "/files/b/x", file, {"b", "x"}},
      {Method::put, "/files/b/x/y%2Fz/", file, {"b", "x/y/z/"}},
      {Method::get, "/api/v1/admin/collections", adminList, {}},
      {Method::get, "/api/v1/admin/posts/1", adminRead, {"posts", "1"}},
      {Method::post, "/api/v1/admin/collections/backfill", backfill, {"collections"}},
  };
  for (const Case& wanted : cases) {
    const RouteMatch match = router.match(wanted.method, splitPath(wanted.path).value());
    EXPECT_EQ(match.route, wanted.route) << methodName(wanted.method) << " " << wanted.path;
    EXPECT_EQ(match.params, wanted.params) << wanted.path;
    EXPECT_THAT(match.allow, IsEmpty()) << wanted.path;
  }
}

TEST(Router, TellsTheMethodsOfAPathThatHasOthers) {
  const Router router = routes();
  const std::tuple<Method, std::string_view, std::string_view> cases[] = {
      {Method::remove, "/api/v1/posts", "GET, HEAD, POST, OPTIONS"},
      {Method::other, "/api/v1/posts", "GET, HEAD, POST, OPTIONS"},
      {Method::post, "/api/v1/health", "GET, HEAD, OPTIONS"},
      {Method::get, "/files/b/x", "PUT, OPTIONS"},
      // Of all patterns that fit, the static one and the wildcard.
      {Method::put, "/api/v1/posts/search", "GET, HEAD, POST, PATCH, OPTIONS"},
      {Method::options, "/api/v1/posts/1", "GET, HEAD, PATCH, OPTIONS"},
  };
  for (const auto& [method, path, allow] : cases) {
    const RouteMatch match = router.match(method, splitPath(path).value());
    EXPECT_EQ(match.route, -1) << path;
    EXPECT_EQ(match.allow, allow) << path;
    EXPECT_THAT(match.params, IsEmpty());
  }
}

TEST(Router, KnowsNothingOfOtherPaths) {
  const Router router = routes();
  for (const std::string_view path :
       {"/api", "/api/v1", "/api/v1/", "/api/v1/posts/", "/api/v1//1", "/api/v1/posts/1/2", "/api/v1/admin",
        "/api/v1/admin/x", "/api/v1/health/x", "/API/v1/posts", "/files/b", "/files/b/", "/files//x", "//"}) {
    const RouteMatch match = router.match(Method::get, splitPath(path).value());
    EXPECT_EQ(match.route, -1) << path;
    EXPECT_THAT(match.allow, IsEmpty()) << path;
  }
}

TEST(Router, AnExplicitHeadStandsBeforeGet) {
  Router router;
  router.add(Method::get, "/a", 1);
  router.add(Method::head, "/a", 2);
  EXPECT_EQ(router.match(Method::head, {"a"}).route, 2);
}

TEST(Router, ManySegmentsAreNoBurden) {
  const Router router = routes();
  EXPECT_EQ(router.match(Method::get, std::vector<std::string>(8000, "a")).route, -1);
}

TEST(Router, ASlashAtTheEndIsAPathOfItsOwn) {
  Router router;
  router.add(Method::get, "/app", 1);
  EXPECT_EQ(router.match(Method::get, *splitPath("/app/")).route, -1);
  router.add(Method::get, "/app/", 2);
  router.add(Method::get, "/app/*path", 3);
  EXPECT_EQ(router.match(Method::get, *splitPath("/app")).route, 1);
  EXPECT_EQ(router.match(Method::get, *splitPath("/app/")).route, 2);
  EXPECT_EQ(router.match(Method::get, *splitPath("/app/x")).route, 3);
  EXPECT_EQ(router.match(Method::get, *splitPath("/app/x/")).route, 3);
}

TEST(RouterDeathTest, OneRouteTwiceIsABug) {
  Router router;
  router.add(Method::get, "/a/:b", 1);
  EXPECT_DEATH(router.add(Method::get, "/a/:c", 2), "declared twice");
}

}  // namespace
}  // namespace mb::http
