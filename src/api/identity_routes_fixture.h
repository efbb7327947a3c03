// The control plane, the auth routes and the admin routes of identity behind the real gates, for tests of this module.
#pragma once

#include "api/admin_identity_routes.h"
#include "api/auth_routes.h"
#include "api/dispatch.h"
#include "api/mfa_routes.h"
#include "projects/projects_fixture.h"

namespace mb::api {

class IdentityRoutesFixture : public projects::ProjectsFixture {
 protected:
  IdentityRoutesFixture() {
    authRoutes_.addTo(routes_);
    mfaRoutes_.addTo(routes_);
    adminRoutes_.addTo(routes_);
    gatekeeper_.emplace(GateDeps{apiSettings_,
                                 identity_.authenticator(),
                                 identity_.rateLimiter(),
                                 snapshots_,
                                 deps_->record,
                                 {},
                                 identity_.rateLimiter(),
                                 false});
    dispatcher_.emplace(routes_, apiSettings_, *gatekeeper_, Cors(kBaseUrl, {}),
                        snapshots_.addSlot<ProjectCounters>(counters_));
    owner_ = person("owner@example.com");
    project_ = made(owner_);
  }

  struct TestResponse {
    int status = 0;
    doc::Document body;
    std::vector<std::pair<std::string_view, std::string>> headers;
    std::string text;

    std::string code() const {
      const auto error = body.view().find("error");
      return error ? std::string(error->asDocument().stringOr("code")) : "";
    }
    std::string at(std::string_view path) const {
      const auto value = body.view().findPath(path);
      return value && value->type() == doc::BsonType::string ? std::string(value->asString()) : "";
    }
    size_t count(std::string_view path) const {
      const auto value = body.view().findPath(path);
      return value && value->isContainer() ? value->asDocument().count() : 0;
    }
  };

  struct TestRequest {
    http::Method method = http::Method::get;
    std::string target = {};
    std::string body = {};
    std::string token = {};
    std::string project = {};  // x-service-project
    std::string peer = "203.0.113.1";
    std::vector<http::Header> headers = {};  // further ones
  };
  TestResponse send(TestRequest sent) {
    http::Request request;
    request.method = sent.method;
    request.target = sent.target;
    const size_t question = sent.target.find('?');
    request.path = std::string_view(sent.target).substr(0, question);
    if (question != std::string::npos) request.query = std::string_view(sent.target).substr(question + 1);
    request.body = sent.body;
    request.bodyPresent = !sent.body.empty();
    request.peer = sent.peer;
    request.id = "req-1";
    const std::string bearer = "Bearer " + sent.token;
    if (!sent.token.empty()) request.headers.push_back({"authorization", bearer});
    if (!sent.project.empty()) request.headers.push_back({"x-service-project", sent.project});
    request.headers.push_back({"user-agent", "a browser"});
    request.headers.insert(request.headers.end(), sent.headers.begin(), sent.headers.end());
    auto response = run(handled(*dispatcher_, request));
    TestResponse received{response->status, {}, response->headers, response->body};
    if (!response->body.empty()) received.body = *doc::parseJson(response->body);
    return received;
  }
  static Task<http::Response> handled(Dispatcher& dispatcher, http::Request& request) {
    co_return co_await dispatcher.handle(request);
  }

  // Each request from a different address, so that rate limits do not apply.
  std::string freshPeer() { return "198.51.100." + std::to_string(++peers_ % 250); }
  TestResponse post(std::string target, std::string body, std::string token = "") {
    return send({http::Method::post, std::move(target), std::move(body), std::move(token), slug(), freshPeer()});
  }
  std::string slug() const { return project_.slug; }

  TestResponse registerUser(const std::string& email, const std::string& password = "correct horse") {
    return post("/api/v1/auth/register", R"({"email":")" + email + R"(","password":")" + password + R"("})");
  }
  TestResponse login(const std::string& email, const std::string& password = "correct horse") {
    return post("/api/v1/auth/login", R"({"email":")" + email + R"(","password":")" + password + R"("})");
  }
  // A member token of the project's Owner.
  std::string ownerToken() { return memberToken(owner_, "Owner"); }
  std::string memberToken(const policy::Caller& user, std::string_view role) {
    identity::UserRecord record;
    record.id = UserId(user.id);
    auto opened = run(identity_.sessions().open(identity::Realm::platform(), record, {}, soon()));
    return identity_.tokens().mintMember(UserId(user.id), opened->session.id, project_.id, role, {});
  }

  static constexpr std::string_view kBaseUrl = "http://localhost";
  RequestCounters counters_{1, clock_};
  ApiSettings apiSettings_;
  AuthRoutes authRoutes_{identity_, LocalRequests(true), kBaseUrl};
  MfaRoutes mfaRoutes_{identity_, kBaseUrl};
  AdminIdentityRoutes adminRoutes_{identity_};
  RouteTable routes_;
  std::optional<Gatekeeper> gatekeeper_;
  std::optional<Dispatcher> dispatcher_;
  policy::Caller owner_;
  projects::ProjectView project_;
  int peers_ = 0;
};

}  // namespace mb::api
