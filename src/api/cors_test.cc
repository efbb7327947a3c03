#include "api/cors.h"

#include <gtest/gtest.h>

namespace mb::api {
namespace {

std::string headerOf(const http::Response& response, std::string_view name) {
  for (const auto& [key, value] : response.headers) {
    if (key == name) return value;
  }
  return "";
}

class CorsTest : public ::testing::Test {
 protected:
  Cors cors_{"https://base.example:8443/x", {"https://dash.example"}};
};

TEST_F(CorsTest, PreflightsOfTheDataPlaneAreOpen) {
  const auto response = cors_.preflight(CorsPlane::data, "https://any.example");
  EXPECT_EQ(response.status, 204);
  EXPECT_EQ(headerOf(response, "access-control-allow-origin"), "*");
  EXPECT_NE(headerOf(response, "access-control-allow-methods").find("PATCH"), std::string::npos);
  EXPECT_NE(headerOf(response, "access-control-allow-headers").find("x-service-project"), std::string::npos);
  for (const char* name : {"if-match", "if-none-match", "prefer"}) {
    EXPECT_NE(headerOf(response, "access-control-allow-headers").find(name), std::string::npos) << name;
  }
}

TEST_F(CorsTest, ControlAndAdminTakeListedOriginsOnly) {
  for (const auto* origin : {"https://dash.example", "https://base.example:8443"}) {
    EXPECT_EQ(headerOf(cors_.preflight(CorsPlane::control, origin), "access-control-allow-origin"), origin);
  }
  for (const auto* origin : {"https://evil.example", "https://dash.example.evil", "null", ""}) {
    const auto response = cors_.preflight(CorsPlane::control, origin);
    EXPECT_EQ(headerOf(response, "access-control-allow-origin"), "") << origin;
    EXPECT_EQ(headerOf(response, "access-control-allow-methods"), "") << origin;
  }
}

TEST_F(CorsTest, NoOriginMaySendTheHeaderOfSessionsInCookies) {
  for (const CorsPlane plane : {CorsPlane::data, CorsPlane::control}) {
    const auto preflight = cors_.preflight(plane, "https://dash.example");
    EXPECT_EQ(headerOf(preflight, "access-control-allow-headers").find("x-service-session"), std::string::npos);
    EXPECT_EQ(headerOf(preflight, "access-control-allow-credentials"), "");
    http::Response response;
    cors_.decorate(response, plane, "https://dash.example", {});
    EXPECT_EQ(headerOf(response, "access-control-allow-credentials"), "");
  }
}

TEST_F(CorsTest, TheThirdSegmentTellsThePlane) {
  EXPECT_EQ(Cors::planeOf({"api", "v1", "control", "me"}), CorsPlane::control);
  EXPECT_EQ(Cors::planeOf({"api", "v1", "admin", "roles"}), CorsPlane::control);
  EXPECT_EQ(Cors::planeOf({"api", "v1", "posts"}), CorsPlane::data);
  EXPECT_EQ(Cors::planeOf({"admin"}), CorsPlane::data);
  EXPECT_EQ(Cors::planeOf({}), CorsPlane::data);
}

TEST_F(CorsTest, AProjectsOwnListHolds) {
  http::Response response;
  cors_.decorate(response, CorsPlane::data, "https://any.example", {});
  EXPECT_EQ(headerOf(response, "access-control-allow-origin"), "*");
  EXPECT_EQ(headerOf(response, "access-control-expose-headers"),
            "date, x-request-id, x-service-run, retry-after, ratelimit, ratelimit-policy, etag, accept-ranges, "
            "content-range, content-disposition, preference-applied, location, tus-resumable, tus-version, "
            "tus-extension, upload-offset, "
            "upload-length, upload-metadata, upload-expires");

  http::Response starred;
  cors_.decorate(starred, CorsPlane::data, "https://any.example", {"https://app.example", "*"});
  EXPECT_EQ(headerOf(starred, "access-control-allow-origin"), "*");
  http::Response pattern;
  cors_.decorate(pattern, CorsPlane::data, "https://x.a", {"https://*.a"});
  EXPECT_EQ(headerOf(pattern, "access-control-allow-origin"), "");

  http::Response listed;
  cors_.decorate(listed, CorsPlane::data, "https://app.example", {"https://app.example"});
  EXPECT_EQ(headerOf(listed, "access-control-allow-origin"), "https://app.example");
  EXPECT_EQ(headerOf(listed, "vary"), "origin");

  http::Response other;
  cors_.decorate(other, CorsPlane::data, "https://evil.example", {"https://app.example"});
  EXPECT_EQ(headerOf(other, "access-control-allow-origin"), "");
}

}  // namespace
}  // namespace mb::api
