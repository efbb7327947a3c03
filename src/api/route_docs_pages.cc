// Pages for people, outside of /api/v1.
#include "api/route_docs.h"

namespace mb::api {

namespace {

using http::Method;
using openapi::Response;

constexpr std::string_view kText = R"({"type": "string", "examples": ["<!doctype html>"]})";

Response page(int status, std::string_view meaning) {
  return {.status = status, .content = {.type = "text/html; charset=utf-8", .schema = kText}, .meaning = meaning};
}

// Errors are HTML pages too.
std::vector<Response> pages() {
  return {page(200, "The page."),
          {.status = 304},
          page(400, "A page about an invalid link."),
          page(403, "A page that says that the project is suspended."),
          page(404, "A page that says that the page does not exist."),
          page(503, "A page that says that the server is busy.")};
}

std::vector<Response> dashboard() {
  return {page(200, "The page."), {.status = 304}};
}

std::vector<Response> file() {
  return {{.status = 200, .content = {.type = "*/*", .schema = R"({"examples": ["…"]})"}, .meaning = "The file."},
          {.status = 304}};
}

}  // namespace

std::vector<RouteDoc> pageDocs() {
  const DocExtra cached{.headers = {"if-none-match"}};
  // The application in the page reads the query.
  const DocExtra application{.openQuery = true, .headers = {"if-none-match"}};
  return {
      {Method::get, "/auth/login", "loginPage", pages(), {}, {"project", "redirect", "plane"}, cached},
      {Method::get, "/reset-password", "resetPasswordPage", pages(), {}, {"token", "project", "plane"}},
      {Method::get, "/verify-email", "verifyEmailPage", pages(), {}, {"token", "project", "plane"}},
      {Method::get, "/examples/oauth", "oauthExamplePage", pages(), {}, {}, cached},
      {Method::get, "/auth/assets/:version/:file", "pageAsset", file(), {}, {}, cached},
      {Method::get, "/dashboard", "dashboard", dashboard(), {}, {}, application},
      {Method::get, "/dashboard/", "dashboardHome", dashboard(), {}, {}, application},
      {Method::get, "/dashboard/*path", "dashboardPage", dashboard(), {ErrorCode::notFound}, {}, application},
      {Method::get, "/dashboard/assets/:file", "dashboardAsset", file(), {ErrorCode::unavailable}, {}, cached},
      {Method::get, "/dashboard/sdk/manybase.mjs", "sdkModule", file(), {}, {}, cached},
      {Method::get, "/dashboard/sdk/manybase.tgz", "sdkPackage", file(), {}, {}, cached},
      {Method::get, "/docs", "referencePage", pages(), {}, {}, cached},
      {Method::get, "/graphiql", "graphiqlPage", pages(), {}, {}, cached},
      {Method::get, "/p/:project/docs", "projectReferencePage", pages(), {}, {}, cached},
      {Method::get, "/p/:project/graphiql", "projectGraphiqlPage", pages(), {}, {}, cached},
  };
}

}  // namespace mb::api
